import { randomUUID } from 'node:crypto';
import type { Session } from './session.ts';

/** SFTP's status for a file that is not there. */
const NO_SUCH_FILE = 2;
/** What is fetched is held in memory. */
const MOST_MIB = 256;

/** Copies a local file over SFTP, renamed into place: a program that is running keeps its old file. */
export async function sendFile(session: Session, path: string, remote: string): Promise<void> {
  const fresh = `${remote}.new-${randomUUID()}`;
  await session.transfer(remote, (sftp, done) => sftp.fastPut(path, fresh, { mode: 0o755 }, done));
  await session.transfer(remote, (sftp, done) => sftp.ext_openssh_rename(fresh, remote, done));
}

/** The content of a file on the host over SFTP; null when there is none. */
export async function fetchFile(session: Session, path: string, { mostMib = MOST_MIB } = {}): Promise<Buffer | null> {
  const tooLarge = new Error(`it is larger than ${mostMib} MiB`);
  const mostBytes = mostMib * 2 ** 20;
  let content: Buffer | null = null;
  await session.transfer(path, (sftp, done) =>
    sftp.stat(path, (error, { size } = { size: 0 } as never) => {
      if (isMissing(error)) return done();
      if (error) return done(error);
      if (size > mostBytes) return done(tooLarge);
      // What is there may be longer than the host said.
      const chunks: Buffer[] = [];
      let bytes = 0;
      const stream = sftp.createReadStream(path);
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) stream.destroy(tooLarge);
        else chunks.push(chunk);
      });
      stream.once('error', (failure: Error) => done(isMissing(failure) ? undefined : failure));
      stream.once('end', () => {
        content = Buffer.concat(chunks);
        done();
      });
    }),
  );
  return content;
}

function isMissing(error: unknown): boolean {
  return (error as { code?: number | string } | undefined)?.code === NO_SUCH_FILE;
}

import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { SFTPWrapper } from 'ssh2';
import { PredictError, quote, quoteAll } from '../../base/index.ts';
import { lastLines, type Session } from './session.ts';

/** SFTP's status for a file that is not there. */
const NO_SUCH_FILE = 2;
/** Longest time for one file, at a few percent of a slow link. */
const STEP_TIMEOUT_MS = 120_000;

/** Puts local files into a folder of the host, each only when its content differs; returns the names that were sent. */
export async function deploy(session: Session, files: readonly string[], folder: string): Promise<readonly string[]> {
  const wanted = files.map((path) => ({
    path,
    remote: `${folder}/${basename(path)}`,
    hash: sha256(readFileSync(path)),
  }));
  const listing = await session.exec(
    `mkdir -p ${quote(folder)} && { sha256sum ${quoteAll(wanted.map(({ remote }) => remote))} 2>/dev/null; true; }`,
  );
  if (listing.exitCode !== 0) {
    throw new PredictError(
      `${session.host}: the work folder ${folder} cannot be used (${lastLines(listing.stderr, 1)}): set work.folder in the inventory to one that the ssh user can write.`,
      { kind: 'infrastructure', host: session.host },
    );
  }
  const missing = wanted.filter(({ remote, hash }) => !listing.stdout.includes(`${hash}  ${remote}`));
  if (missing.length === 0) return [];
  const sftp = await session.sftp();
  for (const { path, remote } of missing) {
    // Renamed into place: a program that is running keeps its old file.
    const fresh = `${remote}.new-${randomUUID()}`;
    await step((done) => sftp.fastPut(path, fresh, { mode: 0o755 }, done), session, remote);
    await step((done) => sftp.ext_openssh_rename(fresh, remote, done), session, remote);
  }
  return missing.map(({ remote }) => basename(remote));
}

/** The content of a file on the host; null when there is none. */
export async function fetchFile(session: Session, path: string): Promise<Buffer | null> {
  const sftp: SFTPWrapper = await session.sftp();
  let content: Buffer | null = null;
  await step(
    (done) =>
      sftp.readFile(path, (error, data) => {
        const missing = (error as { code?: number | string } | undefined)?.code === NO_SUCH_FILE;
        if (!error) content = data;
        done(missing ? undefined : error);
      }),
    session,
    path,
  );
  return content;
}

function step(run: (done: (error?: Error | null) => void) => void, session: Session, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      session.close();
      reject(failed(session, path, `nothing came of it within ${STEP_TIMEOUT_MS / 1000} s`));
    }, STEP_TIMEOUT_MS);
    run((error) => {
      clearTimeout(timer);
      if (error) reject(failed(session, path, error.message));
      else resolve();
    });
  });
}

function failed(session: Session, path: string, why: string): PredictError {
  return new PredictError(`${session.host}: ${path} could not be transferred: ${why}.`, {
    kind: 'infrastructure',
    host: session.host,
  });
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

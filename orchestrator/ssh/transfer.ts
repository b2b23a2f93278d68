import { randomUUID } from 'node:crypto';
import { infrastructure, type PredictError } from '../../base/index.ts';
import type { Session } from './session.ts';

/** SFTP's status for a file that is not there. */
const NO_SUCH_FILE = 2;
/** Longest time for one file, at a few percent of a slow link. */
const STEP_TIMEOUT_MS = 120_000;

/** Copies a local file over SFTP, renamed into place: a program that is running keeps its old file. */
export async function sendFile(session: Session, path: string, remote: string): Promise<void> {
  const sftp = await session.sftp();
  const fresh = `${remote}.new-${randomUUID()}`;
  await step((done) => sftp.fastPut(path, fresh, { mode: 0o755 }, done), session, remote);
  await step((done) => sftp.ext_openssh_rename(fresh, remote, done), session, remote);
}

/** The content of a file on the host over SFTP; null when there is none. */
export async function fetchFile(session: Session, path: string): Promise<Buffer | null> {
  const sftp = await session.sftp();
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
  return infrastructure(`${session.host}: ${path} could not be transferred: ${why}.`, { host: session.host });
}

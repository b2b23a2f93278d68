import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { messageOf } from '../../base/errors.ts';

/** A FIFO is not waited for, a link is not followed. */
const CAREFUL = constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** In place of a file there is something else. */
class NotAFile extends Error {}

/** Opens a file to read, and nothing but a file: a link, folder, FIFO, socket or device is an error that says what it is. */
export async function openRegular(path: string): Promise<FileHandle> {
  refuseOthers(await lstat(path));
  const file = await open(path, constants.O_RDONLY | CAREFUL);
  try {
    refuseOthers(await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** What is in a file, opened by `openRegular`. */
export async function readRegular(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** `readRegular` without a promise. */
export function readRegularSync(path: string): Buffer {
  refuseOthers(lstatSync(path));
  const file = openSync(path, constants.O_RDONLY | CAREFUL);
  try {
    refuseOthers(fstatSync(file));
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Opens a file to read and to write, which is made where there is none. The caller closes it. */
export function openToWriteSync(path: string, { append = false } = {}): number {
  const flags = constants.O_RDWR | constants.O_CREAT | CAREFUL | (append ? constants.O_APPEND : 0);
  const file = openSync(path, flags, 0o644);
  try {
    refuseOthers(fstatSync(file));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** What an error of these says of a file, to follow its name in a sentence. */
export function readProblem(error: unknown): string {
  if (error instanceof NotAFile) return error.message;
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'is missing';
  return `cannot be read (${messageOf(error)})`;
}

/** What lies at a path, with its article. */
export function kindOf(found: Stats): string {
  if (found.isFile()) return 'a file';
  if (found.isDirectory()) return 'a folder';
  if (found.isSymbolicLink()) return 'a link';
  if (found.isFIFO()) return 'a FIFO';
  return found.isSocket() ? 'a socket' : 'a device';
}

function refuseOthers(found: Stats): void {
  if (!found.isFile()) throw new NotAFile(`is ${kindOf(found)}, not a file`);
}

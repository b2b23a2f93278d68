import { createHash, createHmac, type Hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { accessSync, constants, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder, projectRoot } from '../../base/paths.ts';
import { cachePath, campaignCacheFolder } from './campaign-folders.ts';
import { identityOf, statOrNull } from './identity.ts';
import { folderProblem } from './inspect-cells.ts';
import { openRegular, readRegularSync } from './regular.ts';
import { writeFileWhole } from './whole.ts';

/** Bytes of a cache file; a larger one is neither read nor written. */
const LARGEST = 512 * 2 ** 20;

const KEY_BYTES = 32;
const MAC_DIGITS = 64;
/** Digits of a cell's id, in front of its line. */
const ID_DIGITS = 16;

/** A cache file: what all its lines stand on, and a line of JSON per cell. */
interface CacheFile {
  readonly head: string;
  readonly lines: ReadonlyMap<string, Buffer>;
}

/**
 * What this user's program kept in a campaign under a name; null where there is nothing that it may go by. It begins with its HMAC under
 * a key that only the user has: what strangers put there, or changed in it, was never written, and so were files of another build of
 * this program. No error: whatever is in the way, the campaign itself is read.
 */
export async function readCache(dir: string, name: string): Promise<CacheFile | null> {
  const key = sealKey({ make: false });
  if (key === null) return null;
  const data = await readBounded(cachePath(dir, name));
  if (data === null || data.length <= MAC_DIGITS) return null;
  const body = data.subarray(MAC_DIGITS);
  const given = Buffer.from(data.toString('latin1', 0, MAC_DIGITS), 'hex');
  const wanted = macOf(key, name, [body]);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
  return parse(body);
}

/**
 * Keeps it for the next time, whole or not at all. Where that cannot be done nothing is said, for nothing is lost: a folder that is
 * another user's or read-only, a full disk, no folder for the key.
 */
export async function writeCache(dir: string, name: string, { head, lines }: CacheFile): Promise<void> {
  if (!isOurs(dir)) return;
  const key = sealKey({ make: true });
  if (key === null) return;
  const body: Buffer[] = [Buffer.from(`\n${head}\n`)];
  for (const [id, line] of lines) body.push(Buffer.from(`${id} `), line, NEWLINE);
  if (body.reduce((sum, { length }) => sum + length, MAC_DIGITS) > LARGEST) return;
  const mac = Buffer.from(macOf(key, name, body).toString('hex'));
  const path = cachePath(dir, name);
  try {
    await makeFolder(dir);
    const there = statOrNull(path);
    if (there === null || there.isFile()) await writeFileWhole(path, Buffer.concat([mac, ...body]));
  } catch {
    // The next one reads the campaign.
  }
}

const NEWLINE = Buffer.from('\n');

function macOf(key: Buffer, name: string, parts: readonly Buffer[]): Buffer {
  const mac = createHmac('sha256', key).update(`${programVersion()} ${name}`);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

function parse(body: Buffer): CacheFile {
  const end = body.indexOf(NEWLINE, 1);
  const lines = new Map<string, Buffer>();
  for (let from = end + 1; from < body.length; ) {
    const next = body.indexOf(NEWLINE, from);
    lines.set(body.toString('latin1', from, from + ID_DIGITS), body.subarray(from + ID_DIGITS + 1, next));
    from = next + 1;
  }
  return { head: body.toString('utf8', 1, end), lines };
}

async function readBounded(path: string): Promise<Buffer | null> {
  try {
    const file = await openRegular(path);
    try {
      return (await file.stat()).size > LARGEST ? null : await file.readFile();
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

/** Whether a folder is this user's and can be written to. */
function isOurs(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    return statSync(dir).uid === process.getuid?.();
  } catch {
    return false;
  }
}

/** A campaign's folder for caches, which git leaves out of commits. Errors: what is there is no folder, or none can be made. */
async function makeFolder(dir: string): Promise<void> {
  const folder = campaignCacheFolder(dir);
  if ((await folderProblem(folder)) !== null) throw new Error('no folder');
  if (statOrNull(folder) !== null) return;
  await mkdir(folder);
  await writeFileWhole(join(folder, '.gitignore'), '*\n');
}

/** This user's own key; null where there is none, or none can be kept. */
function sealKey({ make }: { readonly make: boolean }): Buffer | null {
  try {
    const path = join(cacheFolder('keys'), 'campaigns');
    return readKey(path) ?? (make ? makeKey(path) : null);
  } catch {
    return null;
  }
}

function readKey(path: string): Buffer | null {
  if (statOrNull(path) === null) return null;
  const key = readRegularSync(path);
  return key.length === KEY_BYTES ? key : null;
}

/** Of two processes that make one at once the last one's stays: what the other sealed is made again. */
function makeKey(path: string): Buffer | null {
  const partial = `${path}.${process.pid}.partial`;
  writeFileSync(partial, randomBytes(KEY_BYTES), { mode: 0o600 });
  renameSync(partial, path);
  return readKey(path);
}

/** Folders of this program whose code decides what is made of a campaign. */
const ROOMS = ['base', 'throttle', 'inventory', 'experiments', 'modeling', 'analysis', 'report', 'orchestrator'];

let known: string | undefined;

/**
 * A digest of the identities of this program's own files: what another build of it made is not believed, so nobody has to count
 * versions of what is kept. Some 5 ms, once per process.
 */
function programVersion(): string {
  known ??= versionOf(codeFolders());
  return known;
}

function codeFolders(): readonly string[] {
  const own = import.meta.dirname;
  const rooms = ROOMS.map((room) => join(own, '..', '..', room));
  // Bundled into one folder there are no rooms. Models of programs are read from where they lie in the sources.
  return [...(basename(own) === 'store' ? rooms : [own]), join(projectRoot(), 'analysis', 'platform', 'shipped')];
}

function versionOf(folders: readonly string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) addFolder(folder, hash);
  return hash.digest('hex');
}

function addFolder(folder: string, hash: Hash): void {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const is = statOrNull(path);
    if (is?.isDirectory()) addFolder(path, hash);
    else if (is !== null) hash.update(`${path} ${identityOf(is)}\n`);
  }
}

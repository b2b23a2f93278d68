import { createHash, randomUUID } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Failure } from './failure.mjs';
import { oneAtATime } from './one-at-a-time.mjs';
import { runGuarded } from './run-guarded.mjs';
import { readWholeLock } from './whole-lock.mjs';

const INSTALLED = ['package.json', 'package-lock.json', '.npmrc'];
const CONFIGURATION = ['tsconfig.json', 'tsconfig.build.json'];
/** `first-start-ID.tmp`: what is being made, beside `dist` so that source maps find the sources from either. */
const FRESH = /^first-start-.*\.tmp$/;

/**
 * The folder of a build that is as new as the clone's sources: the clone, or a copy below the user's cache where it is read-only.
 * Modules and build are made in a fresh folder and renamed into place, so that a start that is killed leaves nothing half written;
 * `dist/.modules` and `dist/.built` are from before that began, are removed first and come back last.
 */
export async function readyFolder(clone) {
  if (isReady(clone, clone)) return clone;
  const place = isWritable(clone) ? clone : copyFolder(clone);
  if (place !== clone && isReady(place, clone)) return place;
  try {
    mkdirSync(join(place, 'dist'), { recursive: true });
    // Two first starts at once: the second waits and finds everything done.
    await oneAtATime(join(place, 'dist', '.start'), async () => {
      if (isReady(place, clone)) return;
      for (const name of readdirSync(place)) if (FRESH.test(name)) remove(join(place, name));
      if (place !== clone) copy(clone, place);
      if (modulesAreOld(place, clone)) await makeIn(place, install);
      if (buildIsOld(place, clone)) await makeIn(place, compile);
    });
  } catch (error) {
    if (error.syscall === undefined) throw error;
    throw new Failure(
      `predict cannot be made ready in ${place} (${error.message}): make that folder writable with all in it, or give a read-only clone a place of its own with XDG_CACHE_HOME.`,
    );
  }
  return place;
}

function isReady(place, clone) {
  return !modulesAreOld(place, clone) && !buildIsOld(place, clone);
}

function modulesAreOld(place, clone) {
  const installed = timeOf(join(place, 'dist', '.modules'));
  return installed < timeOf(join(clone, 'package-lock.json')) || !existsSync(join(place, 'node_modules'));
}

function buildIsOld(place, clone) {
  const built = timeOf(join(place, 'dist', '.built'));
  const isNewer = (path) => timeOf(path) > built;
  if (built === 0 || CONFIGURATION.some((name) => isNewer(join(clone, name)))) return true;
  return roomsOf(clone).some((room) =>
    readdirSync(join(clone, room), { recursive: true }).some(
      (name) => name.endsWith('.ts') && isNewer(join(clone, room, name)),
    ),
  );
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The folders with sources. */
function roomsOf(clone) {
  return JSON.parse(readFileSync(join(clone, 'tsconfig.build.json'), 'utf8')).include;
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function copyFolder(clone) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'predict', `clone-${createHash('sha256').update(clone).digest('hex').slice(0, 16)}`);
}

function copy(clone, place) {
  console.error(`predict: ${clone} is read-only, so it is made ready in ${place} ...`);
  const rooms = roomsOf(clone);
  for (const room of rooms) rmSync(join(place, room), { recursive: true, force: true });
  for (const name of [...rooms, ...INSTALLED, ...CONFIGURATION, 'LICENSE']) {
    const from = join(clone, name);
    if (existsSync(from)) cpSync(from, join(place, name), { recursive: true, preserveTimestamps: true });
  }
}

async function makeIn(place, make) {
  const fresh = join(place, `first-start-${randomUUID()}.tmp`);
  mkdirSync(join(fresh, 'old'), { recursive: true });
  try {
    await make(place, fresh);
  } finally {
    remove(fresh);
  }
}

async function install(place, fresh) {
  console.error('predict: installing node modules ...');
  readWholeLock(join(place, 'package-lock.json'));
  for (const name of INSTALLED) if (existsSync(join(place, name))) copyFileSync(join(place, name), join(fresh, name));
  const put = putter(place, fresh, '.modules');
  const npm = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runGuarded('npm ci', npm, { cwd: fresh, fresh });
  put([['node_modules', 'node_modules']]);
}

async function compile(place, fresh) {
  console.error('predict: compiling ...');
  const put = putter(place, fresh, '.built');
  const tsc = [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json', '--outDir', fresh];
  await runGuarded('the compiler', [process.execPath, ...tsc], { cwd: place, fresh });
  put(roomsOf(place).map((room) => [room, join('dist', room)]));
}

/** Puts folders into place once they are made. `stamp` is as old as this call: what changes meanwhile is newer. */
function putter(place, fresh, stamp) {
  writeFileSync(join(fresh, stamp), '');
  return (folders) => {
    rmSync(join(place, 'dist', stamp), { force: true });
    for (const [from, to] of folders) {
      if (lstatSync(join(place, to), { throwIfNoEntry: false })) renameSync(join(place, to), join(fresh, 'old', from));
      renameSync(join(fresh, from), join(place, to));
    }
    renameSync(join(fresh, stamp), join(place, 'dist', stamp));
  };
}

/** A folder that nothing reads any more. What a killed start is still giving up is left to the next one. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!['ENOTEMPTY', 'EBUSY'].includes(error.code)) throw error;
  }
}

// Starts predict from a clone: installs node modules and compiles when they are missing or older than the sources. A clone that
// cannot be written is copied below the user's cache. Needs nothing but Node and, for a first start, npm.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOMS = [
  'base',
  'inventory',
  'experiments',
  'orchestrator',
  'throttle',
  'agents',
  'modeling',
  'analysis',
  'report',
];
const OTHERS = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'tsconfig.build.json', 'LICENSE'];
/** For another first start. */
const WAIT_MS = 600_000;

const clone = dirname(fileURLToPath(import.meta.url));
process.setSourceMapsEnabled(true);
const root = prepare();
process.argv[1] = join(root, 'dist', 'orchestrator', 'cli', 'main.js');
await import(pathToFileURL(process.argv[1]).href);

/** The folder of a build that is as new as the clone's sources. */
function prepare() {
  if (!modulesAreOld(clone) && !isOlder(built(clone), clone)) return clone;
  const place = isWritable(clone) ? clone : copyFolder();
  if (place !== clone && !modulesAreOld(place) && !isOlder(built(place), clone)) return place;
  try {
    mkdirSync(join(place, 'dist'), { recursive: true });
    // Two first starts at once: the second waits and finds everything done.
    alone(join(place, 'dist', '.lock'), () => {
      if (place !== clone && isOlder(built(place), clone)) copy(place);
      if (modulesAreOld(place)) install(place);
      if (isOlder(built(place), clone)) compile(place);
    });
  } catch (error) {
    if (error.code === undefined) throw error;
    fail(
      `predict cannot be made ready in ${place} (${error.message}): give the user a folder of his own with XDG_CACHE_HOME.`,
    );
  }
  return place;
}

function copyFolder() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'predict', `clone-${createHash('sha256').update(clone).digest('hex').slice(0, 16)}`);
}

function copy(place) {
  console.error(`predict: ${clone} is read-only, so it is made ready in ${place} ...`);
  for (const name of ROOMS) rmSync(join(place, name), { recursive: true, force: true });
  for (const name of [...ROOMS, ...OTHERS]) {
    const from = join(clone, name);
    if (existsSync(from)) cpSync(from, join(place, name), { recursive: true, preserveTimestamps: true });
  }
}

function install(place) {
  console.error('predict: installing node modules ...');
  refuseUnknown(join(place, 'package-lock.json'));
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], place);
  writeFileSync(join(place, 'dist', '.modules'), '');
}

function compile(place) {
  console.error('predict: compiling ...');
  // What changes while it is compiled is newer than this.
  const [building, done] = [join(place, 'dist', '.building'), join(place, 'dist', '.built')];
  writeFileSync(building, '');
  run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json'], place);
  renameSync(building, done);
}

/** Nothing is installed that the lock file has no checksum of. */
function refuseUnknown(lock) {
  const { packages } = JSON.parse(readFileSync(lock, 'utf8'));
  const libc = process.platform !== 'linux' || process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
  const fits = (list, own) => !list || list.includes(own);
  const unknown = Object.entries(packages).filter(
    ([path, { integrity, os, cpu, libc: libraries }]) =>
      path && !integrity && fits(os, process.platform) && fits(cpu, process.arch) && fits(libraries, libc),
  );
  if (unknown.length === 0) return;
  const names = unknown.map(([path]) => path.replace('node_modules/', '')).join(', ');
  fail(
    `package-lock.json has no checksum of ${names}, which ${process.platform} on ${process.arch} needs: run predict on Linux on x64, or let npm install --package-lock-only add them.`,
  );
}

function run(command, words, cwd) {
  const { status, error } = spawnSync(command, words, { cwd, stdio: ['ignore', 2, 2] });
  if (error) fail(`${command} cannot be run (${error.message}): it is needed for the first start of a clone.`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Holds a folder as a lock, which a start that was killed leaves behind, while `task` runs. */
function alone(lock, task) {
  const until = Date.now() + WAIT_MS;
  while (!takes(lock)) {
    const holder = Number(readOr(join(lock, 'pid'), String(process.pid)));
    if (!isAlive(holder) || Date.now() > until) rmSync(lock, { recursive: true, force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
  try {
    task();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function takes(lock) {
  try {
    mkdirSync(lock);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    // A plain file is no lock of ours.
    if (!statSync(lock, { throwIfNoEntry: false })?.isDirectory()) rmSync(lock, { force: true });
    return false;
  }
  writeFileSync(join(lock, 'pid'), String(process.pid));
  return true;
}

function isAlive(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, 'utf8') || otherwise;
  } catch {
    return otherwise;
  }
}

function modulesAreOld(place) {
  const modules = timeOf(join(place, 'dist', '.modules'));
  return (
    modules === 0 || timeOf(join(clone, 'package-lock.json')) > modules || !existsSync(join(place, 'node_modules'))
  );
}

function built(place) {
  return timeOf(join(place, 'dist', '.built'));
}

/** Whether a build of that time is older than a source of the clone. */
function isOlder(time, place) {
  const isNewer = (path) => timeOf(path) > time;
  if (time === 0 || isNewer(join(place, 'tsconfig.json')) || isNewer(join(place, 'tsconfig.build.json'))) return true;
  return ROOMS.some((room) =>
    readdirSync(join(place, room), { recursive: true }).some(
      (name) => name.endsWith('.ts') && isNewer(join(place, room, name)),
    ),
  );
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function fail(message) {
  console.error(`predict: ${message}`);
  process.exit(3);
}

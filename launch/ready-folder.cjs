const { createHash, randomUUID } = require('node:crypto');
const {
  accessSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} = require('node:fs');
const { homedir } = require('node:os');
const { basename, dirname, join } = require('node:path');
const { Failure } = require('./failure.cjs');
const { hasBuild, hasModules, isReady } = require('./is-ready.cjs');
const { oneAtATime } = require('./one-at-a-time.cjs');
const { runGuarded } = require('./run-guarded.cjs');
const { readWholeLock } = require('./whole-lock.cjs');

const INSTALLED = ['package.json', 'package-lock.json', '.npmrc'];
/** What is being made; `remove` takes it away. */
const FRESH = /^first-start-.*\.tmp$/;
/** The command. `dist/program` is a link to the build of it that runs; a build of other sources has a name of its own. */
const PROGRAM = { name: 'program', sources: [] };
/** A program that runs reads more of its build as it needs it: for so long after another build took its place. */
const KEPT_MS = 86_400_000;

/**
 * The folder of a build that is as new as the clone's sources: the clone, or a copy below the user's cache where it is read-only.
 * Modules and build are made in a fresh folder and renamed into place, so that a start that is killed leaves nothing half written.
 */
async function readyFolder(clone, build = PROGRAM) {
  const { name } = build;
  if (isReady(clone, clone, name)) return clone;
  const place = isWritable(clone) ? clone : copyFolder(clone);
  if (place !== clone && isReady(place, clone, name)) return place;
  try {
    mkdirSync(join(place, 'dist'), { recursive: true });
    // Two first starts at once: the second waits and finds everything done.
    await oneAtATime(join(place, 'dist', '.start'), async () => {
      removeOld(join(place, 'dist'), name);
      if (isReady(place, clone, name)) return;
      if (place !== clone) copy(clone, place, build);
      if (!hasModules(place, clone)) await makeIn(place, install);
      if (!hasBuild(place, clone, name)) await makeIn(place, (_, fresh) => compile(place, fresh, build));
    });
  } catch (error) {
    if (error.syscall === undefined) throw error;
    throw new Failure(
      `predict cannot be made ready in ${place} (${error.message}): make that folder writable with all in it, or give a read-only clone a place of its own with XDG_CACHE_HOME.`,
    );
  }
  return place;
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

/** What starts that were killed left, and builds that nothing reads any more. */
function removeOld(dist, build) {
  const [program, since] = [join(dist, build), Date.now() - KEPT_MS];
  const current = existsSync(program) ? basename(realpathSync(program)) : '';
  for (const name of readdirSync(dist)) {
    const path = join(dist, name);
    const isReplaced = name.startsWith(`${build}-`) && name !== current && statSync(path).mtimeMs < since;
    if (isReplaced || FRESH.test(name)) remove(path);
  }
}

function copy(clone, place, { sources }) {
  console.error(`predict: ${clone} is read-only, so it is made ready in ${place} ...`);
  const { include } = JSON.parse(readFileSync(join(clone, 'tsconfig.json'), 'utf8'));
  const known = ['launch', ...include.filter((name) => name !== 'test'), ...sources.map(dirname)];
  const rooms = known.filter((name) => existsSync(join(clone, name)));
  for (const room of rooms) rmSync(join(place, room), { recursive: true, force: true });
  for (const name of [...rooms, ...INSTALLED, 'LICENSE']) {
    const from = join(clone, name);
    if (existsSync(from)) cpSync(from, join(place, name), { recursive: true, preserveTimestamps: true });
  }
}

async function makeIn(place, make) {
  const fresh = join(place, 'dist', `first-start-${randomUUID()}.tmp`);
  mkdirSync(fresh);
  try {
    await make(place, fresh);
  } finally {
    remove(fresh);
  }
}

async function install(place, fresh) {
  console.error('predict: installing node modules, which takes a minute ...');
  readWholeLock(join(place, 'package-lock.json'));
  for (const name of INSTALLED) if (existsSync(join(place, name))) copyFileSync(join(place, name), join(fresh, name));
  const npm = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runGuarded('npm ci', npm, { cwd: fresh, fresh });
  const [modules, stamp] = [join(place, 'node_modules'), join(place, 'dist', '.modules')];
  // Without its stamp what stands there counts for nothing.
  rmSync(stamp, { force: true });
  if (lstatSync(modules, { throwIfNoEntry: false })) renameSync(modules, join(fresh, 'old'));
  renameSync(join(fresh, 'node_modules'), modules);
  renameSync(join(fresh, 'package-lock.json'), stamp);
}

async function compile(place, fresh, build) {
  console.error('predict: compiling, which takes some 10 seconds ...');
  const words = [join(place, 'launch', 'bundle.mjs'), place, fresh, ...build.sources];
  await runGuarded('the compiler', [process.execPath, ...words], { cwd: place, fresh });
  const [dist, name] = [join(place, 'dist'), `${build.name}-${randomUUID()}`];
  const program = join(dist, build.name);
  const now = new Date();
  if (existsSync(program)) utimesSync(program, now, now);
  // A folder, and no link, is what packing leaves (packaging/).
  if (lstatSync(program, { throwIfNoEntry: false })?.isDirectory()) {
    renameSync(program, join(dist, `${build.name}-${randomUUID()}`));
  }
  renameSync(fresh, join(dist, name));
  symlinkSync(name, fresh);
  renameSync(fresh, program);
}

/** A folder that nothing reads any more. What a killed start is still giving up is left to the next one. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (!['ENOTEMPTY', 'EBUSY'].includes(error.code)) throw error;
  }
}

module.exports = { readyFolder };

// A lock that names its holder: a symbolic link to the number of a process, made and read in one step each.
const { readlinkSync, renameSync, rmSync, symlinkSync } = require('node:fs');
const { setTimeout: delay } = require('node:timers/promises');
const { Failure } = require('./failure.cjs');

/** Between two looks at a lock that another process holds, and for how long it is waited for. */
const LOOK_MS = 100;
const WAIT_MS = 600_000;

/** Runs `task` while no other process of this machine holds the lock at `path`; one whose holder was killed counts for nothing. */
async function oneAtATime(path, task) {
  const until = performance.now() + WAIT_MS;
  let isSaid = false;
  while (!takes(path)) {
    const holder = holderOf(path);
    if (holder === null) continue;
    if (!isAlive(holder)) {
      removeOf(path, holder);
      continue;
    }
    if (performance.now() > until) {
      throw new Failure(
        `process ${holder} has held ${path} for ${WAIT_MS / 60_000} minutes: end it, or remove that file if it is no start of predict.`,
      );
    }
    if (!isSaid) console.error(`predict: waiting for another first start (process ${holder}) ...`);
    isSaid = true;
    await delay(LOOK_MS);
  }
  try {
    await task();
  } finally {
    rmSync(path, { force: true });
  }
}

function takes(path) {
  try {
    symlinkSync(String(process.pid), path);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/** Null where there is none any more. */
function holderOf(path) {
  try {
    return Number(readlinkSync(path));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Takes away the lock of a process that is gone, unless another one has taken it since. */
function removeOf(path, holder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (holderOf(aside) === holder) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

function isAlive(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

module.exports = { oneAtATime };

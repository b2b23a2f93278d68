// Asked at every start, so it reads little: two lock files, and the times of the sources.
const { existsSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');

/** Whether `place` has modules and a build that are those of the clone's sources; `build` is its folder in `dist`. */
function isReady(place, clone, build = 'program') {
  return hasModules(place, clone) && hasBuild(place, clone, build);
}

/** `dist/.modules` is the lock file that the modules were installed from. */
function hasModules(place, clone) {
  const installed = textOf(join(place, 'dist', '.modules'));
  return installed === textOf(join(clone, 'package-lock.json')) && existsSync(join(place, 'node_modules'));
}

/** A build knows every file that it was made from (bundle.mjs): others may come and change as they like. */
function hasBuild(place, clone, build) {
  const inputs = textOf(join(place, 'dist', build, 'inputs.json'));
  if (inputs === null) return false;
  return JSON.parse(inputs).every(([name, ...was]) => {
    const is = identityOf(`${clone}/${name}`);
    return is !== null && is[0] === was[0] && is[1] === was[1];
  });
}

/** Size and time of a file; whole milliseconds, as copies have no finer ones. Null where there is none. */
function identityOf(path) {
  const is = statSync(path, { throwIfNoEntry: false });
  return is === undefined ? null : [is.size, Math.round(is.mtimeMs)];
}

function textOf(path) {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return null;
  }
}

module.exports = { isReady, hasModules, hasBuild, identityOf };

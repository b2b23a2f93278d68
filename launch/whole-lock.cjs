// https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json: npm verifies what has `integrity`, and nothing else.
const { readFileSync } = require('node:fs');
const { Failure } = require('./failure.cjs');

/** Reads a lock file of npm; one that lacks the checksum of a package, for whatever machine, is rejected. */
function readWholeLock(path) {
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const unknown = Object.entries(lock.packages).filter(([place, { integrity }]) => place !== '' && !integrity);
  if (unknown.length === 0) return lock;
  const names = unknown.map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`);
  throw new Failure(
    `${path} has no checksum of ${names.join(', ')}: choose a version that the registry has, then let 'npm install --package-lock-only' add it.`,
  );
}

module.exports = { readWholeLock };

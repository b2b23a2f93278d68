// Starts predict from a clone, which is made ready first where its build is missing or older than its sources (launch/).
// Needs nothing but Node and, for a first start, npm. In a syntax that old versions of Node read too: they say what is needed.
if (parseInt(process.versions.node, 10) < 20) {
  console.error(`predict needs Node.js 20 or newer on the PATH (found: ${process.version}).`);
  process.exit(3);
}

const { join } = require('node:path');
// Reading source maps takes time: only who asks where an error occurred waits for it.
if (process.argv.includes('--verbose')) process.setSourceMapsEnabled(true);

if (require('./launch/is-ready.cjs').isReady(__dirname, __dirname)) start(__dirname);
else require('./launch/ready-folder.cjs').readyFolder(__dirname).then(start, stop);

function start(root) {
  require(join(root, 'dist', 'program', 'main.cjs'));
}

function stop(error) {
  // What says how it ends is meant for people; anything else is a fault of this program.
  if (error.exitCode === undefined) throw error;
  console.error(`predict: ${error.message}`);
  process.exitCode = error.exitCode;
}

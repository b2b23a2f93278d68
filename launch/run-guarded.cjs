// A program that does not outlive who asked for it, however that ends: between the two stands this same file, started as a
// program, in a session of its own. Its input ends with the asker; then it kills the program with all that it started.
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { rmSync } = require('node:fs');
const { Failure } = require('./failure.cjs');

/**
 * Runs a program, which an error calls `name`, to its end, with its output on stderr. `fresh` is the folder that it fills, removed
 * where it is killed.
 */
async function runGuarded(name, [command, ...words], { cwd, fresh }) {
  const guard = spawn(process.execPath, [__filename, fresh, command, ...words], {
    cwd,
    stdio: ['pipe', 2, 2],
    detached: true,
  });
  guard.stdin.on('error', () => undefined);
  const [code] = await once(guard, 'close');
  if (code === 0) return;
  throw new Failure(`${name} failed, as it says above; the same command tries again.`);
}

function guard([fresh, command, ...words]) {
  const child = spawn(command, words, { stdio: ['ignore', 2, 2], detached: true });
  child.on('error', (error) => {
    console.error(`predict: ${command} cannot be run (${error.message}).`);
    process.exit(1);
  });
  child.on('exit', (code) => process.exit(code ?? 1));
  const ended = new AbortController();
  ended.signal.addEventListener('abort', () => {
    child.removeAllListeners('exit').on('exit', () => {
      rmSync(fresh, { recursive: true, force: true, maxRetries: 5 });
      process.exit(1);
    });
    // A group of its own: npm starts programs too.
    process.kill(-child.pid, 'SIGKILL');
  });
  process.stdin.on('close', () => ended.abort()).resume();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => ended.abort());
}

if (require.main === module) guard(process.argv.slice(2));

module.exports = { runGuarded };

// Before `npm pack`: everything that the package holds and the repository does not.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readyFolder } from '../launch/ready-folder.cjs';
import { runGuarded } from '../launch/run-guarded.cjs';
import { readWholeLock } from '../launch/whole-lock.cjs';

try {
  await prepack();
} catch (error) {
  // What says how it ends is meant for people; anything else is a fault of this program.
  if (error.exitCode === undefined) throw error;
  console.error(`predict: ${error.message}`);
  process.exitCode = error.exitCode;
}

async function prepack() {
  const lock = readWholeLock('package-lock.json');
  await readyFolder(process.cwd());
  // npm leaves links out.
  await bundle('dist/program');
  chmodSync('dist/program/main.cjs', 0o755);

  const parts = ['agents/index.ts', 'orchestrator/cli/man-page.ts', 'orchestrator/cli/register/register-all.ts'];
  try {
    await bundle('dist/packing', parts);
    await fillWith(createRequire(join(process.cwd(), 'dist/packing/')));
  } finally {
    rmSync('dist/packing', { recursive: true, force: true });
  }

  // A tarball has no package-lock.json; what only development needs stays out.
  const { devDependencies: _, ...top } = lock.packages[''];
  const kept = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
  const packages = { '': top, ...Object.fromEntries(kept) };
  writeFileSync('npm-shrinkwrap.json', `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
}

/** Host programs and man page, made by parts of the program. */
async function fillWith(part) {
  const { agentFor, buildProgram, MACHINES } = part('./index.cjs');
  for (const machine of MACHINES) process.stderr.write(`${await agentFor(machine)}\n`);
  await buildProgram('run-harness');

  const { manPage } = part('./man-page.cjs');
  const { registerAll } = part('./register-all.cjs');
  mkdirSync('dist/man', { recursive: true });
  writeFileSync('dist/man/predict.1', manPage(registerAll(), readFileSync('docs/commands.md', 'utf8')));
}

function bundle(folder, sources = []) {
  rmSync(folder, { recursive: true, force: true });
  const command = [process.execPath, 'launch/bundle.mjs', '.', folder, ...sources];
  return runGuarded('the compiler', command, { cwd: process.cwd(), fresh: folder });
}

// Before `npm pack`: everything that the package holds and the repository does not.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readyFolder } from '../launch/ready-folder.cjs';
import { runGuarded } from '../launch/run-guarded.cjs';
import { readWholeLock } from '../launch/whole-lock.cjs';
import { restorePackage, SAVED } from './restore-package.mjs';

try {
  await prepack();
} catch (error) {
  // What says how it ends is meant for people; anything else is a fault of this program.
  if (error.exitCode === undefined) throw error;
  console.error(`predict: ${error.message}`);
  process.exitCode = error.exitCode;
}

async function prepack() {
  // What a killed one left.
  restorePackage();
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

  // A tarball has no package-lock.json; what only development needs stays out, and what one command needs (Cypher).
  const { devDependencies: _, optionalDependencies: __, ...top } = lock.packages[''];
  const kept = Object.entries(lock.packages).filter(
    ([path, { dev }]) => path !== '' && !dev && !path.includes('@ladybugdb/'),
  );
  const packages = { '': top, ...Object.fromEntries(kept) };
  writeFileSync('npm-shrinkwrap.json', `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
  const own = readFileSync('package.json', 'utf8');
  writeFileSync(SAVED, own);
  const { devDependencies: ___, optionalDependencies: ____, ...packed } = JSON.parse(own);
  writeFileSync('package.json', `${JSON.stringify(packed, null, 2)}\n`);
}

/** Host programs and man page, made by parts of the program. */
async function fillWith(part) {
  const { agentFor, buildProgram, findMachine, MACHINES } = part('./index.cjs');
  for (const machine of MACHINES) {
    try {
      process.stderr.write(`${await agentFor(machine)}\n`);
    } catch (error) {
      // This machine's own agent must be there; hosts of another kind compile theirs.
      if (findMachine(process.arch) === machine || error.kind !== 'infrastructure') throw error;
      process.stderr.write(
        `predict: no agent for ${machine} is packed, so such hosts need a C compiler. ${error.message}\n`,
      );
    }
  }
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

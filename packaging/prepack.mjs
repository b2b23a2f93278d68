// Before `npm pack`: everything that the package holds and the repository does not.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readyFolder } from '../launch/ready-folder.mjs';
import { readWholeLock } from '../launch/whole-lock.mjs';

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
  // All is compiled anew: what was compiled from sources that are gone stays out of the package.
  rmSync('dist/.built', { force: true });
  await readyFolder(process.cwd());
  chmodSync('dist/orchestrator/cli/main.js', 0o755);

  const { agentFor, buildProgram, MACHINES } = await import('../dist/agents/index.js');
  for (const machine of MACHINES) process.stderr.write(`${await agentFor(machine)}\n`);
  await buildProgram('run-harness');

  const { manPage } = await import('../dist/orchestrator/cli/man-page.js');
  const { registerAll } = await import('../dist/orchestrator/cli/register/all.js');
  mkdirSync('dist/man', { recursive: true });
  writeFileSync('dist/man/predict.1', manPage(registerAll(), readFileSync('docs/commands.md', 'utf8')));

  // A tarball has no package-lock.json; what only development needs stays out.
  const { devDependencies: _, ...top } = lock.packages[''];
  const kept = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
  const packages = { '': top, ...Object.fromEntries(kept) };
  writeFileSync('npm-shrinkwrap.json', `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
}

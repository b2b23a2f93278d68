// Before `npm pack`: everything that the package holds and the repository does not.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const ROOMS = JSON.parse(readFileSync('tsconfig.build.json', 'utf8')).include;

// What was compiled from sources that are gone stays out of the package; until all is compiled again, a clone knows that it is not.
rmSync('dist/.built', { force: true });
for (const room of ROOMS) rmSync(`dist/${room}`, { recursive: true, force: true });
const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'];
if (spawnSync(process.execPath, tsc, { stdio: ['ignore', 2, 2] }).status !== 0) process.exit(1);
chmodSync('dist/orchestrator/cli/main.js', 0o755);

const { agentFor, buildProgram, MACHINES } = await import('../dist/agents/index.js');
for (const machine of MACHINES) process.stderr.write(`${await agentFor(machine)}\n`);
await buildProgram('run-harness');

const { manPage } = await import('../dist/orchestrator/cli/man-page.js');
const { registerAll } = await import('../dist/orchestrator/cli/register/all.js');
mkdirSync('dist/man', { recursive: true });
writeFileSync('dist/man/predict.1', manPage(registerAll(), readFileSync('docs/commands.md', 'utf8')));

// A tarball has no package-lock.json; what only development needs stays out.
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { devDependencies: _, ...top } = lock.packages[''];
const kept = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev);
const packages = { '': top, ...Object.fromEntries(kept) };
writeFileSync('npm-shrinkwrap.json', `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);

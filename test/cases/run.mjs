// node test/cases/run.mjs grade10|critical-path|dag|profiles CASE: what the program says of a comparison case, as JSON (README.md).
// Compiled as the program is, into dist/cases, where it is missing or older than its sources.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readyFolder } from '../../launch/ready-folder.cjs';

const clone = resolve(fileURLToPath(new URL('../..', import.meta.url)));
try {
  const place = await readyFolder(clone, { name: 'cases', sources: ['test/cases/print-case.ts'] });
  // Whoever reads the output may have seen enough (`| head`).
  process.stdout.on('error', (error) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const { printCase } = createRequire(import.meta.url)(join(place, 'dist', 'cases', 'print-case.cjs'));
  process.exitCode = await printCase(process.argv.slice(2));
} catch (error) {
  // What says how it ends is meant for people; anything else is a fault of this program.
  if (error.exitCode === undefined) throw error;
  console.error(`predict: ${error.message}`);
  process.exitCode = error.exitCode;
}

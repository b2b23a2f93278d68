// Starts predict from a clone: installs node modules and compiles when they are missing or older than the sources (launch/).
// Needs nothing but Node and, for a first start, npm.
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Failure } from './launch/failure.mjs';
import { readyFolder } from './launch/ready-folder.mjs';

process.setSourceMapsEnabled(true);
const root = await readyFolder(dirname(fileURLToPath(import.meta.url))).catch((error) => {
  if (!(error instanceof Failure)) throw error;
  console.error(`predict: ${error.message}`);
  process.exit(error.exitCode);
});
process.argv[1] = join(root, 'dist', 'orchestrator', 'cli', 'main.js');
await import(pathToFileURL(process.argv[1]).href);

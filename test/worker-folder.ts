import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Each worker has a temporary folder of its own in that of all tests. Two mpiruns of Open MPI that share one fail now and then: the one
 * that ends removes the folder that the other has just found.
 */
const { TMPDIR = '', VITEST_POOL_ID = '' } = process.env;
// A worker that runs its second file is in its folder already.
if (basename(TMPDIR) !== VITEST_POOL_ID) {
  process.env.TMPDIR = join(TMPDIR, VITEST_POOL_ID);
  mkdirSync(process.env.TMPDIR, { recursive: true });
}

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One temporary folder for all tests, gone afterwards. The workers inherit its name. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'predict-tests-'));
  // The users of labs reach programs in it.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of memory that is free, for the folder to be in it: the tests that write most take a part of it. */
const ROOMY = 8 * 2 ** 30;

/** One temporary folder for all tests, gone afterwards. The workers inherit its name. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'predict-tests-'));
  // Campaigns are thousands of small files, each of them made durable and soon gone: a disk takes a third of the time of some tests.
  const inMemory =
    process.getuid?.() === 0 &&
    freemem() > ROOMY &&
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'predict-tests', folder]).status === 0;
  // The users of labs reach programs in it.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    if (inMemory) spawnSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  };
}

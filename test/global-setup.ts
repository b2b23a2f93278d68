import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Of memory that is free, for the folder to be in it: the tests that write most take a part of it. */
const ROOMY = 8 * 2 ** 30;

const NAME = 'predict-t';

/** Memory of a run that was killed. */
function unmountLeftovers(): void {
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [what, folder = ''] = line.split(' ');
    const id = Number(basename(folder).slice(NAME.length).split('-')[0]);
    if (what !== 'predict-tests' || !(id > 0) || existsSync(`/proc/${id}`)) continue;
    if (spawnSync('umount', ['--lazy', folder]).status === 0) rmSync(folder, { recursive: true, force: true });
  }
}

/** One temporary folder for all tests, gone afterwards. The workers inherit its name. */
export default function setup(): () => void {
  unmountLeftovers();
  // The process in its name tells a later run whether it is still in use.
  const folder = mkdtempSync(join(tmpdir(), `${NAME}${process.pid}-`));
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

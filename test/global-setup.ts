import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Packages, provide } from '../orchestrator/setup/set-up.ts';

/** What tests use beside what `predict setup` installs: other shells, compilers and MPIs, what reads and writes OTF2, and a JDK. */
const FOR_TESTS: Packages = {
  busybox: '/bin/busybox',
  fish: '/usr/bin/fish',
  zsh: '/usr/bin/zsh',
  // Installed, it does not become process 1 of this machine.
  systemd: '/usr/bin/systemd-run',
  mpich: '/usr/bin/mpiexec.mpich',
  'libmpich-dev': '/usr/bin/mpicc.mpich',
  gfortran: '/usr/bin/gfortran',
  'otf2-tools': '/usr/bin/otf2-print',
  'python3-otf2': '/usr/lib/python3/dist-packages/otf2/__init__.py',
  // It needs that, and does not say so.
  'python3-six': '/usr/lib/python3/dist-packages/six.py',
  'openjdk-17-jdk-headless': '/usr/bin/javac',
};

/** One temporary folder for all tests, gone afterwards. The workers inherit its name. */
export default async function setup(): Promise<() => void> {
  // Others are told which tests were skipped for what they lack.
  if (process.getuid?.() === 0) await provide(FOR_TESTS, console.error);
  const folder = mkdtempSync(join(tmpdir(), 'predict-tests-'));
  // The users of labs reach programs in it.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

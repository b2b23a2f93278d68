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

let provided: Promise<unknown> | undefined;

/** Installs them where they are missing, once for all projects; without root, others are told which tests were skipped for what they lack. */
export default async function setup(): Promise<void> {
  if (process.getuid?.() !== 0) return;
  provided ??= provide(FOR_TESTS, console.error);
  await provided;
}

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/build.ts';
import { infrastructure } from '../../base/errors.ts';
import { sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';

/** Debian packages, each with a file that tells that it, or its like, is there. */
export type Packages = Readonly<Record<string, string>>;

/** What a lab is made with. */
const PACKAGES: Packages = {
  gcc: '/usr/bin/gcc',
  make: '/usr/bin/make',
  'libc6-dev': '/usr/include/stdlib.h',
  'openmpi-bin': '/usr/bin/mpirun',
  'libopenmpi-dev': '/usr/bin/mpicc',
  'openssh-server': '/usr/sbin/sshd',
  'openssh-client': '/usr/bin/ssh',
  iproute2: '/usr/sbin/tc',
  sudo: '/usr/bin/sudo',
};

/** A queue that controllers may share, without which one controller keeps its own; what `sweep --profile` records with. */
const BESIDE: Packages = {
  'redis-server': '/usr/bin/redis-server',
  'linux-perf': '/usr/bin/perf',
};

/** Makes a lab possible here: installs only what is absent, saying so first, and compiles the host programs. */
export async function setUp(say: (text: string) => void, { everything = false } = {}) {
  const installed = await provide({ ...PACKAGES, ...(everything ? BESIDE : {}) }, say);
  return { installed, programs: await buildHostPrograms(say) };
}

/** Installs those of some packages that are absent, saying so first: their names. Errors: `infrastructure` where it cannot. */
export async function provide(wanted: Packages, say: (text: string) => void): Promise<readonly string[]> {
  const missing = Object.keys(wanted).filter((name) => !existsSync(wanted[name] ?? ''));
  if (missing.length > 0) await install(missing, say);
  return missing;
}

async function install(packages: readonly string[], say: (text: string) => void): Promise<void> {
  const command = `apt-get install --no-install-recommends ${packages.join(' ')}`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw infrastructure(
      `This machine lacks ${packages.join(', ')}: have an administrator install them (on Debian '${command}').`,
    );
  }
  say(`predict: installing Debian packages, which takes a minute or two: ${packages.join(' ')}`);
  await withoutServices(async () => {
    await apt(['update', '-qq']);
    await apt(['install', '-y', '-qq', '--no-install-recommends', ...packages]);
  });
}

async function apt(args: readonly string[]): Promise<void> {
  // Another package manager at work is waited for.
  const result = await execa('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: { DEBIAN_FRONTEND: 'noninteractive' },
    stdin: 'ignore',
    reject: false,
    all: true,
  });
  if (result.failed) {
    throw infrastructure(`'apt-get ${args.join(' ')}' failed: ${lastLines(result.all, 2)}`);
  }
}

const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Debian's policy-rc.d: no package starts its services (101) while process `pid` runs. One that is left behind by a killed
 * process forbids nothing and removes itself at its next use.
 */
export function policyText(pid: number): string {
  return `${POLICY_SCRIPT}# ${pid}\n`;
}

/** Its last line names the process. */
const POLICY_SCRIPT = sh`#!/bin/sh
# Written by 'predict setup' while it installs packages.
[ ! -d "/proc/$(sed -n '$s/^# //p' "$0")" ] || exit 101
rm -f -- "$0"
`;

/** The packages' servers are started by predict where it needs them; installing them must not start any. */
async function withoutServices(task: () => Promise<void>): Promise<void> {
  const own = !existsSync(POLICY);
  if (own) writeFileSync(POLICY, policyText(process.pid), { mode: 0o755, flag: 'wx' });
  try {
    await task();
  } finally {
    if (own) rmSync(POLICY, { force: true });
  }
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';
import type { Ended } from './emulated-host.ts';

/** The agent as such a host sees it. */
export const AGENT = '/programs/predict-agent';

/** Why no systemd can be started here; null where one can. */
export function lacksSystemd(): string | null {
  if (process.getuid?.() !== 0) return 'it needs root';
  for (const path of ['/usr/lib/systemd/systemd', '/usr/bin/systemd-run']) {
    if (!existsSync(path)) return `${path} is not installed: run 'predict setup'`;
  }
  return ownGroup() === null ? 'it needs the control groups of version 2, writable' : null;
}

/** The folder of this process's own control group of version 2; null where there is none. */
function ownGroup(): string | null {
  const mount = spawnSync('findmnt', ['-rn', '-t', 'cgroup2', '-O', 'rw', '-o', 'TARGET'], { encoding: 'utf8' });
  const point = mount.stdout.split('\n')[0] ?? '';
  const path = /^0::(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  if (point === '' || path === undefined) return null;
  const folder = join(point, path);
  return existsSync(folder) ? folder : null;
}

export interface SystemdHost {
  /** Runs a shell script there, which may use `until_true`. */
  readonly sh: (script: string) => Promise<Ended>;
}

/** A host on which systemd is process 1, with nothing to do; gone after the test file, however that ends. */
export function useSystemdHost(): SystemdHost {
  let holder: ChildProcess | undefined;
  let first = '';
  const inside = async (script: string): Promise<Ended> => {
    const prologue =
      'until_true() { for i in $(seq 1000); do "$@" && return 0; sleep 0.02; done; echo "never: $*" >&2; return 1; }';
    const words = ['--target', first, '--all', '--', 'sh', '-uc', `${prologue}\n${script}`];
    const { exitCode, stdout, stderr } = await execa('nsenter', words, { reject: false, timeout: 300_000 });
    return { exitCode, stdout, stderr };
  };
  beforeAll(async () => {
    const { agent } = await buildHostPrograms();
    const group = join(ownGroup() ?? '', `predict-systemd-${process.pid}`);
    const script = join(projectRoot(), 'test', 'agents', 'systemd-root.sh');
    // The guard ends it when this process is gone.
    holder = spawn(agent, ['guard', '--', 'sh', script, group, dirname(agent)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [said] = holder.stdout ? await once(holder.stdout, 'data') : [''];
    const [, unshare = ''] = /^started (\d+)$/m.exec(String(said)) ?? [];
    for (const end = Date.now() + 20_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      const children = `/proc/${unshare}/task/${unshare}/children`;
      first = existsSync(children) ? readFileSync(children, 'utf8').trim() : '';
      if (first !== '' && (await inside('test -S /run/systemd/private')).exitCode === 0) return;
      if (Date.now() > end || holder.exitCode !== null) throw new Error(`systemd did not start: ${said}`);
    }
  });
  afterAll(async () => {
    if (!holder || holder.exitCode !== null) return;
    holder.stdin?.end();
    await once(holder, 'exit');
  });
  return { sh: inside };
}

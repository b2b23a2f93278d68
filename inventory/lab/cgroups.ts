import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { infrastructure } from '../../base/errors.ts';

/**
 * The control groups of a lab: one folder `predict-<name>` per controller mount with a child per host and one for the
 * switch. Every process of a lab lives in it from its first moment, so that the group is the list of what to end.
 */
export interface LabCgroups {
  readonly version: 'v1' | 'v2' | 'none';
  /**
   * The lab's folders that processes are put into: cpu (the first) and cpuacct (v1, one folder if mounted together), or one (v2); and, on
   * v1, where the agent makes the groups of runs: a hybrid mount of version 2, else the freezer.
   */
  readonly roots: readonly string[];
  /** Those that count what a host uses. */
  readonly counted: readonly string[];
}

/** A lab without root has none. */
export const NO_CGROUPS: LabCgroups = { version: 'none', roots: [], counted: [] };

/** Shortest quota that the kernel takes is 1 ms; 20 ms periods keep waiting short (facts of the emulation). */
const PERIOD_US = 20_000;
const LEAST_QUOTA_US = 1_000;
/** Ranks keep to their share by themselves, in smaller pieces (agents/idle/govern.c): the quota bounds what nobody measures. */
const HEADROOM = 8;
/** Against the machine's other work: what a lab may use is bounded by its quotas, and late ranks are no small computers. */
const WEIGHT = 10;

export function labCgroups(name: string, mounts: string = readFileSync('/proc/self/mounts', 'utf8')): LabCgroups {
  const rows = mounts.split('\n').map((line) => line.split(' '));
  const v1 = (controller: string): string | undefined =>
    rows.find(([, , type, options]) => type === 'cgroup' && options?.split(',').includes(controller))?.[1];
  const [cpu, account] = [v1('cpu'), v1('cpuacct')];
  const hybrid = rows.find(([, , type]) => type === 'cgroup2')?.[1];
  if (cpu && account) {
    const counted = [...new Set([cpu, account])].map((mount) => join(mount, `predict-${name}`));
    const ofRuns = hybrid ?? v1('freezer');
    return { version: 'v1', counted, roots: [...counted, ...(ofRuns ? [join(ofRuns, `predict-${name}`)] : [])] };
  }
  if (hybrid) {
    const roots = [join(hybrid, `predict-${name}`)];
    return { version: 'v2', roots, counted: roots };
  }
  throw infrastructure(
    'This machine has no control groups mounted (cgroup v1 cpu and cpuacct, or cgroup2), so lab hosts cannot get their share of the CPU.',
  );
}

/** Makes the lab's groups, each child with its quota (percent of one core; null: none). */
export function createCgroups(
  groups: LabCgroups,
  children: readonly { readonly name: string; readonly cpuPercent: number | null }[],
): void {
  try {
    for (const root of groups.roots) {
      if (groups.version === 'v2') writeFileSync(join(root, '..', 'cgroup.subtree_control'), '+cpu');
      mkdirSync(root);
      if (groups.version === 'v2') writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu');
      if (root === groups.roots[0]) setWeight(groups.version, root);
      for (const { name, cpuPercent } of children) {
        const folder = join(root, name);
        mkdirSync(folder);
        if (cpuPercent !== null && root === groups.roots[0]) setQuota(groups.version, folder, cpuPercent);
      }
    }
  } catch (error) {
    throw infrastructure(
      `The control groups under ${groups.roots.join(' and ')} could not be created (${error instanceof Error ? error.message : error}): run as root on a machine whose /sys/fs/cgroup is writable.`,
      { cause: error },
    );
  }
}

function setWeight(version: LabCgroups['version'], folder: string): void {
  if (version === 'v2') writeFileSync(join(folder, 'cpu.weight'), String(100 * WEIGHT));
  else writeFileSync(join(folder, 'cpu.shares'), String(1024 * WEIGHT));
}

function setQuota(version: LabCgroups['version'], folder: string, sharePercent: number): void {
  const cpuPercent = Math.max(sharePercent, Math.min(100, HEADROOM * sharePercent));
  const period = Math.max(PERIOD_US, Math.ceil((LEAST_QUOTA_US * 100) / cpuPercent));
  const quota = Math.round((period * cpuPercent) / 100);
  if (version === 'v2') {
    writeFileSync(join(folder, 'cpu.max'), `${quota} ${period}`);
  } else {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(period));
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
  }
}

/**
 * All process ids in the lab's groups; empty when there is no such group. Errors: `infrastructure` when a process has no id
 * here, as those of another PID namespace.
 */
export function cgroupProcesses(groups: LabCgroups): readonly number[] {
  const ids = new Set<number>();
  for (const folder of groups.roots.flatMap(foldersBelow)) {
    const listed = unlessGone(() => readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n'));
    for (const id of listed.filter((line) => line !== '').map(Number)) {
      if (!(id > 0)) {
        throw infrastructure(
          `The control group ${folder} has processes of another PID namespace, which cannot be ended from here: run this command where the lab was started.`,
        );
      }
      ids.add(id);
    }
  }
  return [...ids];
}

/** Removes the (empty) groups. */
export function removeCgroups(groups: LabCgroups): void {
  for (const folder of groups.roots.flatMap(foldersBelow)) rmdirSync(folder);
}

/** Children before their parent; nothing when the folder is not there. */
function foldersBelow(root: string): readonly string[] {
  return unlessGone(() => {
    const children = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...children.flatMap((child) => foldersBelow(join(root, child.name))), root];
  });
}

/** What is read of a group; nothing where it is not there, or goes while it is read. */
function unlessGone<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ENODEV'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

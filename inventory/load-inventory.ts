import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { badInput, messageOf } from '../base/errors.ts';
import { explain, type Fault, faulty } from '../base/yaml/parse-yaml.ts';
import { readYaml } from '../base/yaml/read-yaml.ts';
import { type Allocation, allocationOf } from './allocation.ts';
import { expandHosts, MOST_HOSTS } from './expand-hosts.ts';
import {
  type Host,
  hostEntrySchema,
  type Inventory,
  inventoryFileSchema,
  type LauncherName,
  type SchedulerName,
  schedulerSchema,
} from './inventory-schema.ts';

interface LoadInventoryOptions {
  /** What `~` stands for; the user's home folder by default. */
  readonly home?: string;
  /** What the name of its scheduler stands for under `hosts`; by default the allocation that this process runs in. */
  readonly allocation?: Allocation | null;
}

/**
 * Reads and checks an inventory file (docs/cluster.md). Everything that is wrong is listed in one PredictError of kind
 * `badInput`, one line for each as `path:line: sentence`.
 */
export function loadInventory(path: string, options: LoadInventoryOptions = {}): Inventory {
  return parseInventory(readText(path), path, options);
}

/** As `loadInventory`, for text at hand; `path` names it in messages and is what relative paths start from. */
export function parseInventory(text: string, path: string, options: LoadInventoryOptions = {}): Inventory {
  const verbatim = [
    ['mpi', 'env'],
    ['mpi', 'args'],
  ];
  const { value, lineOf } = readYaml(text, { path, verbatim });
  if (value === null || value === undefined) {
    throw badInput(`${path} is empty: an inventory needs cluster, hosts, network and lineRate (docs/cluster.md).`);
  }
  const scheduler = schedulerSchema.safeParse(member(value, 'hosts')).data;
  const { allocation: given } = options;
  const found = scheduler === undefined ? null : given === undefined ? allocationOf(process.env, scheduler) : given;
  const allocation = found?.scheduler === scheduler ? found : null;
  const isAllocated = scheduler !== undefined;
  const entries = isAllocated ? (allocation?.hosts ?? []).map(({ name }) => name) : member(value, 'hosts');
  const root = isAllocated ? { ...value, hosts: allocation ? entries : [scheduler] } : value;
  const checked = inventoryFileSchema.safeParse(root);
  const { hosts, head, accept, problems } = expandEntries({
    ...{ hosts: entries, head: member(value, 'mpi', 'head') },
    accept: checked.success ? checked.data.accept : [],
    isAllocated,
  });
  if (isAllocated && !allocation) problems.push({ at: ['hosts'], sentence: noAllocation(scheduler) });
  const shape = checked.success ? [] : explain(checked.error, { schema: inventoryFileSchema, root });
  const faults: readonly Fault[] = [...shape, ...problems];
  if (faults.length > 0 || !checked.success) throw faulty(faults, { path, lineOf });
  const { ssh, mpi, ...rest } = checked.data;
  const launcher = mpi.launcher ?? (isAllocated ? OWN_LAUNCHER[scheduler] : undefined) ?? 'openmpi';
  return {
    ...{
      ...rest,
      path: resolve(path),
      hosts,
      accept,
      mpi: { ...mpi, launcher, head },
      ssh: absolutePaths(ssh, path, options),
    },
    ...(allocation ? { job: { scheduler: allocation.scheduler, id: allocation.jobId } } : {}),
  };
}

/** What starts ranks where the scheduler does so itself. */
const OWN_LAUNCHER: Readonly<Partial<Record<SchedulerName, LauncherName>>> = { slurm: 'srun', flux: 'flux' };

function noAllocation(scheduler: SchedulerName): string {
  return `hosts is '${scheduler}', but this is not inside an allocation of it: run this in a job, or request one with sweep --${scheduler} (docs/cluster.md).`;
}

function readText(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    switch (code) {
      case 'ENOENT':
      case 'ENOTDIR':
        throw badInput(`There is no inventory file ${path}: check the path, or write one (docs/cluster.md).`, error);
      case 'EISDIR':
        throw badInput(`${path} is a folder: name the inventory file in it.`, error);
      case 'EACCES':
      case 'EPERM':
        throw badInput(`The inventory file ${path} cannot be read: you lack the permission (check ls -l).`, error);
      case 'ERR_ENCODING_INVALID_ENCODED_DATA':
        throw badInput(`The inventory file ${path} is not UTF-8 text: save it as UTF-8.`, error);
      default:
        throw badInput(`The inventory file ${path} cannot be read: ${messageOf(error)}.`, error);
    }
  }
}

function absolutePaths(ssh: Inventory['ssh'], path: string, { home = homedir() }: LoadInventoryOptions) {
  const folder = dirname(resolve(path));
  const absolute = (file: string): string =>
    file === '~' || file.startsWith('~/') ? home + file.slice(1) : resolve(folder, file);
  return {
    ...ssh,
    ...(ssh.key === undefined ? {} : { key: absolute(ssh.key) }),
    ...(ssh.knownHosts === undefined ? {} : { knownHosts: absolute(ssh.knownHosts) }),
    ...(ssh.config === undefined ? {} : { config: ssh.config === 'none' ? 'none' : absolute(ssh.config) }),
  };
}

function member(value: unknown, ...steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (inner, step) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
}

/** The hosts that the file's `hosts`, `mpi.head` and `accept` name, and what is wrong with them. */
interface ExpandedEntries {
  readonly hosts: readonly Host[];
  readonly head: Host | undefined;
  readonly accept: readonly string[];
  readonly problems: Fault[];
}

/** Expands the ranges of entries; entries of the wrong shape are passed over, as zod reports them. */
function expandEntries({
  hosts: list,
  head,
  accept: accepted,
  isAllocated,
}: {
  readonly hosts: unknown;
  readonly head: unknown;
  readonly accept: readonly string[];
  /** The hosts are those of an allocation, which may lack some that are accepted. */
  readonly isAllocated: boolean;
}): ExpandedEntries {
  const problems: Fault[] = [];
  const byName = new Map<string, Host>();
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
    const path = ['hosts', index];
    for (const host of expandEntry(entry, path, problems)) {
      if (byName.has(host.name)) {
        problems.push({ at: path, sentence: `host ${host.name} is named twice: keep it in one entry of hosts.` });
      } else byName.set(host.name, host);
    }
    if (byName.size > MOST_HOSTS) {
      problems.push({ at: path, sentence: `hosts names more than ${MOST_HOSTS} hosts: name fewer.` });
      break;
    }
  }
  const path = ['mpi', 'head'];
  const heads = head === undefined ? [] : expandEntry(head, path, problems);
  const [first] = heads;
  if (heads.length > 1) {
    problems.push({ at: path, sentence: `mpi.head names ${heads.length} hosts: the launcher runs on one, name that.` });
  }
  // A head that is one of the hosts keeps the address given there.
  const known = first?.address === undefined ? byName.get(first?.name ?? '') : undefined;
  const accept = accepted.flatMap((entry) => expandEntry(entry, ['accept'], problems)).map(({ name }) => name);
  const unknown = accept.find((name) => !byName.has(name));
  if (unknown !== undefined && !isAllocated) {
    problems.push({
      at: ['accept'],
      sentence: `accept names ${unknown}, which is not one of the hosts: correct the name.`,
    });
  }
  return { hosts: [...byName.values()], head: known ?? first, accept, problems };
}

function expandEntry(entry: unknown, path: readonly PropertyKey[], problems: Fault[]): readonly Host[] {
  const parsed = hostEntrySchema.safeParse(entry);
  if (!parsed.success) return [];
  try {
    return pair(parsed.data);
  } catch (error) {
    problems.push({ at: path, sentence: messageOf(error) });
    return [];
  }
}

/** Names and addresses are paired one to one: node[01-04] with 10.0.0.[1-4]. */
function pair(entry: z.output<typeof hostEntrySchema>): readonly Host[] {
  const { name, address } = typeof entry === 'string' ? { name: entry, address: undefined } : entry;
  const names = expandHosts(name);
  if (address === undefined) return names.map((each) => ({ name: each, address: undefined }));
  const addresses = expandHosts(address);
  if (addresses.length !== names.length) {
    throw new Error(
      `'${name}' names ${names.length} host${names.length === 1 ? '' : 's'} and '${address}' ` +
        `${addresses.length} address${addresses.length === 1 ? '' : 'es'}: give one address for each name.`,
    );
  }
  return names.map((each, index) => ({ name: each, address: addresses[index] }));
}

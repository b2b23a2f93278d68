import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { badInput, messageOf } from '../base/errors.ts';
import type { Fault } from '../base/yaml/explain-issue.ts';
import { explain, faulty } from '../base/yaml/parse-yaml.ts';
import { readYaml } from '../base/yaml/read-yaml.ts';
import { type Allocation, allocationOf } from './allocation.ts';
import { expandEntries } from './expand-entries.ts';
import { type Inventory, inventoryFileSchema } from './inventory-schema.ts';

interface LoadInventoryOptions {
  /** What `~` stands for; the user's home folder by default. */
  readonly home?: string;
  /** What `hosts: slurm` stands for; by default the allocation that this process runs in. */
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
  const bySlurm = member(value, 'hosts') === 'slurm';
  const { allocation = bySlurm ? allocationOf(process.env) : null } = options;
  const entries = bySlurm ? (allocation?.hosts ?? []).map(({ name }) => name) : member(value, 'hosts');
  const root = bySlurm ? { ...value, hosts: allocation ? entries : ['slurm'] } : value;
  const checked = inventoryFileSchema.safeParse(root);
  const { hosts, head, accept, problems } = expandEntries({
    ...{ hosts: entries, head: member(value, 'mpi', 'head') },
    accept: checked.success ? checked.data.accept : [],
    isAllocated: bySlurm,
  });
  if (bySlurm && !allocation) problems.push({ at: ['hosts'], sentence: NO_ALLOCATION });
  const shape = checked.success ? [] : explain(checked.error, { schema: inventoryFileSchema, root });
  const faults: readonly Fault[] = [...shape, ...problems];
  if (faults.length > 0 || !checked.success) throw faulty(faults, { path, lineOf });
  const { ssh, mpi, ...rest } = checked.data;
  const launcher = mpi.launcher ?? (bySlurm ? 'srun' : 'openmpi');
  return {
    ...{
      ...rest,
      path: resolve(path),
      hosts,
      accept,
      mpi: { ...mpi, launcher, head },
      ssh: absolutePaths(ssh, path, options),
    },
    ...(bySlurm && allocation ? { slurmJob: allocation.jobId } : {}),
  };
}

const NO_ALLOCATION =
  "hosts is 'slurm', but this is not inside an allocation: run it by salloc or sbatch, or ask for one with sweep --slurm '-N 4 -t 1:00:00'.";

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

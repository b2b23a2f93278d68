import { badInput } from '../base/errors.ts';
import { expandHosts } from './expand-hosts.ts';
import type { Host } from './inventory-schema.ts';

/** Hosts that SLURM has given to one job. */
export interface Allocation {
  readonly jobId: string;
  /** In SLURM's order. */
  readonly hosts: readonly Host[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The allocation that this process runs in, by SLURM_JOB_ID and SLURM_JOB_NODELIST (salloc(1), OUTPUT ENVIRONMENT VARIABLES);
 * null outside of one. Errors: `badInput` for values that are none.
 */
export function allocationOf(environment: Environment): Allocation | null {
  const { SLURM_JOB_ID: jobId, SLURM_JOB_NODELIST: nodelist } = environment;
  if (jobId === undefined || nodelist === undefined) return null;
  return allocation(jobId, nodelist);
}

/** `125` and `node[01-03,07]` -> the allocation. */
export function allocation(jobId: string, nodelist: string): Allocation {
  if (!/^\d{1,15}$/.test(jobId)) throw badInput(`SLURM_JOB_ID '${jobId.slice(0, 40)}' is no job's number.`);
  return { jobId, hosts: expandHosts(nodelist).map((name) => ({ name, address: undefined })) };
}

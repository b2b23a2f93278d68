import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { badInput, messageOf } from '../base/errors.ts';
import { lastLines, shortened } from '../base/text.ts';
import { expandHosts } from './expand-hosts.ts';
import { type Host, type SchedulerName, schedulerSchema } from './inventory-schema.ts';

/** Hosts that a scheduler has given to one job. */
export interface Allocation {
  readonly scheduler: SchedulerName;
  readonly jobId: string;
  /** In the scheduler's order. */
  readonly hosts: readonly Host[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment of a job says: the variable of its id, and its hosts, null where this is no job of the scheduler. */
interface JobEnvironment {
  readonly id: string;
  /** A list for `expandHosts`, or names that may be there once for each rank. */
  hosts(environment: Environment): string | readonly string[] | null;
}

const ENVIRONMENTS: Readonly<Record<SchedulerName, JobEnvironment>> = {
  /** salloc(1), OUTPUT ENVIRONMENT VARIABLES. */
  slurm: { id: 'SLURM_JOB_ID', hosts: ({ SLURM_JOB_NODELIST: list }) => list ?? null },
  /** qsub(1B), ENVIRONMENT VARIABLES: a line for each MPI rank or processor. */
  pbs: { id: 'PBS_JOBID', hosts: ({ PBS_NODEFILE: file }) => (file === undefined ? null : linesOf(file)) },
  /** LSF's configuration reference, "Environment variables set for job execution": `hostA 2 hostB 4`, or a name for each slot. */
  lsf: {
    id: 'LSB_JOBID',
    hosts: ({ LSB_DJOB_HOSTFILE: file, LSB_MCPU_HOSTS: counted, LSB_HOSTS: names }) => {
      if (file !== undefined) return linesOf(file);
      if (counted !== undefined) return wordsOf(counted).filter((_, index) => index % 2 === 0);
      return names === undefined ? null : wordsOf(names);
    },
  },
  /** flux-environment(7), INITIAL PROGRAM ENVIRONMENT: the instance that `flux alloc` or `flux batch` started says its hosts. */
  flux: {
    id: 'FLUX_ENCLOSING_ID',
    hosts: ({ FLUX_URI: uri }) => (uri === undefined ? null : fluxHosts(uri)),
  },
};

/** Flux runs inside of other jobs, whose variables may still be there. */
const INNERMOST_FIRST: readonly SchedulerName[] = ['flux', ...schedulerSchema.exclude(['flux']).options];

/**
 * The allocation that this process runs in, by what a scheduler, or this one, sets in the environment of its jobs; null outside of one.
 * Errors: `badInput` for values that are none.
 */
export function allocationOf(environment: Environment, only?: SchedulerName): Allocation | null {
  for (const scheduler of only === undefined ? INNERMOST_FIRST : [only]) {
    const { id, hosts } = ENVIRONMENTS[scheduler];
    const jobId = environment[id];
    const found = jobId === undefined ? null : hosts(environment);
    if (jobId !== undefined && found !== null) return allocation(scheduler, jobId, found);
  }
  return null;
}

/** `125` and `node[01-03,07]`, or names of hosts that may repeat -> the allocation. */
export function allocation(scheduler: SchedulerName, jobId: string, hosts: string | readonly string[]): Allocation {
  if (!/^[\wƒ][\w.[\]-]{0,253}$/.test(jobId)) {
    throw badInput(`${ENVIRONMENTS[scheduler].id} '${shortened(jobId)}' is not the number of a job.`);
  }
  const list = typeof hosts === 'string' ? hosts : [...new Set(hosts)].join(',');
  return { scheduler, jobId, hosts: expandHosts(list).map((name) => ({ name, address: undefined })) };
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function linesOf(file: string): readonly string[] {
  try {
    return wordsOf(readFileSync(file, 'utf8'));
  } catch (error) {
    throw badInput(
      `The job's file of hosts ${file} cannot be read (${messageOf(error)}): run this on the job's first host.`,
    );
  }
}

function fluxHosts(uri: string): string {
  try {
    const env = { ...process.env, FLUX_URI: uri };
    const options = { encoding: 'utf8', timeout: 20_000, stdio: 'pipe', env } as const;
    return execFileSync('flux', ['getattr', 'hostlist'], options).trim();
  } catch (error) {
    const why = lastLines(messageOf(error), 1);
    throw badInput(`Flux does not say the hosts of this job: 'flux getattr hostlist' failed (${why}).`);
  }
}

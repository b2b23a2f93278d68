import type { Who } from './language.ts';
import { agentTask, childrenOf, type Process, programName } from './processes.ts';
import type { Site, SiteHost } from './site.ts';
import type { Sweep } from './sweep.ts';

/** A process that may be struck; `host` is null for one of the controller's machine. */
export interface Victim extends Process {
  readonly host: SiteHost | null;
}

/** Name of the light workload's program. */
export const RANK = 'ring';

type Find = (process: Process) => boolean;
const isTask =
  (task: string): Find =>
  (process) =>
    agentTask(process) === task;
const isProgram =
  (name: string): Find =>
  (process) =>
    programName(process) === name;

/** Whether a process holds the controllers' lock of its host. */
export const isHolder = isTask('hold');

/** How the processes of a sweep are told apart from outside. */
const LOCAL: Partial<Record<Who, Find>> = {
  redis: isProgram('redis-server'),
  carrier: isTask('relay'),
};
const ON_HOSTS: Partial<Record<Who, Find>> = {
  session: ({ argv }) => /^sshd: .*@notty/.test(argv[0] ?? ''),
  holder: isHolder,
  keeper: isTask('keep'),
  sampler: isTask('sample'),
  guard: isTask('guard'),
  mpirun: isProgram('mpirun'),
  orted: isProgram('orted'),
  rank: isProgram(RANK),
};
const PLURALS: Partial<Record<Who, Who>> = { sessions: 'session', holders: 'holder', keepers: 'keeper' };

/** Those of a kind that a fault strikes: one of all that are there, or all of one host's; none while there are none. */
export function victims(
  who: Who,
  pick: number,
  { site, sweep }: { readonly site: Site; readonly sweep: Sweep },
): Victim[] {
  if (who === 'controller') return [{ id: sweep.id, argv: [], folder: '', host: null }];
  const isLocal = LOCAL[who];
  const one = <T>(list: readonly T[]): T[] => list.slice(Math.floor(pick * list.length)).slice(0, 1);
  if (isLocal)
    return one(
      childrenOf(sweep.id)
        .filter(isLocal)
        .map((process) => ({ ...process, host: null })),
    );
  const isWanted = ON_HOSTS[PLURALS[who] ?? who];
  if (!isWanted) throw new Error(`'${who}' is no process`);
  const groups = site.hosts.map((host) =>
    site
      .processes(host)
      .filter(isWanted)
      .map((process) => ({ ...process, host })),
  );
  return who in PLURALS ? one(groups.filter((group) => group.length > 0)).flat() : one(groups.flat());
}

/** Whether ranks of the workload run on some host, or on this one. */
export function ranksRun(site: Site, only?: SiteHost): boolean {
  const isRank = isProgram(RANK);
  return (only ? [only] : site.hosts).some((host) => site.processes(host).some(isRank));
}

import type { ProfiledRun } from './profiled-run.ts';

/** What ranks were seen in, percent of a timed run, mean over them; the parts sum up to 100. */
export interface StackShares {
  /** Outside of calls of MPI: on a processor, or able to run without one. */
  readonly computing: number;
  /** In calls of MPI and awake. */
  readonly messages: number;
  /** Asleep, in calls of MPI or elsewhere. */
  readonly asleep: number;
}

/** Of the runs at one setting; null where none was profiled there. */
export function stackShares(
  all: readonly ProfiledRun[],
  { nodes, scale, bw }: { readonly nodes: number; readonly scale: number; readonly bw: number },
): StackShares | null {
  const stacks = all
    .filter((run) => run.nodes === nodes && run.scale === scale && run.bw === bw)
    .flatMap((run) => run.stacks);
  const sums = { computing: 0, messages: 0, asleep: 0 };
  let total = 0;
  for (const { frames, kind, seconds } of stacks) {
    const isMessage = frames.some((frame) => MPI_CALL.test(frame));
    sums[kind === 'wait' ? 'asleep' : isMessage ? 'messages' : 'computing'] += seconds;
    total += seconds;
  }
  if (!(total > 0)) return null;
  const percent = (seconds: number): number => (seconds / total) * 100;
  return { computing: percent(sums.computing), messages: percent(sums.messages), asleep: percent(sums.asleep) };
}

const MPI_CALL = /^P?MPI_\w+$/;

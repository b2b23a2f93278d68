import { mean, median, sampleStandardDeviation } from 'simple-statistics';
import { messageOf } from '../base/errors.ts';
import { at } from '../base/lists.ts';
import { asPercent, nodesText } from '../base/units.ts';
import { visitAgain } from '../experiments/plan.ts';
import type { Cell, CellRecord, TimedRun } from '../experiments/records.ts';
import type { InParallel } from '../experiments/store/campaign-events.ts';
import { studentQuantile } from '../modeling/judge/distributions.ts';
import type { HostGroup, HostGroups } from './host-groups.ts';
import type { HostLocks } from './hosts/controller-lock.ts';
import type { LostHosts } from './hosts/lost-hosts.ts';
import type { Job } from './job.ts';

/** Differences below this (ln) are none. */
const LEAST_NOISE = 0.02;
/** Runs that take longer by so many times the noise are hindered by others. */
const CLEARLY = 2;

/** Which sizes may go in parallel; a size is open until one run of it was measured alone and then beside others. */
export class ParallelSizes {
  readonly #hosts: number;
  readonly #isAlone: Map<number, boolean>;

  /** `known`: what earlier sweeps of the campaign found on so many hosts. */
  constructor(hosts: number, known: readonly InParallel[]) {
    this.#hosts = hosts;
    this.#isAlone = new Map(known.map(({ nodes, isAlone }) => [nodes, isAlone]));
  }

  readonly mayBeParallel = (nodes: number): boolean => this.#fits(nodes) && this.#isAlone.get(nodes) === false;

  isOpen(nodes: number): boolean {
    return this.#fits(nodes) && !this.#isAlone.has(nodes);
  }

  settle(nodes: number, isAlone: boolean): void {
    this.#isAlone.set(nodes, isAlone);
  }

  /** The same cells, of each open size first the one whose traffic hinders others most. */
  inOrder(cells: readonly Cell[], done: { has(id: string): boolean }): readonly Cell[] {
    const first = new Map<number, Cell>();
    for (const cell of cells) {
      if (!this.isOpen(cell.nodes) || cell.role === 'profile' || done.has(cell.id)) continue;
      if (cell.bw > (first.get(cell.nodes)?.bw ?? 0)) first.set(cell.nodes, cell);
    }
    const moved = new Set<Cell>();
    return cells.flatMap((cell) => {
      if (moved.has(cell)) return [];
      const before = first.get(cell.nodes);
      if (before === undefined || moved.has(before)) return [cell];
      moved.add(before);
      return before === cell ? [cell] : [before, cell];
    });
  }

  #fits(nodes: number): boolean {
    return 2 * nodes <= this.#hosts;
  }
}

/** Worth a comparison: fewer cells than that take as long alone. */
const FEWEST_LEFT = 2;
/** Behind all repetitions that are measured. */
const FIRST_COPY = 1_000_000;

/** What a comparison needs of a sweep. */
interface Comparing {
  readonly job: Job;
  readonly groups: HostGroups;
  readonly sizes: ParallelSizes;
  readonly locks: HostLocks;
  readonly lost: LostHosts;
  /** Cells that are not measured yet. */
  readonly left: readonly Cell[];
  /** Measures a cell and keeps nothing. */
  readonly measureCopy: (cell: Cell, group: HostGroup) => Promise<CellRecord>;
}

/** Runs a cell that was measured alone on as many groups of hosts as there are, all at once, and keeps what that did to its time. */
export async function compareBeside(
  { cell, status, runs }: CellRecord,
  group: HostGroup,
  { job, groups, sizes, locks, lost, left, measureCopy }: Comparing,
): Promise<void> {
  const { nodes } = cell;
  const more = left.filter((each) => each.nodes === nodes).length;
  if (status !== 'ok' || more < FEWEST_LEFT) return;
  const copies = (await groups.groupsLike(group)).map((each, index) => ({
    group: each,
    copy: each === group ? cell : visitAgain(cell, FIRST_COPY + index, job),
  }));
  // Levels are proved before any run begins, or one would be over when the next begins. What fails here fails there again.
  await Promise.allSettled(
    copies.map(async ({ group: { links, hosts } }) => {
      await locks.ensure(hosts);
      await links.set(hosts, asPercent(cell.bw));
    }),
  );
  const measured = await Promise.allSettled(copies.map(({ copy, group: own }) => measureCopy(copy, own)));
  if (job.signal.aborted) return;
  const good = measured.flatMap((one) => (one.status === 'fulfilled' && one.value.runs.length > 0 ? [one.value] : []));
  const fault = measured.find((one) => one.status === 'rejected');
  // A lost host says nothing of the others.
  if (fault !== undefined) await lost.find(copies.flatMap(({ group: { hosts } }) => hosts));
  const hindered = copies.find(
    ({ group: { hosts } }, index) => measured[index]?.status === 'rejected' && !hosts.some((host) => lost.has(host)),
  );
  if (hindered !== undefined || good.length < 2 || !ranAtOnce(good)) {
    const late = good.length < 2 ? 'the program failed there' : 'they did not run at the same time';
    const why = fault === undefined ? late : messageOf(fault.reason).replace(/\.$/, '');
    job.tell({ kind: 'note', text: `Runs on ${nodesText(nodes)} are measured alone, because beside others ${why}.` });
    sizes.settle(nodes, true);
    return;
  }
  const found = compareAlone(
    nodes,
    runs,
    good.map((record) => record.runs),
  );
  sizes.settle(nodes, found.isAlone);
  job.tell({ kind: 'in-parallel', ...found });
}

/** Whether the programs ran at the same time for at least half of the shortest. */
function ranAtOnce(records: readonly CellRecord[]): boolean {
  const starts = records.map(({ startedAt, timing: { startMs = 0, throttleMs } }) => {
    return Date.parse(startedAt) + startMs + throttleMs;
  });
  const lengths = records.map(({ timing }) => timing.workloadMs);
  const ends = starts.map((start, index) => start + (lengths[index] ?? 0));
  return 2 * (Math.min(...ends) - Math.max(...starts)) >= Math.min(...lengths);
}

/**
 * Compares runs that went at once with one alone, each the timed runs of equal work. Noise is how far one more run may be from them: a
 * prediction interval (90 %) by Student's t, of logarithms.
 */
export function compareAlone(
  nodes: number,
  alone: readonly TimedRun[],
  beside: readonly (readonly TimedRun[])[],
): InParallel {
  const ratios = beside.map((runs) => logRatio(runs, alone));
  const count = ratios.length;
  const half = studentQuantile(count - 1, 0.9) * sampleStandardDeviation(ratios) * Math.sqrt(1 + 1 / count);
  const noise = Math.max(half, LEAST_NOISE);
  const longer = mean(ratios);
  const percent = (log: number): number => Math.expm1(log) * 100;
  const aloneS = median(alone.map(({ ct }) => ct));
  return {
    ...{ nodes, runs: count, aloneS, besideS: aloneS * Math.exp(longer) },
    ...{ percent: percent(longer), noisePercent: percent(noise), isAlone: longer > CLEARLY * noise },
  };
}

/** Searches from one key are compared with each other, where both have the same. */
function logRatio(runs: readonly TimedRun[], alone: readonly TimedRun[]): number {
  const isPaired = runs.length === alone.length;
  if (!isPaired) return Math.log(median(runs.map(({ ct }) => ct)) / median(alone.map(({ ct }) => ct)));
  return median(runs.map(({ ct }, index) => Math.log(ct / at(alone, index).ct)));
}

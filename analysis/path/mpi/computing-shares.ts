import { at } from '../../../base/lists.ts';
import {
  isWithin,
  type OnClock,
  type Stretch,
  totalNs,
  withoutGaps,
} from '../../../experiments/mpi-trace/run-clock.ts';
import { COMPUTE, SHORT_CALLS } from '../../../experiments/mpi-trace/spans.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import type { Gatherings } from './gatherings.ts';

/** What ranks computed between two meetings of all of them, ns; a list per rank. */
interface ComputingShare {
  /** From the beginning to the end of the computing, time without a processor included. */
  readonly wallNs: Float64Array;
  /** Without it. */
  readonly busyNs: Float64Array;
}

/** With fewer meetings of all ranks than this, times of equal length stand for what lies between them. */
const FEWEST = 5;
const PLACES = 20;

/** The computing of every rank's first thread within the stretches of a part, between the collective calls of all ranks in turn. */
export function computingShares(
  { worker, phase, startNs, endNs, queuedNs, keys }: CellTrace['spans'],
  {
    ranks,
    stretches,
    meetings,
    onClock,
  }: {
    readonly ranks: number;
    readonly stretches: readonly Stretch[];
    readonly meetings: Gatherings;
    readonly onClock: OnClock;
  },
): readonly ComputingShare[] {
  const { thread = new Float64Array(0) } = keys;
  const met = new Int32Array(ranks);
  const shares: ComputingShare[] = [];
  const computed: { readonly rank: number; readonly atNs: number; readonly wall: number; readonly busy: number }[] = [];
  const add = (place: number, rank: number, { wall, busy }: { readonly wall: number; readonly busy: number }): void => {
    while (shares.length <= place) {
      shares.push({ wallNs: new Float64Array(ranks), busyNs: new Float64Array(ranks) });
    }
    const { wallNs, busyNs } = at(shares, place);
    wallNs[rank] = at(wallNs, rank) + wall;
    busyNs[rank] = at(busyNs, rank) + busy;
  };
  for (const [row, name] of phase.entries()) {
    const rank = at(worker, row);
    if (!Number.isNaN(thread[row] ?? Number.NaN)) continue;
    const [from, to] = [onClock(rank, at(startNs, row)), onClock(rank, at(endNs, row))];
    if (!isWithin({ startNs: from, endNs: to }, stretches)) continue;
    if (name === COMPUTE) {
      const [begin, end] = [withoutGaps(from, stretches), withoutGaps(to, stretches)];
      const wall = end - begin;
      const share = to > from ? wall / (to - from) : 0;
      const busy = wall - Math.min(wall, (at(queuedNs, row) || 0) * share);
      computed.push({ rank, atNs: (begin + end) / 2, wall, busy });
      add(at(met, rank), rank, { wall, busy });
    } else if (name !== SHORT_CALLS && meetings.isOfAll(row)) met[rank] = at(met, rank) + 1;
  }
  if (shares.length >= FEWEST) return shares;
  shares.length = 0;
  const [lengthNs, { startNs: beganNs }] = [totalNs(stretches) / PLACES, at(stretches, 0)];
  for (const { rank, atNs, ...own } of computed) {
    add(Math.min(PLACES - 1, Math.max(0, Math.floor((atNs - beganNs) / lengthNs))), rank, own);
  }
  return shares;
}

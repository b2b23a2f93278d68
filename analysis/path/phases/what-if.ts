// What a run would have taken had some of it lasted longer or shorter: earliest times over its phases, in which waiting is slack.
import { at } from '../../../base/lists.ts';
import { type Leaving, leavePhase } from './leave-exchange.ts';
import type { RankPhases } from './rank-phases.ts';
import { type Change, type Factors, factorsOf } from './what-if-keys.ts';

export interface WhatIfOptions extends Pick<Leaving, 'onLinkNs'> {
  readonly changes: readonly Change[];
}

/**
 * How long each search would take, ns, in the order of `searches`. A rank enters a phase when it has left the one before, and leaves
 * it as `leavePhase` says. Without a change these are the measured times. Errors: badInput for a key that the run has not.
 */
export function whatIf(phases: RankPhases, { changes, onLinkNs }: WhatIfOptions): readonly number[] {
  const { ranks, searches, first } = phases;
  const factors = factorsOf(phases, changes);
  return searches.map((_, search) => {
    const [from, to] = [at(first, search * ranks), at(first, (search + 1) * ranks)];
    return lengthOf(phases, { from, to, factors, onLinkNs });
  });
}

interface Range extends Pick<Leaving, 'onLinkNs'> {
  readonly from: number;
  readonly to: number;
  readonly factors: Factors;
}

function lengthOf(phases: RankPhases, { from, to, factors, onLinkNs }: Range): number {
  const { rank, startNs, endNs } = phases;
  const count = to - from;
  const [starts, ends] = [new Float64Array(count), new Float64Array(count)];
  const earliest = startNs.subarray(from, to).reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  // Entries (even) and ends (odd) in the order of the measured times: whatever something hangs on comes before it.
  const events = Uint32Array.from({ length: 2 * count }, (_, event) => event).sort(
    (a, b) => timeOf(a) - timeOf(b) || a - b,
  );
  function timeOf(event: number): number {
    return at(event % 2 === 0 ? startNs : endNs, from + (event >> 1));
  }
  const startOf = (place: number): number => at(starts, place - from);
  for (const event of events) {
    const index = event >> 1;
    const place = from + index;
    if (event % 2 === 1) {
      ends[index] = leavePhase(phases, place, { factors, onLinkNs, startOf });
      continue;
    }
    const isFirst = index === 0 || rank[place] !== rank[place - 1];
    starts[index] = isFirst
      ? earliest + (at(startNs, place) - earliest) * factors.begin
      : at(ends, index - 1) + (at(startNs, place) - at(endNs, place - 1)) * factors.gap;
  }
  return ends.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY) - earliest;
}

// Imbalance indicator (Böhme et al., "Identifying the root causes of wait states", 2012): time on the path minus mean time per worker.
import { ACTIVITY_KINDS, type Activities, type Slice } from '../activities.ts';

import { lowerBound, UNKNOWN, WAIT } from './segment.ts';

/** By key of the profile, ns: what a perfectly balanced run would take off the path at most; negative where the path avoids it. */
export function imbalanceByName(
  activities: Activities,
  slices: readonly Slice[],
  onPath: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const { workers, work, names, bornNs, goneNs } = activities;
  const total = new Map<string, number>();
  const add = (key: string, ns: number): void => void total.set(key, (total.get(key) ?? 0) + ns);
  for (const [worker, { startNs, endNs }] of slices.flatMap((slice) =>
    [...workers.keys()].map((one) => [one, slice] as const),
  )) {
    let unknownNs = Math.max(
      0,
      Math.min(endNs, goneNs[worker] as number) - Math.max(startNs, bornNs[worker] as number),
    );
    const to = work.first[worker + 1] as number;
    let row = lowerBound(work.endNs, { from: work.first[worker] as number, to, least: startNs });
    for (; row < to && (work.startNs[row] as number) < endNs; row += 1) {
      const ns = Math.min(endNs, work.endNs[row] as number) - Math.max(startNs, work.startNs[row] as number);
      unknownNs -= ns;
      const kind = work.kind[row] as number;
      if (kind !== WAIT) add(names[work.name[row] as number] || (ACTIVITY_KINDS[kind] ?? ''), ns);
    }
    if (unknownNs > 0) add(ACTIVITY_KINDS[UNKNOWN] ?? '', unknownNs);
  }
  const of = [...total].map(([key, ns]) => [key, (onPath[key] ?? 0) - ns / workers.length] as const);
  return Object.fromEntries(of.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}

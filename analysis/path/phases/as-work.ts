import { IDLE, WORK } from '../run-graph.ts';
import type { PhaseKind } from './rank-phases.ts';

/** The key of the work for which a rank had no processor: `fold idle` is of `fold work`, `compute idle` of `compute`; others as they are. */
function workKey(key: string, kinds: readonly Pick<PhaseKind, 'name' | 'group'>[]): string {
  const kind = kinds.find(({ name }) => key === name + IDLE);
  if (kind === undefined) return key;
  return kind.group === null ? kind.name : kind.name + WORK;
}

/** Times by key, where what a rank had no processor for counts as the work that it was. */
export function asWork(
  times: Readonly<Record<string, number>>,
  kinds: readonly Pick<PhaseKind, 'name' | 'group'>[],
): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const [key, time] of Object.entries(times)) {
    const name = workKey(key, kinds);
    sums.set(name, (sums.get(name) ?? 0) + time);
  }
  return Object.fromEntries(sums);
}

/** Of times by key, what ranks had no processor for. */
export function idleOf(times: Readonly<Record<string, number>>): number {
  return Object.entries(times).reduce((sum, [key, time]) => sum + (key.endsWith(IDLE) ? time : 0), 0);
}

import { at } from '../../../base/index.ts';
import type { MetricInput, PhaseTypes } from '../../grade10/index.ts';
import { WORKER_KEYS } from '../../platform/index.ts';
import type { PhaseTree } from './phase-tree.ts';

export interface WaitsOptions {
  /** Phase type of which phases do nothing but wait. */
  readonly waiting: number;
  /** Phase types in which the measured sleep of a rank counts. */
  readonly sleeping: ReadonlySet<number>;
  readonly pathOf: (rank: string) => string;
}

/**
 * A blocking metric per rank: when it waited for the others. Where the trace measured how long the rank slept, it waited that
 * long at the end of each phase (how much is measured, when is not); elsewhere for as long as its phases of type `waiting` last.
 */
export function waitsOf(
  { columns: { type, parent, id, startNs, endNs }, asleepNs }: Pick<PhaseTree, 'columns' | 'asleepNs'>,
  { keys }: PhaseTypes,
  { waiting, sleeping, pathOf }: WaitsOptions,
): MetricInput[] {
  const measured = asleepNs.some((asleep, phase) => sleeping.has(at(type, phase)) && !Number.isNaN(asleep));
  const waits = new Map<string, [number[], number[]]>();
  for (const [phase, own] of type.entries()) {
    if (measured ? !sleeping.has(own) : own !== waiting) continue;
    let owner = phase;
    while (owner > 0 && !WORKER_KEYS.includes(keys[at(type, owner)] ?? '')) owner = at(parent, owner);
    const whose = at(id, owner);
    const [starts, ends] = waits.get(whose) ?? [[], []];
    const [start, end] = [at(startNs, phase), at(endNs, phase)];
    starts.push(measured ? Math.max(start, end - (asleepNs[phase] || 0)) : start);
    ends.push(end);
    waits.set(whose, [starts, ends]);
  }
  return [...waits].map(([rank, [starts, ends]]) => ({
    class: 'blocking',
    path: pathOf(rank),
    startNs: Float64Array.from(starts),
    endNs: Float64Array.from(ends),
  }));
}

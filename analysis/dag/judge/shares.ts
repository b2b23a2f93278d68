import type { DagPeriod, EdgePeriod } from '../../../experiments/dag/dag-records.ts';

/** Null for one that did not live. */
export type Fractions = readonly (number | null)[] | Float64Array;

/** What instances and channels did in a period, as shares of their life in it. */
export interface PeriodShares {
  readonly startNs: number;
  readonly endNs: number;
  /** Share in state PROCESSING of each instance, by id of its task. */
  readonly processing: { readonly [vertex: string]: Fractions };
  /** Share in state SATURATED of each channel, by id of its edge. */
  readonly saturated: { readonly [edge: string]: Fractions };
}

/**
 * What SATURATED means. `buffer`: the channel's buffer is full (assumption 6). `writer`: a producing instance is blocked writing to
 * the edge (section V.B). `pressure`: the same as a share of all waiting of that instance, 0 where it waits for less than 5 %.
 */
export const SATURATIONS = ['buffer', 'writer', 'pressure'] as const;
export type Saturation = (typeof SATURATIONS)[number];

/**
 * A recorded period by one measure of SATURATED. Without one: the fill of buffers where it was measured, else the pressure on
 * writers, else their blocked time. An edge without the measure is not judged.
 */
export function sharesOf({ startNs, endNs, vertices, edges }: DagPeriod, saturation?: Saturation): PeriodShares {
  return {
    ...{ startNs, endNs },
    processing: byId(Object.entries(vertices).map(([id, { processing }]) => [id, processing])),
    saturated: byId(Object.entries(edges).map(([id, entry]) => [id, measuredSaturation(entry, saturation) ?? []])),
  };
}

/** The shares of an edge's channels, or of its writers, by one measure; null where it was not measured. */
export function measuredSaturation(
  { buffer, writer, pressure }: Pick<EdgePeriod, Saturation>,
  saturation: Saturation | undefined,
): EdgePeriod[Saturation] {
  return saturation === undefined ? (buffer ?? pressure ?? writer) : { buffer, writer, pressure }[saturation];
}

/** A record by ids, which are anybody's words: also `__proto__` is a key of it. */
export function byId<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const record: Record<string, T> = Object.create(null);
  for (const [id, value] of entries) record[id] = value;
  return record;
}

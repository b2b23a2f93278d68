/** A subphase alive in a slice whose state towards a metric type is defined: one pair of SRTB (equation 4.7). */
export interface SubphaseState {
  /** Row of the phase. */
  readonly phase: number;
  readonly type: number;
  readonly bottlenecked: boolean;
}

/** The composite phase, metric type and slice (since the job's first) that a predicate is asked about. */
interface PredicateContext {
  readonly phase: number;
  readonly metricType: number;
  readonly slice: number;
}

/**
 * Judges by how many of the subphases are bottlenecked: of all together, or (`per: 'type'`) of each type by itself, where
 * one type suffices.
 */
export interface CountPredicate {
  readonly kind: 'count';
  readonly name: string;
  readonly per: 'phase' | 'type';
  /** Must depend on its arguments alone. */
  readonly holds: (bottlenecked: number, subphases: number) => boolean;
}

/** Judges with each subphase at hand: for knowledge of phases and resources. Slower than counting. */
export interface SubphasePredicate {
  readonly kind: 'subphases';
  readonly name: string;
  readonly holds: (subphases: readonly SubphaseState[], context: PredicateContext) => boolean;
}

/** P* of equation 4.6; not asked about slices without subphases, where nothing is bottlenecked. */
export type BottleneckPredicate = CountPredicate | SubphasePredicate;

const anyOf = (bottlenecked: number): boolean => bottlenecked > 0;
const allOf = (bottlenecked: number, subphases: number): boolean => bottlenecked === subphases;
/** At least half. */
const majorityOf = (bottlenecked: number, subphases: number): boolean => 2 * bottlenecked >= subphases;

/** Table 4.3. */
export const predicates = {
  any: { kind: 'count', name: 'any', per: 'phase', holds: anyOf },
  all: { kind: 'count', name: 'all', per: 'phase', holds: allOf },
  majority: { kind: 'count', name: 'majority', per: 'phase', holds: majorityOf },
  majorityAny: { kind: 'count', name: 'majority+any', per: 'type', holds: majorityOf },
} as const satisfies Readonly<Record<string, BottleneckPredicate>>;

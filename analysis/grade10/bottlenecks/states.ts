import type { SubphaseGroup } from '../fold-phases.ts';

/** What a judge decides on: a composite phase and one of its metric types. */
interface Question {
  readonly phase: number;
  readonly metricType: number;
  readonly groups: readonly SubphaseGroup<null>[];
}

/** Sets the states of the phase in question, which are 0, and returns in how many slices it is bottlenecked. */
export type Judge = (question: Question) => number;

/** The states of all phases; those of subphases are complete when a judge reads them. */
export interface States {
  readonly states: Uint8Array;
  readonly slices: Uint32Array;
  /** Where a phase's states towards a metric type begin; -1 when none of its leaves uses that type. */
  readonly find: (phase: number, metricType: number) => number;
  /** Where its number of bottlenecked slices is, if any. */
  readonly findSlices: (phase: number, metricType: number) => number;
}

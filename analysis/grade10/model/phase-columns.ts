/** The phases of one job as logged, one row each, in any order. Columns of equal length. */
export interface PhaseColumns {
  /** Index into the phase types. */
  readonly type: Uint32Array;
  /** The parent's row; -1 for the root. */
  readonly parent: Int32Array;
  /** What tells a phase from its siblings of the same type; empty for types that occur once. */
  readonly id: readonly string[];
  /** Nanoseconds since any origin that all columns of a model share; whole numbers below 2^53. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
}

/** The children of one type under a phase. */
export interface SubphaseRows {
  readonly type: number;
  readonly phases: Uint32Array;
}

/** The execution model of one job (section 4.3.1.1): rows as given, times in slices since the job's first. */
export interface Phases {
  readonly count: number;
  readonly root: number;
  readonly type: Uint32Array;
  readonly parent: Int32Array;
  readonly id: readonly string[];
  readonly first: Int32Array;
  /** Slices; 0 for a phase that covers no slice's midpoint. */
  readonly length: Int32Array;
  /** Children of row p: `children` from `childStart[p]` to `childStart[p + 1]`, grouped by type. None: a leaf. */
  readonly childStart: Uint32Array;
  readonly children: Uint32Array;
  /** The same per row and type. */
  readonly groups: readonly (readonly SubphaseRows[])[];
  /** Every row after its parent. */
  readonly topDown: Uint32Array;
}

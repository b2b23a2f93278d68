/**
 * The calling context tree of one profile in columns, a row a node, in preorder: parents stand before their children, and what is below
 * a node stands behind it without a gap. Row 0 is the made-up root, whose code path is empty. Source: Lundberg and Rettig (LTH 2024),
 * section 4.1.
 */
export interface CallTree {
  /** Number of the code path in the table of names that the trees of a selection share; -1 of the root. */
  readonly name: Int32Array;
  /** Row of the caller; -1 of the root. */
  readonly parent: Int32Array;
  /** Calls from the root, which has 0. */
  readonly depth: Int32Array;
  /** What was sampled in the node itself, in the profile's unit (baseSamples). */
  readonly own: Float64Array;
  /** The same with all that is below it (totalSamples). */
  readonly total: Float64Array;
  /**
   * Row of the nearest node above with the same code path, -1 where there is none. It is where a RECURS edge comes from: one leads
   * from a node to the nearest descendants with its code path, one per branch, so that each node has at most one coming in.
   */
  readonly above: Int32Array;
}

/** Row of the made-up root. */
export const ROOT = 0;

/** All that a profile sampled. */
export function totalOf(tree: CallTree): number {
  return tree.total[ROOT] ?? 0;
}

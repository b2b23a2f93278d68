import { at } from '../../base/lists.ts';
import type { Design } from './design.ts';
import { findRoot } from './find-root.ts';

/** The paper searches alpha in [1, 3]. */
const LARGEST_ALPHA = 3;
/** Beyond w = e^300 squares leave the range of a double. */
const LARGEST_LOG_W = 300;
const GRID = 64;
/** A minimum this near to a bound lies there: the difference is rounding. */
const AT_BOUND = 1e-9;

interface Alpha {
  readonly u: number;
  /** Null when the minimum lies inside the search's range. */
  readonly bound: 'lower' | 'upper' | null;
}

/** The largest ln alpha searched for, given the smallest bandwidth (percent) of the rows. */
export function largestLogAlpha(smallestBw: number): number {
  return Math.min(Math.log(LARGEST_ALPHA), (LARGEST_LOG_W * smallestBw) / 100);
}

/**
 * The u = ln alpha in [0, last] of least squared error. A coarse scan finds every valley, and each is pinned where the slope changes
 * its sign: comparing errors alone could not pass 1e-8.
 */
export function searchAlpha({ sse, slope }: Pick<Design, 'sse' | 'slope'>, last: number): Alpha {
  // Denser near 0: at 1 % of the bandwidth w = alpha^100.
  const grid = Array.from({ length: GRID + 1 }, (_, index) => last * (index / GRID) ** 3);
  const errors = grid.map((u) => sse(u));
  let best = { u: 0, error: Number.POSITIVE_INFINITY };
  for (const [index, error] of errors.entries()) {
    const before = errors[index - 1] ?? Number.POSITIVE_INFINITY;
    const after = errors[index + 1] ?? Number.POSITIVE_INFINITY;
    if (!(error < before && error <= after)) continue;
    const u = bottom(slope, { low: at(grid, Math.max(0, index - 1)), high: at(grid, Math.min(GRID, index + 1)) });
    // The grid's own point wins ties, so that a flat error gives the plain alpha = 1.
    for (const candidate of [
      { u: at(grid, index), error },
      { u, error: sse(u) },
    ]) {
      if (candidate.error < best.error) best = candidate;
    }
  }
  if (best.u < AT_BOUND) return { u: 0, bound: 'lower' };
  return best.u > last - AT_BOUND ? { u: last, bound: 'upper' } : { u: best.u, bound: null };
}

/** Of a valley with one bottom, which may lie at an end. */
function bottom(slope: Design['slope'], { low, high }: { low: number; high: number }): number {
  if (slope(low) > 0) return low;
  return slope(high) <= 0 ? high : findRoot(slope, { low, high });
}

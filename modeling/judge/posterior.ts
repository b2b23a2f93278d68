// What rows leave open: the forms that may be true, their unknowns, and how far cells and curves stray from them. Weights are
// marginal likelihoods by importance sampling around each form's mode (Laplace's approximation as the proposal).
// Inner loops index with `?? NaN`, see fit/gram.ts.
import { at } from '../../base/lists.ts';
import { working } from '../../base/working.ts';
import type { Cells } from '../fit/collapse.ts';
import type { Solved } from '../fit/fit.ts';
import { predict } from '../forms/predict.ts';
import { distinct, settingAt } from '../rows.ts';
import { createRandom } from './distributions.ts';
import { drawAround, findMode, type Mode } from './find-mode.ts';
import type { Member } from './member.ts';
import { repetitionNoise } from './noise.ts';
import {
  type AxisKnots,
  axesOf,
  type Beyond,
  bendColumns,
  type Covariance,
  computeCovariance,
  type Strays,
} from './strays.ts';

/** One form in a mixture, with its weight before any row was seen. */
interface Rival {
  readonly member: Member;
  readonly solved: Solved;
  readonly prior: number;
}

/** Posterior draws around one mode. */
export interface Draws {
  readonly rival: Rival;
  readonly strays: Strays;
  readonly covariance: Covariance;
  /** The unknowns of one draw after those of another. */
  readonly values: Float64Array;
  /** How likely each draw is beside those of all modes. */
  readonly weights: Float64Array;
}

export interface Posterior {
  readonly cells: Cells;
  readonly axes: readonly AxisKnots[];
  /** Their weights sum to 1. */
  readonly draws: readonly Draws[];
  /** Of each rival, in their order; they sum to 1. */
  readonly weights: readonly number[];
  /** Relative standard deviation of one repetition; null with one per cell. */
  readonly repetition: number | null;
}

/** Log-normal. */
interface Known {
  readonly median: number;
  readonly sd: number;
}

/** What is known of how times stray from forms. */
export interface StraysKnown {
  /** Of each node count: mostly small, seldom large, as the first step of a program is often unlike those that follow. */
  readonly count: Known;
  /** Of the bend over nodes. */
  readonly nodes: Known;
  /** Where a node count has several cells, of these. */
  readonly cell: Known;
  /** Of the bends over bandwidths, scales and threads, in scatters of cells. */
  readonly others: number;
  readonly beyond: Beyond;
}

/** Of whole programs on clusters. */
export const OF_TIMES: StraysKnown = {
  count: { median: 0.01, sd: 2 },
  nodes: { median: 0.09, sd: 0.74 },
  cell: { median: 0.025, sd: 0.6 },
  others: 2,
  beyond: { median: 0.14, sd: 0.69, upward: 0.34 },
};

/** Where integrals over two of them are taken: the likeliest in the middle of the first, and first in the second. */
interface Sizes {
  readonly first: readonly number[];
  readonly second: readonly number[];
  readonly straysOf: (first: number, second: number) => Pick<Strays, 'cell' | 'offset'> & { readonly nodes: number };
  /** ln of what is known of both. */
  readonly priorOf: (first: number, second: number) => number;
}

/** A cell alone in its node count: its own stray and the count's are one. */
function sizesAlone({ count, nodes: bend }: StraysKnown): Sizes {
  return {
    first: [0.0004, 0.001, 0.0025, 0.006, 0.015, 0.04, 0.1, 0.25, 0.6],
    second: [0.09, 0.04, 0.2],
    straysOf: (cell, nodes) => ({ cell, offset: 0, nodes }),
    priorOf: (cell, nodes) => logNormal(cell, count) + logNormal(nodes, bend),
  };
}

function sizesOfSeveral({ cell: alone, count, nodes: { median } }: StraysKnown): Sizes {
  return {
    first: [0.003, 0.007, 0.015, 0.03, 0.07, 0.15, 0.35],
    second: [0.006, 0.02, 0.06, 0.2],
    straysOf: (cell, offset) => ({ cell, offset, nodes: median }),
    priorOf: (cell, offset) => logNormal(cell, alone) + logNormal(offset, count),
  };
}

/** A mode this much less likely (ln) than the best adds nothing. */
const NEGLIGIBLE = 8;

/** `known`: by default what is known of completion times. */
export function computePosterior(rivals: readonly Rival[], cells: Cells, known = OF_TIMES): Posterior {
  const axes = axesOf(cells).filter(({ axis }) => !rivals.some(({ solved }) => isFixed(solved, axis)));
  const noise = repetitionNoise(cells);
  const variance = noise.variance.map((own, cell) => own / at(cells.mean, cell) ** 2);
  const y = cells.mean.map((mean) => Math.log(mean));
  const random = createRandom(1);
  const makeCovariances = createCovariances(cells, { axes, variance });
  const problems = rivals.map((rival, index) => ({
    index,
    rival,
    covarianceOf: makeCovariances(rival.solved),
    counted: rival.member.form.volume !== undefined,
  }));
  const sizes = distinct(cells, 'nodes').length === cells.length ? sizesAlone(known) : sizesOfSeveral(known);
  const modesAt = (chosen: typeof problems, second: number) =>
    chosen.flatMap(({ index, rival, covarianceOf, counted }, place) => {
      working('weighing models', place, chosen.length);
      const modeAt = (size: number, near: { readonly mode: Mode } | undefined) => {
        const start = near?.mode.values ?? rival.member.start;
        const { nodes, ...own } = sizes.straysOf(size, second);
        const others = known.others * own.cell;
        // Where counters told how volumes grow, no other overhead is expected to show late.
        const beyond = counted ? { ...known.beyond, upward: 0 } : known.beyond;
        const strays = { ...own, bend: { nodes, slowdown: others, scale: others, threads: others }, beyond };
        const covariance = covarianceOf(strays);
        const mode = findMode(rival.member, { y, covariance, start });
        const prior = Math.log(rival.prior) + sizes.priorOf(size, second);
        return { index, rival, strays, covariance, mode, prior, laplace: prior + mode.evidence };
      };
      return climb(sizes.first, modeAt);
    });
  // Forms that are out of the question at the usual size are so at others.
  const [usual, ...others] = sizes.second;
  const scouted = modesAt(problems, usual ?? Number.NaN);
  const likeliest = Math.max(...scouted.map(({ laplace }) => laplace));
  const possible = new Set(scouted.filter(({ laplace }) => laplace > likeliest - NEGLIGIBLE).map(({ index }) => index));
  const rest = problems.filter(({ index }) => possible.has(index));
  const modes = [...scouted, ...others.flatMap((second) => modesAt(rest, second))];
  const best = Math.max(...modes.map(({ laplace }) => laplace));
  const around = modes
    .filter(({ laplace }) => laplace > best - NEGLIGIBLE)
    .map(({ prior, ...one }) => {
      const { values, logWeights } = drawAround(one.rival.member, { y, random, ...one });
      return { ...one, values, logWeights: logWeights.map((logWeight) => logWeight + prior) };
    });
  const most = around.reduce((max, { logWeights }) => Math.max(max, ...logWeights), Number.NEGATIVE_INFINITY);
  const total = around.reduce(
    (all, { logWeights }) => logWeights.reduce((sum, logWeight) => sum + Math.exp(logWeight - most), all),
    0,
  );
  const weights = rivals.map(() => 0);
  const draws = around.map(({ index, rival, strays, covariance, values, logWeights }): Draws => {
    const own = logWeights.map((logWeight) => Math.exp(logWeight - most) / total);
    weights[index] = own.reduce((sum, weight) => sum + weight, at(weights, index));
    return { rival, strays, covariance, values, weights: own };
  });
  return { cells, axes, draws, weights, repetition: noise.repetition };
}

/** K by the sizes of strays, made once for forms that bend alike: the bend over bandwidths is by what a form says of them. */
function createCovariances(
  cells: Cells,
  { axes, variance }: { readonly axes: readonly AxisKnots[]; readonly variance: Float64Array },
) {
  const isAlike = !axes.some(({ axis }) => axis === 'slowdown');
  const made = new Map<Solved | null, (strays: Strays) => Covariance>();
  return (solved: Solved): ((strays: Strays) => Covariance) => {
    const key = isAlike ? null : solved;
    const known = made.get(key);
    if (known !== undefined) return known;
    const columns = bendColumns(axes, cells, sensitivityOf(solved));
    const covariances = new Map<string, Covariance>();
    const covarianceOf = (strays: Strays): Covariance => {
      const sizes = [strays.cell, strays.offset, ...Object.values(strays.bend)].join(' ');
      const covariance = covariances.get(sizes) ?? computeCovariance(cells, { variance, columns }, strays);
      covariances.set(sizes, covariance);
      return covariance;
    };
    made.set(key, covarianceOf);
    return covarianceOf;
  };
}

/** Values on both sides of the middle as far as they are not negligible beside the best: many cells leave little open. */
function climb<T extends { readonly laplace: number }>(
  sizes: readonly number[],
  modeAt: (size: number, near: T | undefined) => T,
): T[] {
  const middle = Math.floor(sizes.length / 2);
  const found: T[] = [];
  let best = Number.NEGATIVE_INFINITY;
  let [first, near]: (T | undefined)[] = [];
  for (const side of [sizes.slice(middle), sizes.slice(0, middle).reverse()]) {
    near = first;
    for (const size of side) {
      const mode = modeAt(size, near);
      near = mode;
      first ??= mode;
      found.push(mode);
      best = Math.max(best, mode.laplace);
      if (mode.laplace < best - NEGLIGIBLE) break;
    }
  }
  return found;
}

function isFixed({ fit }: Solved, axis: AxisKnots['axis']): boolean {
  return fit.form.fixed.includes(axis === 'slowdown' ? 'bw' : axis);
}

/** d ln CT / d ln(100/bw) of the least-squares fit, per cell; 0 where the fit says that no time passes. */
function sensitivityOf({ fit, cells }: Solved): Float64Array {
  return Float64Array.from({ length: cells.length }, (_, cell) => {
    const setting = settingAt(cells, cell);
    const slope =
      Math.log(predict(fit, { ...setting, bw: setting.bw / 1.01 }) / predict(fit, setting)) / Math.log(1.01);
    return Number.isFinite(slope) ? slope : 0;
  });
}

function logNormal(value: number, { median, sd }: Known): number {
  return -0.5 * (Math.log(value / median) / sd) ** 2;
}

// What rows leave open: the forms that may be true, their unknowns, and how far cells and curves stray from them. Weights are
// marginal likelihoods by importance sampling around each form's mode (Laplace's approximation as the proposal).
// Inner loops index with `?? 0`, see fit/gram.ts.
import { gammaln } from 'simple-statistics';
import { at } from '../../base/at.ts';
import { working } from '../../base/working.ts';
import { backward, cholesky, forward, logDeterminantOf } from '../fit/cholesky.ts';
import type { Cells } from '../fit/collapse.ts';
import type { Solved } from '../fit/fit.ts';
import { predict } from '../forms/predict.ts';
import { distinct, settingAt } from '../rows.ts';
import { createRandom, type Random } from './create-random.ts';
import type { Member } from './member.ts';
import { repetitionNoise } from './noise.ts';
import { type AxisKnots, axesOf, bendColumns, between, type Covariance, covarianceOf, type Strays } from './strays.ts';

/** One form in a mixture, with its weight before any row was seen. */
export interface Rival {
  readonly member: Member;
  readonly solved: Solved;
  readonly prior: number;
}

/** A point that may be true, and how likely it is beside the others. */
export interface Particle {
  readonly rival: Rival;
  readonly values: Float64Array;
  readonly strays: Strays;
  readonly covariance: Covariance;
  readonly weight: number;
}

export interface Posterior {
  readonly cells: Cells;
  readonly axes: readonly AxisKnots[];
  /** Weights sum to 1. */
  readonly particles: readonly Particle[];
  /** Of each rival, in their order; they sum to 1. */
  readonly weights: readonly number[];
  /** Relative standard deviation of one repetition; null with one per cell. */
  readonly repetition: number | null;
}

/**
 * What is known of the strays of programs on clusters, log-normal (docs/methods.md): the scatter of cells, and how many times as
 * large the bend of a curve is. Cells that lie on a curve to a percent speak for a form that is right beyond them as well.
 */
const STRAYS = {
  cell: { median: 0.025, sd: 0.6 },
  bend: { median: 2, sd: 0.4 },
  /** Expected curvature beyond the largest node count, in bends: overheads show late. */
  upward: 0.5,
} as const;
/**
 * How large the bend over nodes is at least where two node counts were measured: their cells at several bandwidths and scales
 * scatter around curves over these, and tell nothing of how one over nodes goes on.
 */
const BEND_OF_TWO_COUNTS = 0.2;
const SIZES = {
  cell: [0.003, 0.007, 0.015, 0.03, 0.07, 0.15, 0.35],
  bend: [2, 1, 4],
} as const;
/** Where counters told how volumes grow: of the usual bend, what all cells of a node count share, in scatters of cells, and no late overhead. */
const COUNTED = { bend: 0.5, offset: 2, upward: 0 };
/** Proposals per form and size of strays, in pairs around the mode. */
const PROPOSALS = { few: 160, many: 32 };
/** From so many cells on a posterior is a bell, and few proposals tell its size. */
const MANY = 30;
/** Degrees of freedom of the proposals: tails that hold the posterior's. */
const FREEDOM = 5;
/** How much wider they are than Laplace's approximation: where a term may be 0 the posterior is no bell. */
const SPREAD = 1.5;
/** A mode this much less likely (ln) than the best adds nothing. */
const NEGLIGIBLE = 8;

export function posteriorOf(rivals: readonly Rival[], cells: Cells): Posterior {
  const axes = axesOf(cells).filter(({ axis }) => !rivals.some(({ solved }) => isFixed(solved, axis)));
  const noise = repetitionNoise(cells);
  const variance = noise.variance.map((own, cell) => own / at(cells.mean, cell) ** 2);
  const y = cells.mean.map((mean) => Math.log(mean));
  const random = createRandom(1);
  const unseen = cells.length > 2 && distinct(cells, 'nodes').length === 2 ? BEND_OF_TWO_COUNTS : 0;
  const problems = rivals.map((rival, index) => ({
    index,
    rival,
    columns: bendColumns(axes, cells, sensitivityOf(rival.solved)),
    counted: rival.member.form.volume !== undefined,
  }));
  const modesAt = (chosen: typeof problems, share: number) =>
    chosen.flatMap(({ index, rival, columns, counted }) => {
      working('weighing models');
      const modeAt = (cell: number, near: { readonly mode: Mode } | undefined) => {
        const start = near?.mode.values ?? rival.member.start;
        const { bend, offset, upward } = counted ? COUNTED : { bend: 1, offset: 0, upward: STRAYS.upward };
        const size = cell * share * bend;
        const strays = {
          cell,
          bend: { nodes: Math.max(size, unseen * bend), slowdown: size, scale: size },
          offset: cell * offset,
          upward: size * upward,
        };
        const covariance = covarianceOf(cells, { variance, columns }, strays);
        const mode = modeOf(rival.member, { y, covariance, start });
        const prior = Math.log(rival.prior) + logNormal(cell, STRAYS.cell) + logNormal(share, STRAYS.bend);
        return { index, rival, strays, covariance, mode, prior, laplace: prior + mode.evidence };
      };
      return climb(SIZES.cell, modeAt);
    });
  // Forms that are out of the question at the usual bend are so at others.
  const [usual, ...others] = SIZES.bend;
  const scouted = modesAt(problems, usual);
  const likeliest = Math.max(...scouted.map(({ laplace }) => laplace));
  const possible = new Set(scouted.filter(({ laplace }) => laplace > likeliest - NEGLIGIBLE).map(({ index }) => index));
  const rest = problems.filter(({ index }) => possible.has(index));
  const modes = [...scouted, ...others.flatMap((share) => modesAt(rest, share))];
  const best = Math.max(...modes.map(({ laplace }) => laplace));
  const drawn = modes
    .filter(({ laplace }) => laplace > best - NEGLIGIBLE)
    .flatMap(({ index, rival, strays, covariance, mode, prior }) =>
      proposalsOf(rival.member, { y, covariance, mode, random }).map(({ values, logWeight }) => ({
        index,
        rival,
        strays,
        covariance,
        values,
        logWeight: logWeight + prior,
      })),
    );
  const most = Math.max(...drawn.map(({ logWeight }) => logWeight));
  const total = drawn.reduce((sum, { logWeight }) => sum + Math.exp(logWeight - most), 0);
  const particles = drawn.map(({ logWeight, ...one }) => ({ ...one, weight: Math.exp(logWeight - most) / total }));
  const weights = rivals.map((_, index) =>
    particles.reduce((sum, one) => sum + (one.index === index ? one.weight : 0), 0),
  );
  return { cells, axes, particles, weights, repetition: noise.repetition };
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

function logNormal(value: number, { median, sd }: { readonly median: number; readonly sd: number }): number {
  return -0.5 * (Math.log(value / median) / sd) ** 2;
}

interface Mode {
  readonly values: Float64Array;
  /** Lower Cholesky factor of the negative second derivative. */
  readonly lower: Float64Array;
  /** ln of the marginal likelihood, by Laplace's approximation. */
  readonly evidence: number;
}

interface Problem {
  readonly y: Float64Array;
  readonly covariance: Covariance;
}

const ROUNDS = 25;
const STEP = 1e-5;

/** Gauss-Newton with Levenberg's damping on residuals and priors. */
function modeOf(member: Member, { y, covariance, start }: Problem & { readonly start: ArrayLike<number> }): Mode {
  const size = member.unknowns.length;
  let values: Float64Array = Float64Array.from(start);
  let at = logDensity(member, { y, covariance }, values);
  let damping = 1e-3;
  let lower: Float64Array = new Float64Array(size * size);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { curvature, slope } = derivatives(member, { y, covariance }, values);
    const plain = cholesky(curvature, size);
    if (!plain) break;
    lower = plain;
    let gained = 0;
    for (; damping < 1e6; damping *= 8) {
      const damped = cholesky(withDamping(curvature, size, damping), size);
      if (!damped) continue;
      const step = backward(damped, forward(damped, slope.slice()));
      const next = values.map((value, index) => value + (step[index] ?? 0));
      const density = logDensity(member, { y, covariance }, next);
      if (density >= at) {
        gained = density - at;
        values = next;
        at = density;
        damping = Math.max(damping / 8, 1e-6);
        break;
      }
    }
    if (!(gained > 1e-4)) break;
  }
  const evidence = at + (size / 2) * Math.log(2 * Math.PI) - logDeterminantOf(lower, size) / 2;
  return { values, lower, evidence };
}

/** Levenberg's: each element of the diagonal larger by this share. */
function withDamping(matrix: Float64Array, size: number, share: number): Float64Array {
  return matrix.map((value, index) => (index % (size + 1) === 0 ? value * (1 + share) : value));
}

/** ln of likelihood times prior, up to a constant that all forms share. */
function logDensity(member: Member, { y, covariance }: Problem, values: ArrayLike<number>): number {
  const rest = member.logTimes(values, scratch(y.length));
  for (let cell = 0; cell < y.length; cell += 1) rest[cell] = (y[cell] ?? 0) - (rest[cell] ?? 0);
  let density = -0.5 * (covariance.square(rest) + covariance.logDeterminant);
  for (let index = 0; index < member.unknowns.length; index += 1) {
    const { mean, sd } = at(member.unknowns, index);
    density -= 0.5 * (((values[index] ?? 0) - mean) / sd) ** 2 + Math.log(sd * Math.sqrt(2 * Math.PI));
  }
  return Number.isFinite(density) ? density : Number.NEGATIVE_INFINITY;
}

/** One array for residuals that nobody keeps: small typed arrays cost more to make than to fill. */
function scratch(length: number): Float64Array {
  if (residuals.length !== length) residuals = new Float64Array(length);
  return residuals;
}
let residuals: Float64Array = new Float64Array(0);

function derivatives(member: Member, { y, covariance }: Problem, values: Float64Array) {
  const size = values.length;
  const times = member.logTimes(values);
  const rest = covariance.whiten(y.map((value, cell) => value - (times[cell] ?? 0)));
  const columns = Array.from(values, (_, index) => {
    const moved = values.slice();
    moved[index] = (moved[index] ?? 0) + STEP;
    return covariance.whiten(member.logTimes(moved).map((value, cell) => (value - (times[cell] ?? 0)) / STEP));
  });
  const curvature = new Float64Array(size * size);
  const slope = new Float64Array(size);
  for (const [a, column] of columns.entries()) {
    const { mean, sd } = at(member.unknowns, a);
    slope[a] = between(column, rest) - ((values[a] ?? 0) - mean) / sd ** 2;
    for (let b = 0; b <= a; b += 1) {
      const value = between(column, at(columns, b)) + (a === b ? 1 / sd ** 2 : 0);
      curvature[a * size + b] = value;
      curvature[b * size + a] = value;
    }
  }
  return { curvature, slope };
}

/** Draws from a t distribution around the mode, each with ln(density / proposal) less the ln of their number. */
function proposalsOf(
  member: Member,
  { mode, random, ...problem }: Problem & { readonly mode: Mode; readonly random: Random },
): { readonly values: Float64Array; readonly logWeight: number }[] {
  const size = mode.values.length;
  const constant =
    gammaln((FREEDOM + size) / 2) -
    gammaln(FREEDOM / 2) -
    (size / 2) * Math.log(FREEDOM * Math.PI) +
    logDeterminantOf(mode.lower, size) / 2 -
    size * Math.log(SPREAD);
  const proposals = problem.y.length < MANY ? PROPOSALS.few : PROPOSALS.many;
  return Array.from({ length: proposals / 2 }).flatMap(() => {
    const normal = Float64Array.from({ length: size }, () => random.normal());
    const stretch = Math.sqrt(FREEDOM / random.chiSquared(FREEDOM));
    const distance = normal.reduce((sum, value) => sum + value ** 2, 0) * stretch ** 2;
    const logProposal = constant - ((FREEDOM + size) / 2) * Math.log(1 + distance / FREEDOM);
    const step = backward(mode.lower, normal.slice()).map((value) => value * stretch * SPREAD);
    return [1, -1].map((sign) => {
      const values = mode.values.map((value, index) => value + sign * (step[index] ?? 0));
      return { values, logWeight: logDensity(member, problem, values) - logProposal - Math.log(proposals) };
    });
  });
}

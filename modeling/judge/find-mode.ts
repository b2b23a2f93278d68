// Where a form's posterior density is highest, by Gauss-Newton, and draws around it (Laplace's approximation as the proposal).
// Inner loops index with `?? NaN`, see fit/gram.ts.
import { gammaln } from 'simple-statistics';
import { at } from '../../base/lists.ts';
import { backward, cholesky, computeLogDeterminant, forward } from '../fit/cholesky.ts';
import { dot } from '../fit/gram.ts';
import type { Random } from './distributions.ts';
import type { Member } from './member.ts';
import type { Covariance } from './strays.ts';

/** Proposals per form and size of strays, in pairs around the mode. */
const PROPOSALS = { few: 160, many: 32 };
/** From so many cells on a posterior is a bell, and few proposals tell its size. */
const MANY = 30;
/** Degrees of freedom of the proposals: tails that hold the posterior's. */
const FREEDOM = 5;
/** How much wider they are than Laplace's approximation: where a term may be 0 the posterior is no bell. */
const SPREAD = 1.5;

export interface Mode {
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

/** Gauss-Newton with Levenberg's damping on residuals and priors. */
export function findMode(
  member: Member,
  { y, covariance, start }: Problem & { readonly start: ArrayLike<number> },
): Mode {
  const size = member.unknowns.length;
  const { curvature, slope, setDerivatives } = createDerivatives(member, { y, covariance });
  let values: Float64Array = Float64Array.from(start);
  let next: Float64Array = new Float64Array(size);
  let at = logDensity(member, { y, covariance }, values);
  let damping = 1e-3;
  let lower: Float64Array = new Float64Array(size * size);
  for (let round = 0; round < ROUNDS; round += 1) {
    setDerivatives(values);
    const plain = cholesky(curvature, size);
    if (!plain) break;
    lower = plain;
    let gained = 0;
    for (; damping < 1e6; damping *= 8) {
      const damped = cholesky(withDamping(curvature, size, damping), size);
      if (!damped) continue;
      next.set(slope);
      backward(damped, forward(damped, next));
      for (let index = 0; index < size; index += 1) next[index] = (next[index] ?? NaN) + (values[index] ?? NaN);
      const density = logDensity(member, { y, covariance }, next);
      if (density >= at) {
        gained = density - at;
        [values, next] = [next, values];
        at = density;
        damping = Math.max(damping / 8, 1e-6);
        break;
      }
    }
    if (!(gained > 1e-4)) break;
  }
  const evidence = at + (size / 2) * Math.log(2 * Math.PI) - computeLogDeterminant(lower, size) / 2;
  return { values, lower, evidence };
}

/** Levenberg's: each element of the diagonal larger by this share. */
function withDamping(matrix: Float64Array, size: number, share: number): Float64Array {
  const damped = matrix.slice();
  for (let index = 0; index < damped.length; index += size + 1) {
    damped[index] = (damped[index] ?? NaN) * (1 + share);
  }
  return damped;
}

/** ln of likelihood times prior, up to a constant that all forms share. */
function logDensity(member: Member, { y, covariance }: Problem, values: ArrayLike<number>): number {
  const rest = setResiduals(member, y, values);
  let density = -0.5 * (covariance.square(rest) + covariance.logDeterminant);
  for (let index = 0; index < member.unknowns.length; index += 1) {
    const { mean, sd, logNorm } = at(member.unknowns, index);
    density -= 0.5 * (((values[index] ?? NaN) - mean) / sd) ** 2 + logNorm;
  }
  return Number.isFinite(density) ? density : Number.NEGATIVE_INFINITY;
}

/** y less the logarithms of times, in an array that the next call overwrites: small typed arrays cost more to make than to fill. */
function setResiduals(member: Member, y: Float64Array, values: ArrayLike<number>): Float64Array {
  if (residuals.length !== y.length) residuals = new Float64Array(y.length);
  const rest = member.logTimes(values, residuals);
  for (let cell = 0; cell < y.length; cell += 1) rest[cell] = (y[cell] ?? NaN) - (rest[cell] ?? NaN);
  return rest;
}
let residuals: Float64Array = new Float64Array(0);

/** Slope and curvature (negative, of Gauss and Newton) of the density where `setDerivatives` was last called. */
function createDerivatives(member: Member, { y, covariance }: Problem) {
  const [size, cells] = [member.unknowns.length, y.length];
  const curvature = new Float64Array(size * size);
  const slope = new Float64Array(size);
  const slopes = new Float64Array(size * cells);
  const columns = Array.from({ length: size }, (_, index) => ({
    slope: slopes.subarray(index * cells, (index + 1) * cells),
    white: new Float64Array(covariance.length),
  }));
  const rest = new Float64Array(covariance.length);
  const setDerivatives = (values: Float64Array): void => {
    covariance.whiten(setResiduals(member, y, values), rest);
    member.slopes(values, slopes);
    for (let a = 0; a < size; a += 1) {
      const { slope: own, white } = at(columns, a);
      covariance.whiten(own, white);
      const { mean, sd } = at(member.unknowns, a);
      slope[a] = covariance.between(white, rest) - ((values[a] ?? NaN) - mean) / sd ** 2;
      for (let b = 0; b <= a; b += 1) {
        const value = covariance.between(white, at(columns, b).white) + (a === b ? 1 / sd ** 2 : 0);
        curvature[a * size + b] = value;
        curvature[b * size + a] = value;
      }
    }
  };
  return { curvature, slope, setDerivatives };
}

/** Draws from a t distribution around the mode, one after the other, each with ln(density / proposal) less the ln of their number. */
export function drawAround(
  member: Member,
  { mode, random, ...problem }: Problem & { readonly mode: Mode; readonly random: Random },
): { readonly values: Float64Array; readonly logWeights: Float64Array } {
  const size = mode.values.length;
  const constant =
    gammaln((FREEDOM + size) / 2) -
    gammaln(FREEDOM / 2) -
    (size / 2) * Math.log(FREEDOM * Math.PI) +
    computeLogDeterminant(mode.lower, size) / 2 -
    size * Math.log(SPREAD);
  const proposals = problem.y.length < MANY ? PROPOSALS.few : PROPOSALS.many;
  const normal = new Float64Array(size);
  const step = new Float64Array(size);
  const values = new Float64Array(proposals * size);
  const logWeights = new Float64Array(proposals);
  for (let pair = 0; pair < proposals; pair += 2) {
    for (let index = 0; index < size; index += 1) normal[index] = random.normal();
    const stretch = Math.sqrt(FREEDOM / random.chiSquared(FREEDOM));
    const distance = dot(normal, normal) * stretch ** 2;
    const logProposal = constant - ((FREEDOM + size) / 2) * Math.log(1 + distance / FREEDOM);
    step.set(normal);
    backward(mode.lower, step);
    for (const draw of [pair, pair + 1]) {
      const sign = draw === pair ? 1 : -1;
      const own = values.subarray(draw * size, (draw + 1) * size);
      for (let index = 0; index < size; index += 1)
        own[index] = (mode.values[index] ?? NaN) + sign * ((step[index] ?? NaN) * stretch * SPREAD);
      logWeights[draw] = logDensity(member, problem, own) - logProposal - Math.log(proposals);
    }
  }
  return { values, logWeights };
}

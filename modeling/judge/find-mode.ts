// Where a form's posterior density is highest, by Gauss-Newton, and draws around it (Laplace's approximation as the proposal).
// Inner loops index with `?? NaN`, see fit/gram.ts.
import { gammaln } from 'simple-statistics';
import { at } from '../../base/lists.ts';
import { backward, cholesky, computeLogDeterminant, forward } from '../fit/cholesky.ts';
import { dot } from '../fit/gram.ts';
import type { Random } from './distributions.ts';
import type { Member } from './member.ts';
import { between, type Covariance } from './strays.ts';

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
const STEP = 1e-5;

/** Gauss-Newton with Levenberg's damping on residuals and priors. */
export function findMode(
  member: Member,
  { y, covariance, start }: Problem & { readonly start: ArrayLike<number> },
): Mode {
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
      const next = values.map((value, index) => value + (step[index] ?? NaN));
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
  const evidence = at + (size / 2) * Math.log(2 * Math.PI) - computeLogDeterminant(lower, size) / 2;
  return { values, lower, evidence };
}

/** Levenberg's: each element of the diagonal larger by this share. */
function withDamping(matrix: Float64Array, size: number, share: number): Float64Array {
  return matrix.map((value, index) => (index % (size + 1) === 0 ? value * (1 + share) : value));
}

/** ln of likelihood times prior, up to a constant that all forms share. */
function logDensity(member: Member, { y, covariance }: Problem, values: ArrayLike<number>): number {
  const rest = member.logTimes(values, scratch(y.length));
  for (let cell = 0; cell < y.length; cell += 1) rest[cell] = (y[cell] ?? NaN) - (rest[cell] ?? NaN);
  let density = -0.5 * (covariance.square(rest) + covariance.logDeterminant);
  for (let index = 0; index < member.unknowns.length; index += 1) {
    const { mean, sd, logNorm } = at(member.unknowns, index);
    density -= 0.5 * (((values[index] ?? NaN) - mean) / sd) ** 2 + logNorm;
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
  const rest = covariance.whiten(y.map((value, cell) => value - (times[cell] ?? NaN)));
  const columns = Array.from(values, (_, index) => {
    const moved = values.slice();
    moved[index] = (moved[index] ?? NaN) + STEP;
    return covariance.whiten(member.logTimes(moved).map((value, cell) => (value - (times[cell] ?? NaN)) / STEP));
  });
  const curvature = new Float64Array(size * size);
  const slope = new Float64Array(size);
  for (const [a, column] of columns.entries()) {
    const { mean, sd } = at(member.unknowns, a);
    slope[a] = between(column, rest) - ((values[a] ?? NaN) - mean) / sd ** 2;
    for (let b = 0; b <= a; b += 1) {
      const value = between(column, at(columns, b)) + (a === b ? 1 / sd ** 2 : 0);
      curvature[a * size + b] = value;
      curvature[b * size + a] = value;
    }
  }
  return { curvature, slope };
}

/** Draws from a t distribution around the mode, each with ln(density / proposal) less the ln of their number. */
export function drawAround(
  member: Member,
  { mode, random, ...problem }: Problem & { readonly mode: Mode; readonly random: Random },
): { readonly values: Float64Array; readonly logWeight: number }[] {
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
  const drawn: { readonly values: Float64Array; readonly logWeight: number }[] = [];
  for (let pair = 0; pair < proposals / 2; pair += 1) {
    for (let index = 0; index < size; index += 1) normal[index] = random.normal();
    const stretch = Math.sqrt(FREEDOM / random.chiSquared(FREEDOM));
    const distance = dot(normal, normal) * stretch ** 2;
    const logProposal = constant - ((FREEDOM + size) / 2) * Math.log(1 + distance / FREEDOM);
    step.set(normal);
    backward(mode.lower, step);
    for (const sign of [1, -1]) {
      const values = mode.values.slice();
      for (let index = 0; index < size; index += 1)
        values[index] = (values[index] ?? NaN) + sign * ((step[index] ?? NaN) * stretch * SPREAD);
      drawn.push({
        values,
        logWeight: logDensity(member, problem, values) - logProposal - Math.log(proposals),
      });
    }
  }
  return drawn;
}

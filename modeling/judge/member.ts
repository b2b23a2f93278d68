// A form as a function of unknowns that may have any value: the logarithm of its time, cell by cell.
import { at } from '../../base/lists.ts';
import type { Solved } from '../fit/fit.ts';
import { SERIAL } from '../forms/candidates.ts';
import { type Form, usesAlpha } from '../forms/form.ts';
import {
  computeLogTimes,
  computeSlopes,
  createShape,
  type MemberOf,
  type MemberTerm,
  type Searched,
  type Shape,
  setCoefficients,
} from './member-times.ts';

/** One unknown and what is known of it before any row: normal with this mean and standard deviation. */
interface Unknown {
  readonly mean: number;
  readonly sd: number;
  /** ln of sd sqrt(2 pi). */
  readonly logNorm: number;
}

/**
 * A form that competes in a mixture. Its unknowns, in this order: ln of the first term's time; ln of each other term's
 * time over the first's, where the smallest cluster was measured on the fullest link (terms that grow with nodes: where
 * the largest was; of a term whose bytes were counted what it takes beyond them); ln ln alpha; the deviations of those terms' powers
 * of x that are unknown; that of the power of D.
 */
export interface Member {
  readonly form: Form;
  readonly unknowns: readonly Unknown[];
  /** Where the form's own best fit lies. */
  readonly start: readonly number[];
  /** ln CT (s) per cell, in a new array unless one is given. */
  readonly logTimes: (values: ArrayLike<number>, into?: Float64Array) => Float64Array;
  /** d ln CT / d unknown per cell, one unknown after the other. */
  readonly slopes: (values: ArrayLike<number>, into: Float64Array) => void;
  /** The form with its powers, its coefficients by name, and alpha. */
  readonly toFit: (values: ArrayLike<number>) => {
    readonly form: Form;
    readonly coefficients: Readonly<Record<string, number>>;
    readonly alpha: number | null;
  };
}

/** What is known of coefficients, alpha and powers of the programs that people run. */
const PRIORS = {
  /** ln of communication over work on the smallest cluster. */
  share: { mean: -0.835, sd: 0.61 },
  /** ln of a cost that grows with nodes over work, on the largest cluster. */
  growing: { mean: -3, sd: 3 },
  /** ln of what threads do not share over what they do, with one thread: a hundredth to two thirds of it. */
  serial: { mean: -2.3, sd: 1.3 },
  /** ln ln alpha: alpha 1.01 to 1.5. */
  alpha: { mean: Math.log(0.1), sd: 1.2 },
  /** By which share the power of D is more than the form's own. */
  size: { mean: 0, sd: 0.25 },
} as const;

export function createMember({ form, solved, shrinks = [] }: MemberOf): Member {
  const shape = createShape({ form, solved, shrinks });
  const { terms, searched, current } = shape;
  const unknowns = [
    { mean: Math.log(geometricMean(solved.cells.mean)), sd: 4 },
    ...form.terms.slice(1).map(({ name }, index) => {
      if (name === SERIAL) return PRIORS.serial;
      return terms[index + 1]?.growing ? PRIORS.growing : PRIORS.share;
    }),
    ...searched.map((name) => {
      if (name === 'u') return PRIORS.alpha;
      if (name === 'D') return PRIORS.size;
      const { mean, sd } = shrinks[name] ?? { mean: Number.NaN, sd: Number.NaN };
      return { mean: -mean - (form.terms[name]?.basis.x ?? 0), sd };
    }),
  ].map(({ mean, sd }): Unknown => ({ mean, sd, logNorm: Math.log(sd * Math.sqrt(2 * Math.PI)) }));
  return {
    form,
    unknowns,
    start: findStart(shape, solved, unknowns),
    logTimes: (values, into = new Float64Array(solved.cells.length)) => computeLogTimes(shape, values, into),
    slopes: (values, into) => computeSlopes(shape, values, into),
    toFit: (values) => {
      setCoefficients(shape, values);
      const { coefficients, powers } = current;
      return {
        form: moved(form, searched, powers),
        coefficients: Object.fromEntries(form.terms.map(({ name }, term) => [name, Math.exp(at(coefficients, term))])),
        alpha: usesAlpha(form) ? Math.exp(at(powers, 0)) : null,
      };
    },
  };
}

/** The least-squares fit in these unknowns, where their priors allow it. */
function findStart(shape: Shape, { fit, cells, u: logAlpha }: Solved, unknowns: readonly Unknown[]): number[] {
  const { form, terms, searched, current } = shape;
  const values = unknowns.map(({ mean }) => mean);
  const size = (fit.form.terms[0]?.basis.D ?? 1) / (form.terms[0]?.basis.D ?? 1) - 1;
  for (const [index, name] of searched.entries()) {
    if (name === 'u') values[terms.length + index] = Math.log(Math.max(logAlpha, 1e-3));
    if (name === 'D') values[terms.length + index] = size;
  }
  setCoefficients(shape, values);
  // By which value a term gets its coefficient, beside the powers.
  const valueFor = ({ least, constant, byPower }: MemberTerm, index: number): number => {
    const coefficient = fit.coefficients[form.terms[index]?.name ?? ''] ?? 0;
    const moves = byPower.reduce((sum, by, power) => sum + by * at(current.powers, power), 0);
    return Math.log(Math.max(0, coefficient - least)) - constant - moves;
  };
  const work = valueFor(at(terms, 0), 0);
  for (const [index, term] of terms.entries()) {
    if (index === 0) continue;
    const ratio = valueFor(term, index) - work;
    const { mean, sd } = at(unknowns, index);
    values[index] = Number.isNaN(ratio) ? mean : Math.min(mean + 3 * sd, Math.max(mean - 2 * sd, ratio));
  }
  values[0] = 0;
  const rest = computeLogTimes(shape, values, new Float64Array(cells.length));
  values[0] = rest.reduce((sum, value, cell) => sum + (Math.log(at(cells.mean, cell)) - value) / rest.length, 0);
  return values;
}

/** What is added to terms' powers of x, and by which share the powers of D are more. */
function moved(form: Form, searched: readonly Searched[], powers: Float64Array): Form {
  const powerOf = (name: Searched): number => powers[searched.indexOf(name)] ?? 0;
  if (searched.every((name) => name === 'u' || powerOf(name) === 0)) return form;
  const D = powerOf('D');
  return {
    ...form,
    terms: form.terms.map((term, index) => {
      const x = powerOf(index);
      return {
        ...term,
        basis: {
          ...term.basis,
          ...(x === 0 ? {} : { x: (term.basis.x ?? 0) + x }),
          ...(term.basis.D !== undefined && !term.counted && D !== 0 ? { D: term.basis.D * (1 + D) } : {}),
        },
      };
    }),
  };
}

function geometricMean(values: Float64Array): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

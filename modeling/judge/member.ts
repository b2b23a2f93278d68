// A form as a function of unknowns that may have any value: the logarithm of its time, cell by cell.
// Inner loops index with `?? NaN`, see fit/gram.ts.
import { at, last } from '../../base/lists.ts';
import type { Solved } from '../fit/fit.ts';
import { type Basis, type BasisPoint, basisAt, type Form, softMaximum, usesAlpha } from '../forms/form.ts';
import { distinct, settingAt } from '../rows.ts';

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
  readonly logTimes: (unknowns: ArrayLike<number>, into?: Float64Array) => Float64Array;
  /** The form with its powers, its coefficients by name, and alpha. */
  readonly toFit: (unknowns: ArrayLike<number>) => {
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
  growing: { mean: -3, sd: 1.5 },
  /** ln ln alpha: alpha 1.01 to 1.5. */
  alpha: { mean: Math.log(0.1), sd: 1.2 },
  /** By which share the power of D is more than the form's own. */
  size: { mean: 0, sd: 0.25 },
} as const;

/** What is known of the power of 1/x with which a term shrinks. */
export interface Shrink {
  readonly mean: number;
  readonly sd: number;
}

/** A form as it was fitted, and which of its terms shrink with a power of x that is an unknown. */
interface MemberOf {
  /** As it was before a power of D was found for it. */
  readonly form: Form;
  readonly solved: Solved;
  /** Per term; what is left out keeps its power. */
  readonly shrinks?: readonly (Shrink | undefined)[];
}

/** One point of the rows, as logarithms where powers are multiplied. */
interface Place extends BasisPoint {
  readonly logX: number;
  readonly logD: number;
}

export function createMember({ form, solved, shrinks = [] }: MemberOf): Member {
  const shape = createShape({ form, solved, shrinks });
  const { terms, searched } = shape;
  const unknowns = [
    { mean: Math.log(geometricMean(solved.cells.mean)), sd: 4 },
    ...terms.slice(1).map(({ growing }) => (growing ? PRIORS.growing : PRIORS.share)),
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
    toFit: (values) => {
      const powers = powersOf(shape, values);
      const logs = logCoefficients(shape, values, powers);
      return {
        form: moved(form, powers),
        coefficients: Object.fromEntries(form.terms.map(({ name }, term) => [name, Math.exp(at(logs, term))])),
        alpha: usesAlpha(form) ? Math.exp(powers.u) : null,
      };
    },
  };
}

/** A term as its unknowns move it. */
interface MemberTerm {
  /** ln of its basis on the smallest cluster, and on the largest, both on the fullest link. */
  readonly atFirst: (powers: Powers) => number;
  readonly atLargest: (powers: Powers) => number;
  readonly growing: boolean;
  readonly least: number;
  /** Exponent of w. */
  readonly w: number;
  /** How often the power of D is in it. */
  readonly freeD: number;
  /** ln of what does not move, per cell. */
  readonly logs: Float64Array;
}

/** What a member's times are computed from. */
interface Shape {
  readonly form: Form;
  readonly terms: readonly MemberTerm[];
  /** Per cell: 100/bw, ln of its ranks, and of its size. */
  readonly s: Float64Array;
  readonly logX: Float64Array;
  readonly logD: Float64Array;
  /** Unknowns after those of the terms; a number is the term whose power of x it is. */
  readonly searched: readonly ('u' | number | 'D')[];
}

function createShape({ form, solved: { fit, cells }, shrinks }: Required<MemberOf>): Shape {
  const [nodes, bw, scales] = [distinct(cells, 'nodes'), distinct(cells, 'bw'), distinct(cells, 'scale')];
  const placeOf = (setting: { readonly nodes: number; readonly bw: number; readonly scale: number }): Place => {
    const [x, D] = [setting.nodes * fit.ranksPerNode, 2 ** (setting.scale - fit.baseScale)];
    return { n: setting.nodes, x, D, s: 100 / setting.bw, w: 1, logX: Math.log(x), logD: Math.log(D) };
  };
  const places = Array.from({ length: cells.length }, (_, cell) => placeOf(settingAt(cells, cell)));
  const onAll = { bw: last(bw), scale: at(scales, 0) };
  const [first, largest] = [placeOf({ ...onAll, nodes: at(nodes, 0) }), placeOf({ ...onAll, nodes: last(nodes) })];
  const freeSize = form.freeSize === true && scales.length > 1;
  const terms = form.terms.map(({ basis, counted }, index): MemberTerm => {
    const { w = 0, ...still } = basis;
    const freeD = freeSize && !counted ? (basis.D ?? 0) : 0;
    const logAt = (place: Place): MemberTerm['atFirst'] => {
      const { s, logX, logD } = place;
      const log = Math.log(basisAt(still, place));
      return ({ u, x, D }) => log + w * u * s + (x[index] ?? 0) * logX + freeD * D * logD;
    };
    return {
      atFirst: logAt(first),
      atLargest: logAt(largest),
      growing: grows(basis) || !(basisAt(still, first) > 0),
      least: counted?.least ?? 0,
      w,
      freeD,
      logs: Float64Array.from(places, (one) => Math.log(basisAt(still, one))),
    };
  });
  return {
    form,
    terms,
    s: Float64Array.from(places, ({ s }) => s),
    logX: Float64Array.from(places, ({ logX }) => logX),
    logD: Float64Array.from(places, ({ logD }) => logD),
    searched: [
      ...(usesAlpha(form) ? (['u'] as const) : []),
      ...[...form.terms.keys()].filter((term) => shrinks[term] !== undefined),
      ...(freeSize ? (['D'] as const) : []),
    ],
  };
}

function powersOf({ terms, searched }: Shape, values: ArrayLike<number>): Powers {
  const powers = { u: 0, x: terms.map(() => 0), D: 0 };
  for (const [index, name] of searched.entries()) {
    const value = values[terms.length + index] ?? NaN;
    if (name === 'u') powers.u = Math.exp(value);
    else if (name === 'D') powers.D = value;
    else powers.x[name] = value;
  }
  return powers;
}

/** Where a term's coefficient is known by its time. */
function knownAt({ growing }: MemberTerm): 'atFirst' | 'atLargest' {
  return growing ? 'atLargest' : 'atFirst';
}

function logCoefficients({ terms }: Shape, values: ArrayLike<number>, powers: Powers): number[] {
  const firstTerm = at(terms, 0);
  const work = (values[0] ?? NaN) - firstTerm.atFirst(powers);
  return terms.map((term, index) => {
    if (index === 0) return work;
    const place = knownAt(term);
    const own = work + firstTerm[place](powers) + (values[index] ?? NaN) - term[place](powers);
    return term.least > 0 ? Math.log(term.least + Math.exp(own)) : own;
  });
}

/** Per term and cell e^(coefficient + still + ...): the loop that all weighing of forms waits for. */
function computeLogTimes(shape: Shape, values: ArrayLike<number>, result: Float64Array): Float64Array {
  const { form, terms, s, logX, logD } = shape;
  const { overlap, terms: asked } = form;
  const powers = powersOf(shape, values);
  const coefficients = logCoefficients(shape, values, powers);
  const cells = result.length;
  const sums = { whole: result.fill(0), processing: result, communication: result };
  if (overlap !== undefined) {
    sums.processing = new Float64Array(cells);
    sums.communication = new Float64Array(cells);
  }
  for (const [index, { w, freeD, logs }] of terms.entries()) {
    const sum = sums[asked[index]?.part ?? 'whole'];
    const constant = coefficients[index] ?? NaN;
    const [byS, byX, byD] = [w * powers.u, powers.x[index] ?? NaN, freeD * powers.D];
    for (let cell = 0; cell < cells; cell += 1) {
      const still = constant + (logs[cell] ?? NaN);
      const log = still + byS * (s[cell] ?? NaN) + byX * (logX[cell] ?? NaN) + byD * (logD[cell] ?? NaN);
      sum[cell] = (sum[cell] ?? NaN) + Math.exp(log);
    }
  }
  for (let cell = 0; cell < cells; cell += 1) {
    const hidden =
      overlap === undefined ? 0 : softMaximum(sums.processing[cell] ?? NaN, sums.communication[cell] ?? NaN, overlap);
    result[cell] = Math.log((result[cell] ?? NaN) + hidden);
  }
  return result;
}

/** The least-squares fit in these unknowns, where their priors allow it. */
function findStart(shape: Shape, { fit, cells, u: logAlpha }: Solved, unknowns: readonly Unknown[]): number[] {
  const { form, terms, searched } = shape;
  const values = unknowns.map(({ mean }) => mean);
  const size = (fit.form.terms[0]?.basis.D ?? 1) / (form.terms[0]?.basis.D ?? 1) - 1;
  for (const [index, name] of searched.entries()) {
    if (name === 'u') values[terms.length + index] = Math.log(Math.max(logAlpha, 1e-3));
    if (name === 'D') values[terms.length + index] = size;
  }
  const powers = powersOf(shape, values);
  const timeOf = ({ least }: MemberTerm, index: number): number =>
    Math.log(Math.max(0, (fit.coefficients[form.terms[index]?.name ?? ''] ?? 0) - least));
  const work = at(terms, 0);
  for (const [index, term] of terms.entries()) {
    if (index === 0) continue;
    const place = knownAt(term);
    const ratio = timeOf(term, index) + term[place](powers) - timeOf(work, 0) - work[place](powers);
    const { mean, sd } = at(unknowns, index);
    values[index] = Number.isNaN(ratio) ? mean : Math.min(mean + 3 * sd, Math.max(mean - 2 * sd, ratio));
  }
  values[0] = 0;
  const rest = computeLogTimes(shape, values, new Float64Array(cells.length));
  values[0] = rest.reduce((sum, value, cell) => sum + (Math.log(at(cells.mean, cell)) - value) / rest.length, 0);
  return values;
}

/** ln alpha; what is added to each term's power of x; by which share the powers of D are more. */
interface Powers {
  readonly u: number;
  readonly x: readonly number[];
  readonly D: number;
}

/** A cost that grows with nodes is compared with work on the largest cluster: on the smallest it may be 0. */
function grows(basis: Basis): boolean {
  const spread = (basis.others ?? 0) + (basis.otherHosts ?? 0);
  const power = (basis.x ?? 0) + spread;
  return power > 0 || (spread !== 0 && power === 0) || (basis.lnX ?? 0) > 0;
}

function moved(form: Form, { x, D }: Powers): Form {
  if (x.every((one) => one === 0) && D === 0) return form;
  return {
    ...form,
    terms: form.terms.map((term, index) => ({
      ...term,
      basis: {
        ...term.basis,
        ...(x[index] ? { x: (term.basis.x ?? 0) + x[index] } : {}),
        ...(term.basis.D !== undefined && !term.counted && D !== 0 ? { D: term.basis.D * (1 + D) } : {}),
      },
    })),
  };
}

function geometricMean(values: Float64Array): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

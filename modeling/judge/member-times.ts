// ln of a form's time per cell, as a function of a member's unknowns (member.ts), and how it changes with them.
// Inner loops index with `?? NaN`, see fit/gram.ts.
import { at, last } from '../../base/lists.ts';
import type { Solved } from '../fit/fit.ts';
import { type Basis, type BasisPoint, basisAt, type Form, softMaximum, usesAlpha } from '../forms/form.ts';
import { distinct, settingAt, type Target } from '../rows.ts';

/** What is known of the power of 1/x with which a term shrinks. */
export interface Shrink {
  readonly mean: number;
  readonly sd: number;
}

/** A form as it was fitted, and which of its terms shrink with a power of x that is an unknown. */
export interface MemberOf {
  /** As it was before a power of D was found for it. */
  readonly form: Form;
  readonly solved: Solved;
  /** Per term; what is left out keeps its power. */
  readonly shrinks?: readonly (Shrink | undefined)[];
}

/** What of a form's powers is unknown; a number is the term whose power of x it is. */
export type Searched = 'u' | number | 'D';

/** A term as its unknowns move it. */
export interface MemberTerm {
  readonly growing: boolean;
  readonly least: number;
  /** ln of what does not move, per cell. */
  readonly logs: Float64Array;
  /** ln of the coefficient of a term as long as the first, where its time is known; and what each unknown power adds to that. */
  readonly constant: number;
  readonly byPower: readonly number[];
  /** What multiplies each unknown power times its axis in ln of the term's time. */
  readonly moves: readonly number[];
}

/** What a member's times are computed from. */
export interface Shape {
  readonly form: Form;
  readonly terms: readonly MemberTerm[];
  readonly searched: readonly Searched[];
  /** What each unknown power multiplies, per cell: 100/bw, ln of the ranks or of the size. */
  readonly axes: readonly Float64Array[];
  readonly current: Current;
}

/** What the last values made; overwritten, because millions of values are looked at. */
interface Current {
  readonly powers: Float64Array;
  /** ln of each term's coefficient, and how much of a change of the unknowns reaches it. */
  readonly coefficients: Float64Array;
  readonly reached: Float64Array;
  /** Seconds per cell of each term; of both parts where they overlap; of all. */
  readonly times: readonly Float64Array[];
  readonly processing: Float64Array;
  readonly communication: Float64Array;
  readonly sum: Float64Array;
}

export function createShape({ form, solved: { fit, cells }, shrinks }: Required<MemberOf>): Shape {
  const [nodes, bw, scales] = [distinct(cells, 'nodes'), distinct(cells, 'bw'), distinct(cells, 'scale')];
  const threads = at(distinct(cells, 'threads'), 0);
  const pointOf = (setting: Target): BasisPoint => {
    const [x, D] = [setting.nodes * fit.ranksPerNode, 2 ** (setting.scale - fit.baseScale)];
    return { n: setting.nodes, x, t: setting.threads ?? threads, D, s: 100 / setting.bw, w: 1 };
  };
  const points = Array.from({ length: cells.length }, (_, cell) => pointOf(settingAt(cells, cell)));
  const onAll = { bw: last(bw), scale: at(scales, 0) };
  const [first, largest] = [pointOf({ ...onAll, nodes: at(nodes, 0) }), pointOf({ ...onAll, nodes: last(nodes) })];
  const freeSize = form.freeSize === true && scales.length > 1;
  const searched: readonly Searched[] = [
    ...(usesAlpha(form) ? (['u'] as const) : []),
    ...[...form.terms.keys()].filter((term) => shrinks[term] !== undefined),
    ...(freeSize ? (['D'] as const) : []),
  ];
  const movesOf = (index: number): number[] => {
    const { basis, counted } = at(form.terms, index);
    return searched.map((name) => {
      if (name === 'u') return basis.w ?? 0;
      if (name === 'D') return counted ? 0 : (basis.D ?? 0);
      return name === index ? 1 : 0;
    });
  };
  const logAt = (index: number, point: BasisPoint): number => {
    const { w: _, ...still } = at(form.terms, index).basis;
    return Math.log(basisAt(still, point));
  };
  const moveAt = (index: number, point: BasisPoint): number[] =>
    movesOf(index).map((move, power) => move * alongOf(at(searched, power), point));
  const terms = form.terms.map(({ basis, counted }, index): MemberTerm => {
    const growing = grows(basis) || !(logAt(index, first) > Number.NEGATIVE_INFINITY);
    // The first term's time is known on the smallest cluster, another's beside it at the place where that is known.
    const place = growing ? largest : first;
    const [workFirst, workThere, own] = [moveAt(0, first), moveAt(0, place), moveAt(index, place)];
    const isWork = index === 0;
    return {
      growing,
      least: counted?.least ?? 0,
      logs: Float64Array.from(points, (point) => logAt(index, point)),
      constant: isWork ? -logAt(0, first) : logAt(0, place) - logAt(0, first) - logAt(index, place),
      byPower: searched.map((_, power) =>
        isWork ? -at(workFirst, power) : at(workThere, power) - at(workFirst, power) - at(own, power),
      ),
      moves: movesOf(index),
    };
  });
  const column = (): Float64Array => new Float64Array(cells.length);
  return {
    form,
    terms,
    searched,
    axes: searched.map((name) => Float64Array.from(points, (point) => alongOf(name, point))),
    current: {
      powers: new Float64Array(searched.length),
      coefficients: new Float64Array(terms.length),
      reached: new Float64Array(terms.length),
      times: terms.map(column),
      processing: column(),
      communication: column(),
      sum: column(),
    },
  };
}

function alongOf(name: Searched, { s, x, D }: BasisPoint): number {
  if (name === 'u') return s;
  return Math.log(name === 'D' ? D : x);
}

/** The powers that values stand for, and the coefficients. */
export function setCoefficients({ terms, searched, current }: Shape, values: ArrayLike<number>): void {
  const { powers, coefficients, reached } = current;
  for (let power = 0; power < powers.length; power += 1) {
    const value = values[terms.length + power] ?? NaN;
    powers[power] = searched[power] === 'u' ? Math.exp(value) : value;
  }
  for (let index = 0; index < terms.length; index += 1) {
    const { constant, byPower, least } = at(terms, index);
    let log = constant + (values[0] ?? NaN) + (index === 0 ? 0 : (values[index] ?? NaN));
    for (let power = 0; power < powers.length; power += 1) log += (byPower[power] ?? NaN) * (powers[power] ?? NaN);
    coefficients[index] = least > 0 ? Math.log(least + Math.exp(log)) : log;
    reached[index] = least > 0 ? Math.exp(log - (coefficients[index] ?? NaN)) : 1;
  }
}

/** Per term and cell e^(coefficient + still + ...): the loop that all weighing of forms waits for. */
function setTimes(shape: Shape, values: ArrayLike<number>): void {
  setCoefficients(shape, values);
  const { form, terms, axes, current } = shape;
  const { powers, coefficients, times, processing, communication, sum } = current;
  sum.fill(0);
  if (form.overlap !== undefined) {
    processing.fill(0);
    communication.fill(0);
  }
  for (let index = 0; index < terms.length; index += 1) {
    const { logs, moves } = at(terms, index);
    const own = at(times, index);
    const constant = coefficients[index] ?? NaN;
    for (let cell = 0; cell < own.length; cell += 1) own[cell] = constant + (logs[cell] ?? NaN);
    for (let power = 0; power < powers.length; power += 1) {
      const rate = (moves[power] ?? NaN) * (powers[power] ?? NaN);
      const along = at(axes, power);
      if (rate === 0) continue;
      for (let cell = 0; cell < own.length; cell += 1) own[cell] = (own[cell] ?? NaN) + rate * (along[cell] ?? NaN);
    }
    const part = form.overlap === undefined ? 'whole' : at(form.terms, index).part;
    const into = part === 'whole' ? sum : current[part];
    for (let cell = 0; cell < own.length; cell += 1) {
      const seconds = Math.exp(own[cell] ?? NaN);
      own[cell] = seconds;
      into[cell] = (into[cell] ?? NaN) + seconds;
    }
  }
  if (form.overlap === undefined) return;
  for (let cell = 0; cell < sum.length; cell += 1) {
    sum[cell] = (sum[cell] ?? NaN) + softMaximum(processing[cell] ?? NaN, communication[cell] ?? NaN, form.overlap);
  }
}

export function computeLogTimes(shape: Shape, values: ArrayLike<number>, into: Float64Array): Float64Array {
  setTimes(shape, values);
  const { sum } = shape.current;
  for (let cell = 0; cell < into.length; cell += 1) into[cell] = Math.log(sum[cell] ?? NaN);
  return into;
}

export function computeSlopes(shape: Shape, values: ArrayLike<number>, into: Float64Array): void {
  setTimes(shape, values);
  const { form, terms, searched, axes, current } = shape;
  const { powers, reached, times, sum } = current;
  const cells = sum.length;
  into.fill(0);
  for (let index = 0; index < terms.length; index += 1) {
    const { moves, byPower } = at(terms, index);
    const own = at(times, index);
    const part = form.overlap === undefined ? 'whole' : at(form.terms, index).part;
    const reach = reached[index] ?? NaN;
    for (let cell = 0; cell < cells; cell += 1) {
      // The share of the cell's time that changes with the term's, by the soft maximum where parts overlap.
      const seconds = own[cell] ?? NaN;
      const share =
        seconds === 0
          ? 0
          : ((part === 'whole' ? 1 : leadOf(current, part, cell, form.overlap)) * seconds) / (sum[cell] ?? NaN);
      into[cell] = (into[cell] ?? NaN) + share * reach;
      if (index > 0) into[index * cells + cell] = share * reach;
      for (let power = 0; power < powers.length; power += 1) {
        const place = (terms.length + power) * cells + cell;
        const change = (moves[power] ?? NaN) * (axes[power]?.[cell] ?? NaN) + reach * (byPower[power] ?? NaN);
        // Of alpha the unknown is the logarithm of what multiplies.
        const scale = searched[power] === 'u' ? (powers[power] ?? NaN) : 1;
        into[place] = (into[place] ?? NaN) + share * scale * change;
      }
    }
  }
}

/** d of the soft maximum of both parts / d one of them. */
function leadOf(
  { processing, communication }: Current,
  part: 'processing' | 'communication',
  cell: number,
  overlap = 1,
): number {
  const own = (part === 'processing' ? processing : communication)[cell] ?? NaN;
  return (own / softMaximum(processing[cell] ?? NaN, communication[cell] ?? NaN, overlap)) ** (overlap - 1);
}

/** A cost that grows with nodes is compared with work on the largest cluster: on the smallest it may be 0. */
function grows(basis: Basis): boolean {
  const spread = (basis.others ?? 0) + (basis.otherHosts ?? 0);
  const power = (basis.x ?? 0) + spread;
  return power > 0 || (spread !== 0 && power === 0) || (basis.lnX ?? 0) > 0;
}

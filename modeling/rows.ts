import { badInput } from '../base/errors.ts';
import { ascending, at } from '../base/lists.ts';
import { trimNumber } from '../base/units.ts';

export const VARIABLES = ['scale', 'nodes', 'bw', 'threads'] as const;
export type Variable = (typeof VARIABLES)[number];

/** One value for some variables; the rest may have any. */
export type Selection = { readonly [V in Variable]?: number | undefined };

export const COLUMNS = [...VARIABLES, 'ct'] as const;

/** Where rows or cells were measured, as columns: scale (exponent), nodes, bw (percent), threads of each rank. */
export interface Coordinates {
  readonly length: number;
  readonly scale: Float64Array;
  readonly nodes: Float64Array;
  readonly bw: Float64Array;
  readonly threads: Float64Array;
}

/** Measurements as columns of equal length; ct in seconds. */
export interface Rows extends Coordinates {
  readonly ct: Float64Array;
  /** Of ct, the seconds that ranks spent in communication and waiting for it, mean over the ranks; NaN where nobody measured it. */
  readonly communication: Float64Array;
}

/** One measurement as an object; an observation of a campaign is one. */
export interface MeasuredRow {
  readonly scale: number;
  readonly nodes: number;
  readonly bw: number;
  /** Default 1. */
  readonly threads?: number | undefined;
  readonly ct: number;
  /** As in `Rows`. */
  readonly communication?: number | null | undefined;
}

/** Objects -> columns. A value outside its range is an error that names the row by its place, from 1. */
export function rowsFrom(items: readonly MeasuredRow[]): Rows {
  const rows = emptyRows(items.length);
  for (const [index, item] of items.entries()) {
    for (const column of COLUMNS) {
      const value = item[column] ?? 1;
      const problem = columnProblem(column, value);
      if (problem) throw badInput(`Row ${index + 1}: ${column} is ${value}: ${problem}.`);
      rows[column][index] = value;
    }
    const { communication, ct } = item;
    if (communication === undefined || communication === null) continue;
    const problem = communicationProblem(communication, ct);
    if (problem) throw badInput(`Row ${index + 1}: communication is ${communication}: ${problem}.`);
    rows.communication[index] = communication;
  }
  return rows;
}

/** The rows whose variables have the given values; a variable left out may have any. */
export function filterRows(rows: Rows, selection: Selection): Rows {
  return Object.keys(selection).length === 0 ? rows : pickRows(rows, indicesAt(rows, selection));
}

/** The rows at these places, in this order. */
export function pickRows(rows: Rows, indices: ArrayLike<number>): Rows {
  const picked = emptyRows(indices.length);
  for (let to = 0; to < indices.length; to += 1) {
    const from = at(indices, to);
    for (const column of COLUMNS) picked[column][to] = at(rows[column], from);
    picked.communication[to] = at(rows.communication, from);
  }
  return picked;
}

/** The rows of all parts, one after the other. */
export function joinRows(parts: readonly Rows[]): Rows {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
  const joined = emptyRows(parts.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const part of parts) {
    for (const column of [...COLUMNS, 'communication'] as const) joined[column].set(part[column], from);
    from += part.length;
  }
  return joined;
}

/** Places of the rows or cells whose variables have the given values. */
export function indicesAt(table: Coordinates, { scale, nodes, bw, threads }: Selection): number[] {
  return indicesWhere(
    table,
    (index) =>
      (scale === undefined || table.scale[index] === scale) &&
      (nodes === undefined || table.nodes[index] === nodes) &&
      (bw === undefined || table.bw[index] === bw) &&
      (threads === undefined || table.threads[index] === threads),
  );
}

/** Places of the rows or cells that are wanted. */
export function indicesWhere({ length }: Pick<Coordinates, 'length'>, wanted: (index: number) => boolean): number[] {
  const indices: number[] = [];
  for (let index = 0; index < length; index += 1) if (wanted(index)) indices.push(index);
  return indices;
}

/** `2^(scale - 19)`: D in words; its number for programs without sizes. */
export function sizeWords(baseScale: number, scales: readonly number[]): string {
  if (scales.every((scale) => scale === 0)) return trimNumber(2 ** -baseScale);
  return `2^(scale ${baseScale < 0 ? '+' : '-'} ${Math.abs(baseScale)})`;
}

/** The base of D = 2^(scale - base) for some rows or cells: the one asked for, else one below their smallest scale. */
export function baseScaleOf({ scale }: Pick<Coordinates, 'scale'>, asked?: number): number {
  return asked ?? scale.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY) - 1;
}

/** Where one row or cell was measured. */
export function settingAt({ scale, nodes, bw, threads }: Coordinates, index: number): Record<Variable, number> {
  return { scale: at(scale, index), nodes: at(nodes, index), bw: at(bw, index), threads: at(threads, index) };
}

/** Distinct values of one column, ascending. */
export function distinct(table: Coordinates, variable: Variable): number[] {
  return ascending(table[variable]);
}

export function emptyRows(length: number): Rows {
  const column = (): Float64Array => new Float64Array(length);
  const communication = column().fill(Number.NaN);
  return {
    length,
    scale: column(),
    nodes: column(),
    bw: column(),
    threads: column().fill(1),
    ct: column(),
    communication,
  };
}

/** Seconds: less than a step of a clock, and thirty thousand years. Beyond them squares leave the range of a double. */
const SHORTEST = 1e-12;
const LONGEST = 1e12;

/** What is wrong with a value, as the end of a sentence; null when nothing is. */
export function columnProblem(column: Variable | 'ct', value: number): string | null {
  switch (column) {
    case 'scale':
      return value >= 0 && value <= 60 ? null : 'a scale is a number from 0 to 60';
    case 'nodes':
      return Number.isInteger(value) && value > 0 ? null : 'a node count is a whole number above 0';
    case 'threads':
      return Number.isInteger(value) && value > 0 ? null : 'a number of threads is a whole number above 0';
    case 'bw':
      return value > 0 && value <= 100 ? null : 'a bandwidth is a percentage above 0 and up to 100';
    case 'ct':
      if (!(value > 0 && value < Number.POSITIVE_INFINITY)) return 'a completion time is a number of seconds above 0';
      return value >= SHORTEST && value <= LONGEST ? null : 'no program runs that many seconds: check the unit';
  }
}

/** What is wrong with the seconds of communication in a completion time, as the end of a sentence; null when nothing is. */
export function communicationProblem(communication: number, ct: number): string | null {
  return communication >= 0 && communication <= ct ? null : 'it is a part of ct, from 0 to ct seconds';
}

export interface Target {
  readonly nodes: number;
  /** Percent. */
  readonly bw: number;
  readonly scale: number;
  /** Of each rank; by default what the fit is asked for (`Fit.threads`). */
  readonly threads?: number | undefined;
}

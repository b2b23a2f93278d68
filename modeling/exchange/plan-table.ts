import { badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { columnProblem, VARIABLES, type Variable } from '../rows.ts';
import {
  coordinateKey,
  type Experiment,
  gatherExperiment,
  type Measurement,
  nameProblem,
  type Series,
} from './experiment.ts';

/** Columns with a meaning of their own; every other column of the long form is a parameter. */
const RESERVED = ['rep', 'callpath', 'metric', 'value'];

/** Variables of the measurement layout; it may have threads as well. */
const REQUIRED = ['scale', 'nodes', 'bw'] as const;

/** Where things stand in a table of measurements. */
export interface TablePlan {
  readonly parameters: readonly { readonly name: string; readonly index: number }[];
  readonly rep: number | null;
  readonly callpath: number | null;
  readonly metric: number | null;
  readonly value: { readonly name: string; readonly index: number };
  /** Of the layout of `predict fit`: seconds of ct that are communication. */
  readonly communication: number | null;
  /** The layout of `predict fit`: one series of completion times, other columns are passed over. */
  readonly isMeasurement: boolean;
}

/** A row with what it is called in sentences (`line 7`). Numbers are finite or null where the cell is none. */
export interface TableRow {
  readonly place: string;
  readonly text: (index: number) => string;
  readonly number: (index: number) => number | null;
}

/** Finds the columns; `where` begins the sentences of errors. */
export function planTable(header: readonly string[], where: string): TablePlan {
  const lower = header.map((name) => name.toLowerCase());
  const find = (...names: string[]): number | null => {
    const indices = [...lower.keys()].filter((index) => names.includes(at(lower, index)));
    const label = names.length > 1 ? 'n (or nodes)' : names[0];
    if (indices.length > 1) throw badInput(`${where}: two columns ${label} in '${header.join(',')}': keep one.`);
    return indices[0] ?? null;
  };
  const value = find('value');
  const time = value === null ? find('ct') : null;
  const rep = find('rep');
  if (time !== null) {
    const places = { scale: find('scale'), nodes: find('n', 'nodes'), bw: find('bw'), threads: find('threads') };
    const parameters = VARIABLES.flatMap((name) => (places[name] === null ? [] : [{ name, index: places[name] }]));
    const ct = { name: 'ct', index: time };
    if (REQUIRED.every((name) => places[name] !== null)) {
      const communication = find('communication');
      return { parameters, rep, callpath: null, metric: null, value: ct, communication, isMeasurement: true };
    }
  }
  const index = value ?? time;
  if (index === null) {
    throw badInput(`${where}: no column value (or ct) in '${header.join(',').slice(0, 200)}': add it to the header.`);
  }
  const metric = find('metric');
  if (value === null && metric !== null) {
    throw badInput(`${where}: a column metric beside ct in '${header.join(',')}': name the column of values value.`);
  }
  const special = [index, rep, find('callpath'), metric];
  const parameters = header
    .map((name, at) => ({ name, index: at }))
    .filter((column) => !special.includes(column.index));
  if (parameters.length === 0) throw badInput(`${where}: no column of a parameter such as nodes: add one.`);
  for (const [at, { name }] of parameters.entries()) {
    const twice = parameters.findIndex((other) => other.name === name) < at;
    const problem = name === '' ? 'it needs a name' : twice ? 'another column has the same name' : nameProblem(name);
    if (problem !== null) throw badInput(`${where}: column ${at + 1} is named '${name}': ${problem}.`);
  }
  const name = value === null ? 'ct' : 'value';
  const callpath = find('callpath');
  return { parameters, rep, callpath, metric, value: { name, index }, communication: null, isMeasurement: false };
}

/** The rows of a table as an experiment. In the long form a repetition that a point has twice is refused. */
export function experimentOf(rows: Iterable<TableRow>, plan: TablePlan, source: string): Experiment {
  return gatherExperiment(
    plan.parameters.map(({ name }) => name),
    measurements(rows, plan, source),
  );
}

/** The number of a row in a column. Errors (`badInput`) name the file, the row and the value. */
export function finiteAt(
  row: TableRow,
  { name, index }: { readonly name: string; readonly index: number },
  { plan, source }: { readonly plan: TablePlan; readonly source: string },
): number {
  const value = row.number(index);
  const problem =
    value === null
      ? 'give a finite number or leave the measurement out'
      : plan.isMeasurement
        ? columnProblem(name as Variable | 'ct', value)
        : null;
  if (value !== null && problem === null) return value;
  throw badInput(
    `${source}, ${row.place}: ${name === 'nodes' && plan.isMeasurement ? 'n' : name} is '${row.text(index)}': ${problem}.`,
  );
}

/** The columns of an experiment's long form. A parameter that would be taken for something else is refused. */
export function tableHeader({ parameters, series }: Experiment, format: string): string[] {
  const taken = parameters.find((name) => RESERVED.includes(name.toLowerCase()));
  if (taken !== undefined) {
    throw badInput(
      `${format} cannot hold a parameter named '${taken}', which is a column of its own: use extrap-json.`,
    );
  }
  const named = (key: 'callpath' | 'metric'): string[] => (series.some((one) => one[key] !== '') ? [key] : []);
  return [...parameters, 'rep', ...named('callpath'), ...named('metric'), 'value'];
}

/** The layout scale,n,bw[,threads],rep,ct where it holds all of an experiment, as its columns and its one series; else null. */
export function asMeasurement({ parameters, series }: Experiment): { header: readonly string[]; only: Series } | null {
  const [only] = series;
  if (!only || series.length > 1 || only.callpath !== '' || only.metric !== 'ct') return null;
  const names = VARIABLES.slice(0, parameters.length);
  if (names.length < REQUIRED.length || parameters.join() !== names.join()) return null;
  const fits = only.points.every(
    ({ coordinate, values }) =>
      names.every((name, index) => columnProblem(name, at(coordinate, index)) === null) &&
      values.every((value) => columnProblem('ct', value) === null),
  );
  return fits ? { header: ['scale', 'n', ...names.slice(2), 'rep', 'ct'], only } : null;
}

function* measurements(rows: Iterable<TableRow>, plan: TablePlan, source: string): Generator<Measurement> {
  const seen = new Map<string, string>();
  for (const row of rows) {
    const where = `${source}, ${row.place}`;
    const finite = (column: TablePlan['value']): number => finiteAt(row, column, { plan, source });
    const named = (name: string, index: number | null): string => {
      const text = index === null ? '' : row.text(index).trim();
      const problem = nameProblem(text);
      if (problem !== null) throw badInput(`${where}: ${name} is ${JSON.stringify(text)}: ${problem}.`);
      return text;
    };
    const coordinate = plan.parameters.map(finite);
    const callpath = named('callpath', plan.callpath);
    const metric = plan.value.name === 'ct' ? 'ct' : named('metric', plan.metric);
    if (plan.rep !== null && !plan.isMeasurement) {
      const rep = finite({ name: 'rep', index: plan.rep });
      const key = [callpath, metric, coordinateKey(coordinate), rep].join('\n');
      const before = seen.get(key);
      if (before !== undefined) {
        throw badInput(`${where}: repetition ${rep} of this point is given a second time, after ${before}: keep one.`);
      }
      seen.set(key, row.place);
    }
    yield { callpath, metric, coordinate, values: [finite(plan.value)] };
  }
}

import { badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { columnProblem, type MeasuredRow, type Rows, rowsFrom, VARIABLES, type Variable } from '../rows.ts';
import { type Experiment, gatherExperiment, pointText, type Series, seriesName } from './experiment.ts';

/** Names under which other programs' files have our variables. */
const NAMES: Readonly<Record<string, Variable>> = {
  p: 'nodes',
  procs: 'nodes',
  processes: 'nodes',
  nodes: 'nodes',
  n: 'nodes',
  bw: 'bw',
  bandwidth: 'bw',
  scale: 'scale',
  threads: 'threads',
};
/** What a file that does not name them was measured at: the whole link, no scale, one thread. */
const DEFAULTS = { bw: 100, scale: 0, threads: 1 } as const;
/** Metrics that are completion times. */
const TIMES = ['time', 'ct'];
/** How the parts of a series are called in messages. */
const KINDS = { metric: 'metric', callpath: 'call path' } as const;
const SHOWN = 12;

interface SeriesChoice {
  readonly metric?: string | undefined;
  readonly callpath?: string | undefined;
}

/** Parameter of the file -> our variable. */
type ParameterMap = ReadonlyMap<string, Variable>;

/** Only the series of this metric and call path. Errors (`badInput`) name what there is. */
export function selectSeries(experiment: Experiment, choice: SeriesChoice, source: string): Experiment {
  let { series } = experiment;
  for (const key of ['metric', 'callpath'] as const) {
    const wanted = choice[key];
    if (wanted === undefined) continue;
    const found = series.filter((one) => one[key] === wanted);
    if (found.length === 0) throw badInput(`${source} has no ${KINDS[key]} '${wanted}' but ${quoted(series, key)}.`);
    series = found;
  }
  return { ...experiment, series };
}

/** The one series to use: named, the only one, or the only one of the metric `time` or `ct`. */
export function chooseSeries(experiment: Experiment, choice: SeriesChoice, source: string): Series {
  const { series } = selectSeries(experiment, choice, source);
  const metrics = new Set(series.map(({ metric }) => metric));
  const times = [...metrics].filter((metric) => TIMES.includes(metric));
  if (metrics.size > 1 && times.length !== 1) {
    throw badInput(`${source} has several metrics: choose one of ${quoted(series, 'metric')}.`);
  }
  const left = metrics.size === 1 ? series : series.filter(({ metric }) => metric === times[0]);
  const [only] = left;
  if (only && left.length === 1) return only;
  throw badInput(`${source} has several call paths: choose one of ${quoted(left, 'callpath')}.`);
}

/**
 * One series as measurement rows, with the variables that the file does not name and the values put in their place.
 * Refused: a parameter that is none of ours, two that are the same, no node count, a value outside its range.
 */
export function seriesRows(
  { parameters }: Pick<Experiment, 'parameters'>,
  series: Series,
  { source, map = new Map() }: { readonly source: string; readonly map?: ParameterMap },
): { readonly rows: Rows; readonly defaults: { readonly [V in Variable]?: number } } {
  const places = placesOf(parameters, { source, map });
  const rows: MeasuredRow[] = [];
  for (const { coordinate, values } of series.points) {
    const numberOf = (variable: Variable, fallback: number): number => {
      const place = places.get(variable);
      return place === undefined ? fallback : at(coordinate, place);
    };
    const point = {
      scale: numberOf('scale', DEFAULTS.scale),
      nodes: numberOf('nodes', Number.NaN),
      bw: numberOf('bw', DEFAULTS.bw),
      threads: numberOf('threads', DEFAULTS.threads),
    };
    const where = `${source}: ${seriesName(series)} at ${pointText(parameters, coordinate)}`;
    for (const variable of VARIABLES) {
      const problem = columnProblem(variable, point[variable]);
      if (problem !== null) throw badInput(`${where}: ${variable} is ${point[variable]}: ${problem}.`);
    }
    for (const ct of values) {
      const problem = columnProblem('ct', ct);
      if (problem !== null) throw badInput(`${where}: the value is ${ct}: ${problem}.`);
      rows.push({ ...point, ct });
    }
  }
  const defaults = {
    ...(places.has('scale') ? {} : { scale: DEFAULTS.scale }),
    ...(places.has('bw') ? {} : { bw: DEFAULTS.bw }),
  };
  return { rows: rowsFrom(rows), defaults };
}

/** The completion times of an experiment as measurement rows, where one of its series has them. */
export function timesOf(experiment: Experiment, source: string): Rows {
  return seriesRows(experiment, chooseSeries(experiment, {}, source), { source }).rows;
}

/** Measurement rows as an experiment of the parameters scale, nodes, bw and, where ranks have several, threads with the metric `ct`. */
export function experimentFromRows(rows: Rows): Experiment {
  const variables = variablesOf(rows);
  const measurements = Array.from({ length: rows.length }, (_, index) => ({
    callpath: '',
    metric: 'ct',
    coordinate: variables.map((variable) => at(rows[variable], index)),
    values: [at(rows.ct, index)],
  }));
  return gatherExperiment(variables, measurements);
}

/** All variables, threads only where ranks have several. */
export function variablesOf({ threads }: Pick<Rows, 'threads'>): readonly Variable[] {
  const isThreaded = threads.some((count) => count !== 1);
  return VARIABLES.filter((variable) => isThreaded || variable !== 'threads');
}

/** `p=nodes,size=scale` -> which parameter is which variable. */
export function parseParameterMap(text: string): ParameterMap {
  const map = new Map<string, Variable>();
  for (const part of text.split(',')) {
    const split = part.lastIndexOf('=');
    const name = part.slice(0, Math.max(split, 0)).trim();
    const variable = VARIABLES.find((one) => one === part.slice(split + 1).trim());
    if (name === '' || variable === undefined) {
      throw badInput(`The map '${part}' is not PARAMETER=VARIABLE with nodes, bw, scale or threads, such as p=nodes.`);
    }
    if (map.has(name)) throw badInput(`The parameter '${name}' is mapped twice: keep one.`);
    map.set(name, variable);
  }
  return map;
}

function placesOf(
  parameters: readonly string[],
  { source, map }: { readonly source: string; readonly map: ParameterMap },
): ReadonlyMap<Variable, number> {
  const unknown = [...map.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw badInput(`${source} has no parameter '${unknown}' to map, but ${parameters.join(', ')}.`);
  }
  const places = new Map<Variable, number>();
  for (const [index, name] of parameters.entries()) {
    const key = name.toLowerCase();
    const variable = map.get(name) ?? (Object.hasOwn(NAMES, key) ? NAMES[key] : undefined);
    if (variable === undefined) {
      throw badInput(
        `${source}: the parameter '${name}' is not nodes, bw, scale or threads: map it to one of them, such as ${name}=scale.`,
      );
    }
    const other = places.get(variable);
    if (other !== undefined) {
      throw badInput(
        `${source}: '${parameters[other]}' and '${name}' are both ${variable}: map one to another variable.`,
      );
    }
    places.set(variable, index);
  }
  if (!places.has('nodes')) {
    throw badInput(
      `${source}: no parameter of ${parameters.join(', ')} is the node count: map one to it, such as ${parameters[0]}=nodes.`,
    );
  }
  return places;
}

function quoted(series: readonly Series[], key: 'metric' | 'callpath'): string {
  const names = [...new Set(series.map((one) => `'${one[key]}'`))];
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `${names.slice(0, SHOWN).join(', ')}${more}`;
}

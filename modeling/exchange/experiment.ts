import { badInput } from '../../base/errors.ts';
import { compareText } from '../../base/text.ts';

/** Nothing that a line of text could not carry: no control characters, no lone surrogates, no blanks at the ends. */
const NAME = /^(?:(?!\s)[^\p{Cc}\p{Cs}\u2028\u2029]*(?<!\s))?$/u;

/** One call path's values of one metric. */
export interface Series {
  /** Parts joined by `->`; empty where a file names none. */
  readonly callpath: string;
  readonly metric: string;
  readonly points: readonly {
    /** One number per parameter, in the order of the parameters. */
    readonly coordinate: readonly number[];
    /** The repetitions, in the order of the file. */
    readonly values: readonly number[];
  }[];
}

/** Measurements of any program: what all exchange formats have in common. */
export interface Experiment {
  readonly parameters: readonly string[];
  readonly series: readonly Series[];
}

/** Some values of one point of one series. */
export interface Measurement extends Pick<Series, 'callpath' | 'metric'> {
  readonly coordinate: readonly number[];
  readonly values: readonly number[];
}

/**
 * Gathers measurements: those of one call path, metric and coordinate become one point. Series are ordered by call path
 * and metric, points by their coordinates, so that equal measurements are equal experiments whatever the file's order.
 */
export function gatherExperiment(parameters: readonly string[], measurements: Iterable<Measurement>): Experiment {
  const groups = new Map<string, Omit<Measurement, 'coordinate' | 'values'> & { points: Map<string, Point> }>();
  for (const { callpath, metric, coordinate, values } of measurements) {
    const key = seriesKey({ callpath, metric });
    const group = groups.get(key) ?? { callpath, metric, points: new Map<string, Point>() };
    groups.set(key, group);
    const place = coordinate.map(withoutMinusZero);
    const point = group.points.get(coordinateKey(place)) ?? { coordinate: place, values: [] };
    group.points.set(coordinateKey(place), point);
    for (const value of values) point.values.push(withoutMinusZero(value));
  }
  const series = [...groups.values()].map(({ callpath, metric, points }) => ({
    callpath,
    metric,
    points: [...points.values()].sort((a, b) => compareNumbers(a.coordinate, b.coordinate)),
  }));
  series.sort((a, b) => compareText(a.callpath, b.callpath) || compareText(a.metric, b.metric));
  return { parameters: [...parameters], series };
}

interface Point {
  readonly coordinate: readonly number[];
  readonly values: number[];
}

/** All measurements of an experiment, point by point. */
export function* measurementsOf({ series }: Experiment): Generator<Measurement> {
  for (const { callpath, metric, points } of series) {
    for (const { coordinate, values } of points) yield { callpath, metric, coordinate, values };
  }
}

/** The experiment in the order that readers give it. */
export function canonical(experiment: Experiment): Experiment {
  return gatherExperiment(experiment.parameters, measurementsOf(experiment));
}

/** Extra-P refuses an experiment whose series have different points; so do its formats here, with the first that lacks one. */
export function requireSharedPoints(experiment: Experiment, source: string): Experiment {
  const all = new Map(
    experiment.series.flatMap(({ points }) => points.map(({ coordinate }) => [coordinateKey(coordinate), coordinate])),
  );
  for (const series of experiment.series) {
    const own = new Set(series.points.map(({ coordinate }) => coordinateKey(coordinate)));
    const missing = [...all].find(([key]) => !own.has(key))?.[1];
    if (missing !== undefined) {
      throw badInput(
        `${source}: ${seriesName(series)} has no value at ${pointText(experiment.parameters, missing)}, where another series ` +
          'has one. Extra-P needs every series at the same points; csv and parquet do not.',
      );
    }
  }
  return experiment;
}

export function seriesKey({ callpath, metric }: Pick<Series, 'callpath' | 'metric'>): string {
  return `${callpath}\n${metric}`;
}

export function coordinateKey(coordinate: readonly number[]): string {
  return coordinate.map(withoutMinusZero).join(' ');
}

/** A series in a sentence. */
export function seriesName({ callpath, metric }: Pick<Series, 'callpath' | 'metric'>): string {
  return `metric '${metric}' of call path '${callpath}'`;
}

/** `nodes=4, bw=10` */
export function pointText(parameters: readonly string[], coordinate: readonly number[]): string {
  return parameters.map((name, index) => `${name}=${coordinate[index]}`).join(', ');
}

/** What is wrong with a name, as the end of a sentence; null when nothing is. */
export function nameProblem(name: string): string | null {
  return NAME.test(name) ? null : 'a name must not have control characters, or blanks at its ends';
}

function withoutMinusZero(value: number): number {
  return value + 0;
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, place) => value !== b[place]);
  return (a[index] ?? 0) - (b[index] ?? 0);
}

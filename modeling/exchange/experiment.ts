import { z } from 'zod';
import { badInput, compareText } from '../../base/index.ts';

/** Nothing that a line of text could not carry: no control characters, no lone surrogates, no blanks at the ends. */
const NAME = /^(?:(?!\s)[^\p{Cc}\p{Cs}\u2028\u2029]*(?<!\s))?$/u;

const nameSchema = z.string().regex(NAME, 'a name must not have control characters, or blanks at its ends');

const pointSchema = z.strictObject({
  /** One number per parameter, in the order of the parameters. */
  coordinate: z.array(z.number()).min(1),
  /** The repetitions, in the order of the file. */
  values: z.array(z.number()).min(1),
});
type MeasuredPoint = z.infer<typeof pointSchema>;

const seriesSchema = z.strictObject({
  /** Parts joined by `->`; empty where a file names none. */
  callpath: nameSchema,
  metric: nameSchema,
  points: z.array(pointSchema).min(1),
});
export type Series = z.infer<typeof seriesSchema>;

/** Measurements of any program: what all exchange formats have in common. */
const experimentSchema = z
  .strictObject({
    parameters: z.array(nameSchema.min(1, 'a parameter must have a name')).min(1),
    series: z.array(seriesSchema).min(1),
  })
  .superRefine((experiment, context) => {
    const problem = inconsistency(experiment);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });
export type Experiment = z.infer<typeof experimentSchema>;

/** Some values of one point of one series. */
export interface Measurement {
  readonly callpath: string;
  readonly metric: string;
  readonly coordinate: readonly number[];
  readonly values: readonly number[];
}

/**
 * Gathers measurements: those of one call path, metric and coordinate become one point. Series are ordered by call path
 * and metric, points by their coordinates, so that equal measurements are equal experiments whatever the file's order.
 */
export function gatherExperiment(
  parameters: readonly string[],
  measurements: Iterable<Measurement>,
  source: string,
): Experiment {
  const groups = new Map<string, { callpath: string; metric: string; points: Map<string, MeasuredPoint> }>();
  for (const { callpath, metric, coordinate, values } of measurements) {
    const key = seriesKey({ callpath, metric });
    const group = groups.get(key) ?? { callpath, metric, points: new Map<string, MeasuredPoint>() };
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
  return checkExperiment({ parameters: [...parameters], series }, source);
}

/** All measurements of an experiment, point by point. */
export function* measurementsOf({ series }: Experiment): Generator<Measurement> {
  for (const { callpath, metric, points } of series) {
    for (const { coordinate, values } of points) yield { callpath, metric, coordinate, values };
  }
}

/** The experiment in the order that readers give it. Errors are `badInput`. */
export function canonical(experiment: Experiment, source: string): Experiment {
  const valid = checkExperiment(experiment, source);
  return gatherExperiment(valid.parameters, measurementsOf(valid), source);
}

function checkExperiment(experiment: Experiment, source: string): Experiment {
  const parsed = experimentSchema.safeParse(experiment);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  throw badInput(`${source} has no usable measurements: ${where}${issue?.message}.`, parsed.error);
}

export function seriesKey({ callpath, metric }: { readonly callpath: string; readonly metric: string }): string {
  return `${callpath}\n${metric}`;
}

export function coordinateKey(coordinate: readonly number[]): string {
  return coordinate.map(withoutMinusZero).join(' ');
}

/** A series in a sentence. */
export function seriesName({ callpath, metric }: { readonly callpath: string; readonly metric: string }): string {
  return `metric '${metric}' of call path '${callpath}'`;
}

/** What is wrong with a name, as the end of a sentence; null when nothing is. */
export function nameProblem(name: string): string | null {
  return NAME.test(name) ? null : 'a name must not have control characters, or blanks at its ends';
}

function inconsistency({ parameters, series }: z.infer<typeof experimentSchema>): string | null {
  if (new Set(parameters).size < parameters.length)
    return `two parameters have the same name: ${parameters.join(', ')}`;
  if (new Set(series.map(seriesKey)).size < series.length) return 'a call path has the same metric twice';
  for (const one of series) {
    const seen = new Set<string>();
    for (const { coordinate } of one.points) {
      const key = coordinateKey(coordinate);
      if (coordinate.length !== parameters.length) {
        return `${seriesName(one)} has a point (${key}) that does not fit the parameters ${parameters.join(', ')}`;
      }
      if (seen.has(key)) return `${seriesName(one)} has the point (${key}) twice`;
      seen.add(key);
    }
  }
  return null;
}

function withoutMinusZero(value: number): number {
  return value + 0;
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    // Whether all points have as many coordinates is asked afterwards.
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

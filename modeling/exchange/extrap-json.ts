// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (JSON format)
import {
  canonical,
  coordinateKey,
  type Experiment,
  gatherExperiment,
  type Measurement,
  seriesName,
} from './experiment.ts';
import { readJsonWithIds } from './extrap-json-ids.ts';
import { arrayAt, entry, fail, nameAt, nameIn, numberAt, objectAt, type Place } from './json-shape.ts';
import { parseJson } from './json-with-lines.ts';
import { requireSharedPoints } from './shared-points.ts';
import { linesOf } from './text.ts';

/** Reads Extra-P's JSON, also the older variant whose parts refer to each other by id. */
export function readExtrapJson(text: string, source: string): Experiment {
  linesOf(text, source);
  const file: Place = { node: parseJson(text, source), what: 'the file', source };
  if (objectAt(file).has('callpaths')) return requireSharedPoints(readJsonWithIds(file), source);
  const entries = objectAt(file, ['parameters', 'measurements']);
  const parameters = namesAt(entry(entries, 'parameters', file));
  const measurements: Measurement[] = [];
  const callpaths = entry(entries, 'measurements', file);
  for (const [path, metrics] of namedEntries(callpaths)) {
    for (const [metric, list] of namedEntries(metrics)) {
      const name = { callpath: path, metric };
      const seen = new Map<string, number>();
      for (const place of arrayAt(list)) {
        const fields = objectAt({ ...place, what: 'the point' }, ['point', 'values']);
        const at = entry(fields, 'point', place);
        const coordinate = arrayAt(at).map(numberAt);
        if (coordinate.length !== parameters.length) {
          const wanted = `${parameters.length} (${parameters.join(', ')})`;
          fail(
            at,
            `point [${coordinate.join(', ')}] has ${coordinate.length} coordinates, the parameters are ${wanted}`,
          );
        }
        const key = coordinateKey(coordinate);
        const before = seen.get(key);
        if (before !== undefined) {
          const point = `[${coordinate.join(', ')}]`;
          fail(at, `the point ${point} of ${seriesName(name)} is given a second time, after line ${before}: keep one`);
        }
        seen.set(key, at.node.line);
        const values = arrayAt(entry(fields, 'values', place)).map(numberAt);
        measurements.push({ ...name, coordinate, values });
      }
    }
  }
  if (measurements.length === 0) fail(callpaths, 'measurements is empty: nothing was measured');
  return requireSharedPoints(gatherExperiment(parameters, measurements, source), source);
}

/** Writes Extra-P's JSON, one line per point. */
export function writeExtrapJson(experiment: Experiment): string {
  const { parameters, series } = requireSharedPoints(canonical(experiment, 'The experiment'), 'extrap-json');
  const callpaths = [...new Set(series.map(({ callpath }) => callpath))].map((callpath) => {
    const metrics = series
      .filter((one) => one.callpath === callpath)
      .map(({ metric, points }) => {
        const lines = points.map(({ coordinate, values }) => `   ${JSON.stringify({ point: coordinate, values })}`);
        return `  ${JSON.stringify(metric)}: [\n${lines.join(',\n')}\n  ]`;
      });
    return ` ${JSON.stringify(callpath)}: {\n${metrics.join(',\n')}\n }`;
  });
  return `{"parameters": ${JSON.stringify(parameters)},\n"measurements": {\n${callpaths.join(',\n')}\n}}\n`;
}

function namesAt(place: Place): string[] {
  const names: string[] = [];
  for (const one of arrayAt(place)) {
    const name = nameAt(one);
    if (name === '') fail(one, `${one.what} is empty: give the parameter a name`);
    if (names.includes(name)) fail(one, `the parameter '${name}' is named a second time: keep one`);
    names.push(name);
  }
  return names;
}

function namedEntries(place: Place): [string, Place][] {
  const seen = new Set<string>();
  return [...objectAt(place)].map(([key, node]) => {
    const at = { node, what: `${place.what}.${key}`, source: place.source };
    const name = nameIn({ ...at, what: 'a key' }, key);
    if (seen.has(name)) fail(at, `the key '${name}' is given twice in one object: keep one`);
    seen.add(name);
    return [name, at];
  });
}

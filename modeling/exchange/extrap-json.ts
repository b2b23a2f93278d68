// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (JSON format)
import {
  canonical,
  coordinateKey,
  type Experiment,
  gatherExperiment,
  type Measurement,
  requireSharedPoints,
  seriesName,
} from './experiment.ts';
import { readJsonWithIds } from './extrap-json-ids.ts';
import { entriesAt, entry, fail, itemsAt, nameAt, numberAt, type Place, parseJson } from './json.ts';

/** Reads Extra-P's JSON, also the older variant whose parts refer to each other by id. */
export function readExtrapJson(text: string, source: string): Experiment {
  const file = parseJson(text, source);
  if (entriesAt(file).has('callpaths')) return requireSharedPoints(readJsonWithIds(file), source);
  entriesAt(file, ['parameters', 'measurements']);
  const parameters = namesAt(entry(file, 'parameters'));
  const measurements: Measurement[] = [];
  const callpaths = entry(file, 'measurements');
  for (const [callpath, metrics] of namedEntries(callpaths)) {
    for (const [metric, list] of namedEntries(metrics)) {
      const seen = new Map<string, Place>();
      for (const place of itemsAt(list)) {
        entriesAt({ ...place, what: 'the point' }, ['point', 'values']);
        const at = entry(place, 'point');
        const coordinate = itemsAt(at).map(numberAt);
        const point = `[${coordinate.join(', ')}]`;
        if (coordinate.length !== parameters.length) {
          const wanted = `${parameters.length} (${parameters.join(', ')})`;
          fail(at, `point ${point} has ${coordinate.length} coordinates, the parameters are ${wanted}`);
        }
        const key = coordinateKey(coordinate);
        const before = seen.get(key);
        if (before !== undefined) {
          const name = seriesName({ callpath, metric });
          const line = before.lineOf(before.path);
          fail(at, `the point ${point} of ${name} is given a second time, after line ${line}: keep one`);
        }
        seen.set(key, at);
        measurements.push({ callpath, metric, coordinate, values: itemsAt(entry(place, 'values')).map(numberAt) });
      }
    }
  }
  if (measurements.length === 0) fail(callpaths, 'measurements is empty: nothing was measured');
  return requireSharedPoints(gatherExperiment(parameters, measurements), source);
}

/** Writes Extra-P's JSON, one line per point. */
export function writeExtrapJson(experiment: Experiment): string {
  const { parameters, series } = requireSharedPoints(canonical(experiment), 'extrap-json');
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
  for (const one of itemsAt(place)) {
    const name = nameAt(one);
    if (name === '') fail(one, `${one.what} is empty: give the parameter a name`);
    if (names.includes(name)) fail(one, `the parameter '${name}' is named a second time: keep one`);
    names.push(name);
  }
  return names;
}

function namedEntries(place: Place): ReadonlyMap<string, Place> {
  const named = new Map<string, Place>();
  for (const [key, at] of entriesAt(place)) {
    const name = nameAt(at, key);
    if (named.has(name)) fail(at, `the key '${name}' is given twice in one object: keep one`);
    named.set(name, { ...at, what: `${place.what}.${key}` });
  }
  return named;
}

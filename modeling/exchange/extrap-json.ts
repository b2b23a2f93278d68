import {
  canonical,
  coordinateKey,
  type Experiment,
  gatherExperiment,
  type Measurement,
  measurementsOf,
  requireSharedPoints,
  seriesName,
} from './experiment.ts';
import {
  entriesAt,
  entry,
  fail,
  itemsAt,
  nameAt,
  numberAt,
  type Place,
  parseJson,
  parseJsonLine,
  writtenKeys,
} from './json.ts';
import { splitLines } from './read-text.ts';

// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (JSON format)

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

// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (the older JSON format)

/** Reads the older variant; measurements of equal ids are repetitions. */
function readJsonWithIds(file: Place): Experiment {
  entriesAt(file, ['parameters', 'callpaths', 'metrics', 'coordinates', 'measurements']);
  const parameters = namesById(entry(file, 'parameters'));
  const callpaths = namesById(entry(file, 'callpaths'));
  const metrics = namesById(entry(file, 'metrics'));
  const coordinates = coordinatesById(entry(file, 'coordinates'), parameters);
  const measurements = itemsAt(entry(file, 'measurements')).map((place): Measurement => {
    entriesAt(place, ['id?', 'callpath_id', 'metric_id', 'coordinate_id', 'value']);
    return {
      callpath: referred(callpaths, entry(place, 'callpath_id')),
      metric: referred(metrics, entry(place, 'metric_id')),
      coordinate: referred(coordinates, entry(place, 'coordinate_id')),
      values: [numberAt(entry(place, 'value'))],
    };
  });
  return gatherExperiment([...parameters.values()], measurements);
}

/** By id, ascending, which is the order of the parameters. */
function namesById(place: Place): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const one of itemsAt(place)) {
    entriesAt(one, ['id', 'name']);
    const id = newId(names, entry(one, 'id'));
    const at = entry(one, 'name');
    const name = nameAt(at);
    if ([...names.values()].includes(name)) fail(at, `'${name}' is in ${place.what} a second time: keep one`);
    names.set(id, name);
  }
  return new Map([...names].sort(([a], [b]) => a - b));
}

function coordinatesById(
  place: Place,
  parameters: ReadonlyMap<number, string>,
): ReadonlyMap<number, readonly number[]> {
  const coordinates = new Map<number, readonly number[]>();
  const seen = new Set<string>();
  for (const one of itemsAt(place)) {
    entriesAt(one, ['id', 'parameter_value_pairs']);
    const id = newId(coordinates, entry(one, 'id'));
    const values = new Map<number, number>();
    for (const pair of itemsAt(entry(one, 'parameter_value_pairs'))) {
      entriesAt(pair, ['parameter_id', 'parameter_value']);
      const parameter = entry(pair, 'parameter_id');
      referred(parameters, parameter);
      values.set(newId(values, parameter), numberAt(entry(pair, 'parameter_value')));
    }
    const coordinate = [...parameters].map(
      ([parameter, name]) => values.get(parameter) ?? fail(one, `${one.what} has no value of the parameter '${name}'`),
    );
    const key = coordinateKey(coordinate);
    if (seen.has(key)) fail(one, `the point [${coordinate.join(', ')}] is given a second time: keep one`);
    seen.add(key);
    coordinates.set(id, coordinate);
  }
  return coordinates;
}

function newId(known: ReadonlyMap<number, unknown>, place: Place): number {
  const id = numberAt(place);
  if (known.has(id)) fail(place, `the ${place.what} ${id} is given a second time: keep one`);
  return id;
}

function referred<T>(known: ReadonlyMap<number, T>, place: Place): T {
  const id = numberAt(place);
  return known.get(id) ?? fail(place, `${place.what} ${id} is not one of ${[...known.keys()].slice(0, 10).join(', ')}`);
}

// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (JSON Lines format)

/** Reads Extra-P's JSON Lines. Lines of one point, call path and metric are repetitions; `value` may be a list of them. */
export function readExtrapJsonl(text: string, source: string): Experiment {
  let parameters: string[] | undefined;
  const measurements = Array.from(splitLines(text, source), ({ number, text: line }): Measurement => {
    const place = parseJsonLine(line, { source, line: number });
    const fields = entriesAt(place, ['params', 'callpath?', 'metric?', 'value']);
    const params = entry(place, 'params');
    parameters ??= parameterNames(params, writtenKeys(line));
    const value = entry(place, 'value');
    const name = (key: string): string => (fields.has(key) ? nameAt(entry(place, key)) : '');
    return {
      callpath: name('callpath'),
      metric: name('metric'),
      coordinate: coordinateAt(params, parameters),
      values: Array.isArray(value.value) ? itemsAt(value).map(numberAt) : [numberAt(value)],
    };
  });
  return requireSharedPoints(gatherExperiment(parameters ?? [], measurements), source);
}

/** Writes Extra-P's JSON Lines, one value per line. */
export function writeExtrapJsonl(experiment: Experiment): string {
  const valid = requireSharedPoints(canonical(experiment), 'extrap-jsonl');
  const lines: string[] = [];
  for (const { callpath, metric, coordinate, values } of measurementsOf(valid)) {
    const params = valid.parameters.map((name, index) => `${JSON.stringify(name)}:${coordinate[index]}`);
    const names = [
      ...(callpath === '' ? [] : [`"callpath":${JSON.stringify(callpath)},`]),
      ...(metric === '' ? [] : [`"metric":${JSON.stringify(metric)},`]),
    ];
    const head = `{"params":{${params.join(',')}},${names.join('')}`;
    for (const value of values) lines.push(`${head}"value":${value}}\n`);
  }
  return lines.join('');
}

/** In the order of the text, which objects do not keep. */
function parameterNames(params: Place, written: readonly string[]): string[] {
  const entries = [...entriesAt(params)].sort(([a], [b]) => written.indexOf(a) - written.indexOf(b));
  if (entries.length === 0) fail(params, 'params is empty: name the parameters of the point');
  return entries.map(([key, place]) => {
    if (nameAt(place, key) === key && key !== '') return key;
    return fail(params, `the parameter ${JSON.stringify(key)} is empty or has blanks at its ends: rename it`);
  });
}

/** In the order of the first line's parameters. */
function coordinateAt(params: Place, parameters: readonly string[]): number[] {
  const given = entriesAt(params);
  const unknown = [...given.keys()].find((key) => !parameters.includes(key));
  if (unknown !== undefined) {
    fail(params, `params has '${unknown}', which the first line lacks: name the same parameters in every line`);
  }
  return parameters.map((name) => {
    const place = given.get(name) ?? fail(params, `params has no '${name}', which the first line has: add it`);
    return numberAt({ ...place, what: `params.${name}` });
  });
}

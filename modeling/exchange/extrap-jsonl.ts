// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (JSON Lines format)
import {
  canonical,
  type Experiment,
  gatherExperiment,
  type Measurement,
  measurementsOf,
  requireSharedPoints,
} from './experiment.ts';
import { entriesAt, entry, fail, itemsAt, nameAt, numberAt, type Place, parseJsonLine, writtenKeys } from './json.ts';
import { linesOf } from './read-text.ts';

/** Reads Extra-P's JSON Lines. Lines of one point, call path and metric are repetitions; `value` may be a list of them. */
export function readExtrapJsonl(text: string, source: string): Experiment {
  let parameters: string[] | undefined;
  const measurements = Array.from(linesOf(text, source), ({ number, text: line }): Measurement => {
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

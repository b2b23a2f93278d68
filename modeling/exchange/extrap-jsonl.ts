// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (JSON Lines format)
import { canonical, type Experiment, gatherExperiment, type Measurement, measurementsOf } from './experiment.ts';
import { arrayAt, entry, fail, nameAt, nameIn, numberAt, objectAt, type Place } from './json-shape.ts';
import { parseJson } from './json-with-lines.ts';
import { requireSharedPoints } from './shared-points.ts';
import { linesOf } from './text.ts';

/** Reads Extra-P's JSON Lines. Lines of one point, call path and metric are repetitions; `value` may be a list of them. */
export function readExtrapJsonl(text: string, source: string): Experiment {
  let parameters: string[] | undefined;
  const measurements = linesOf(text, source).map(({ number, text: line }): Measurement => {
    const place: Place = { node: parseJson(line, source, number), what: 'the line', source };
    const fields = objectAt(place, ['params', 'callpath?', 'metric?', 'value']);
    const params = entry(fields, 'params', place);
    parameters ??= parameterNames(params);
    const value = entry(fields, 'value', place);
    const name = (key: string): string => (fields.has(key) ? nameAt(entry(fields, key, place)) : '');
    return {
      callpath: name('callpath'),
      metric: name('metric'),
      coordinate: coordinateAt(params, parameters),
      values: value.node.kind === 'array' ? arrayAt(value).map(numberAt) : [numberAt(value)],
    };
  });
  return requireSharedPoints(gatherExperiment(parameters ?? [], measurements, source), source);
}

/** Writes Extra-P's JSON Lines, one value per line. */
export function writeExtrapJsonl(experiment: Experiment): string {
  const valid = requireSharedPoints(canonical(experiment, 'The experiment'), 'extrap-jsonl');
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

function parameterNames(params: Place): string[] {
  const keys = [...objectAt(params).keys()];
  if (keys.length === 0) fail(params, 'params is empty: name the parameters of the point');
  for (const key of keys) {
    if (nameIn({ ...params, what: 'a parameter' }, key) !== key || key === '') {
      fail(params, `the parameter ${JSON.stringify(key)} is empty or has blanks at its ends: rename it`);
    }
  }
  return keys;
}

/** In the order of the first line's parameters. */
function coordinateAt(params: Place, parameters: readonly string[]): number[] {
  const given = objectAt(params);
  for (const [key, node] of given) {
    if (!parameters.includes(key)) {
      fail(
        { ...params, node },
        `params has '${key}', which the first line lacks: name the same parameters in every line`,
      );
    }
  }
  return parameters.map((name) => {
    const node = given.get(name) ?? fail(params, `params has no '${name}', which the first line has: add it`);
    return numberAt({ ...params, node, what: `params.${name}` });
  });
}

// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (the older JSON format)
import { coordinateKey, type Experiment, gatherExperiment, type Measurement } from './experiment.ts';
import { arrayAt, entry, fail, nameAt, numberAt, objectAt, type Place } from './json-shape.ts';

const PARTS = ['parameters', 'callpaths', 'metrics', 'coordinates', 'measurements'];

/** Reads the older variant; measurements of equal ids are repetitions. */
export function readJsonWithIds(file: Place): Experiment {
  const parts = objectAt(file, PARTS);
  const parameters = namesById(entry(parts, 'parameters', file));
  const callpaths = namesById(entry(parts, 'callpaths', file));
  const metrics = namesById(entry(parts, 'metrics', file));
  const coordinates = coordinatesById(entry(parts, 'coordinates', file), parameters);
  const measurements = arrayAt(entry(parts, 'measurements', file)).map((place): Measurement => {
    const fields = objectAt(place, ['id?', 'callpath_id', 'metric_id', 'coordinate_id', 'value']);
    const value = numberAt(entry(fields, 'value', place));
    return {
      callpath: referred(callpaths, entry(fields, 'callpath_id', place)),
      metric: referred(metrics, entry(fields, 'metric_id', place)),
      coordinate: referred(coordinates, entry(fields, 'coordinate_id', place)),
      values: [value],
    };
  });
  return gatherExperiment([...parameters.values()], measurements, file.source);
}

/** By id, ascending, which is the order of the parameters. */
function namesById(place: Place): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const one of arrayAt(place)) {
    const fields = objectAt(one, ['id', 'name']);
    const id = newId(names, entry(fields, 'id', one));
    const at = entry(fields, 'name', one);
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
  for (const one of arrayAt(place)) {
    const fields = objectAt(one, ['id', 'parameter_value_pairs']);
    const id = newId(coordinates, entry(fields, 'id', one));
    const values = new Map<number, number>();
    for (const pair of arrayAt(entry(fields, 'parameter_value_pairs', one))) {
      const parts = objectAt(pair, ['parameter_id', 'parameter_value']);
      const parameter = entry(parts, 'parameter_id', pair);
      referred(parameters, parameter);
      values.set(newId(values, parameter), numberAt(entry(parts, 'parameter_value', pair)));
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

// Format: https://github.com/extra-p/extrap/blob/master/docs/file-formats.md (the older JSON format)
import { coordinateKey, type Experiment, gatherExperiment, type Measurement } from './experiment.ts';
import { entriesAt, entry, fail, itemsAt, nameAt, numberAt, type Place } from './json.ts';

/** Reads the older variant; measurements of equal ids are repetitions. */
export function readJsonWithIds(file: Place): Experiment {
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

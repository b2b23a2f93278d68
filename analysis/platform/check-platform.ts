import { at } from '../../base/lists.ts';
import type { Fault } from '../../base/yaml/parse-yaml.ts';
import type { ResourceTypes } from '../grade10/model/metrics.ts';
import { type PhaseTypes, typePath } from '../grade10/model/phase-types.ts';
import type { Platform } from './platform.ts';
import type { PlatformFile } from './platform-schema.ts';

/** How a model may call the worker of a span; every other key must be one of the trace's own. */
export const WORKER_KEYS = ['worker', 'rank'];
/** What a counter's instance can be the id of. */
const COUNTER_KEYS = ['host', ...WORKER_KEYS];

type KeyPath = readonly PropertyKey[];

type Types = Pick<Platform, 'phaseTypes' | 'resourceTypes'>;

/** Paths and keys that name nothing, and rules that do not fit their metric. */
export function findFaults(file: PlatformFile, types: Types): readonly Fault[] {
  return [
    ...namesOf(file).flatMap((named) => unknownFaults(named, types)),
    ...ruleFaults(file, types),
    ...mappingFaults(file, types),
    ...predicateFaults(file),
    ...measuredFaults(file, types),
  ];
}

/** A place of the file that names a type. */
interface Named {
  readonly of: 'phase' | 'metric';
  readonly path: string;
  readonly at: KeyPath;
}

function namesOf({ focus, rules = {}, mapping = {}, thresholds = {}, measured }: PlatformFile): readonly Named[] {
  const phase = (path: string, ...at: KeyPath): Named => ({ of: 'phase', path, at });
  const metric = (path: string, ...at: KeyPath): Named => ({ of: 'metric', path, at });
  const { trace = {}, lifetime, exchanges = {}, metrics = {} } = measured ?? {};
  return [
    ...(focus === undefined ? [] : [phase(focus, 'focus')]),
    ...Object.keys(rules).map((type) => phase(type, 'rules', type)),
    ...Object.entries(rules).flatMap(([type, own]) => Object.keys(own).map((one) => metric(one, 'rules', type, one))),
    ...Object.keys(mapping).map((type) => phase(type, 'mapping', type)),
    ...Object.entries(thresholds).flatMap(([which, given]) => {
      const types = typeof given === 'object' ? Object.keys(given).filter((type) => type !== 'default') : [];
      return types.map((type) => metric(type, 'thresholds', which, type));
    }),
    ...Object.entries(trace).flatMap(([name, type]) => (type === null ? [] : [phase(type, 'measured', 'trace', name)])),
    ...(lifetime === undefined ? [] : [phase(lifetime, 'measured', 'lifetime')]),
    ...Object.keys(exchanges).map((type) => phase(type, 'measured', 'exchanges', type)),
    ...Object.entries(metrics).flatMap(([type, source]) => {
      const at = ['measured', 'metrics', type];
      if (!('waits' in source)) return [metric(type, ...at)];
      const sleeps = (source.sleeps ?? []).map((one, index) => phase(one, ...at, 'sleeps', index));
      return [metric(type, ...at), phase(source.waits, ...at, 'waits'), ...sleeps];
    }),
  ];
}

function unknownFaults({ of, path, at }: Named, { phaseTypes, resourceTypes: { metricTypes } }: Types): Fault[] {
  const { indexOf, paths } = of === 'phase' ? phaseTypes : metricTypes;
  if (indexOf.has(path)) return [];
  // A path that ends alike.
  const last = path.slice(path.lastIndexOf('/'));
  const same = paths.find((one) => one !== '/' && one.endsWith(last));
  const guess = same === undefined ? '' : `: did you mean ${same}?`;
  return [{ at, sentence: `'${path}' is not a ${of} type of this model${guess}` }];
}

function ruleFaults({ rules = {} }: PlatformFile, types: Types): Fault[] {
  return Object.entries(rules).flatMap(([type, own]) =>
    Object.entries(own).flatMap(([metric, { kind }]): Fault[] => {
      const of = classOf(metric, types);
      const fits = of === 'blocking' ? kind === 'full' || kind === 'none' : kind !== 'full';
      if (of === undefined || fits) return [];
      const help = of === 'blocking' ? 'full or none' : 'greedy CAP, sink or none';
      return [{ at: ['rules', type, metric], sentence: `${metric} is ${of}: write ${help}` }];
    }),
  );
}

function mappingFaults({ mapping = {} }: PlatformFile, { phaseTypes, resourceTypes }: Types): Fault[] {
  return Object.entries(mapping).flatMap(([type, resources]) => {
    const keys = ['host', ...keysAbove(type, phaseTypes)];
    return resources.flatMap((resource, index): Fault[] => {
      const known = resourceTypes.resources.has(typePath(resource));
      const named = [...resource.matchAll(/\{([^{}]*)\}/g)].map(([, key = '']) => key);
      return [
        ...(known ? [] : [`'${typePath(resource)}' is not a resource type of this model`]),
        ...named
          .filter((key) => !keys.includes(key))
          .map((key) => `{${key}} is not the key of any phase from ${type} upwards: use ${keys.join(', ')}`),
      ].map((sentence) => ({ at: ['mapping', type, index], sentence }));
    });
  });
}

function predicateFaults({ predicates = [] }: PlatformFile): Fault[] {
  const names = predicates.map((one) => (typeof one === 'string' ? one : one.name));
  return names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [{ at: ['predicates', index], sentence: `'${name}' is listed twice` }],
  );
}

function measuredFaults(
  { measured: { lifetime = '/', metrics = {} } = { metrics: {} } }: PlatformFile,
  types: Types,
): Fault[] {
  // What keys a program's trace has is known when it is read; of a life, only whose it is.
  const ids = keysAbove(lifetime, types.phaseTypes).filter((key) => !WORKER_KEYS.includes(key));
  const lives = ids.map((key) => `the span of a rank has no '${key}', only ${WORKER_KEYS.join(', ')}`);
  const sources = Object.entries(metrics).flatMap(([type, source]): Fault[] => {
    const of = classOf(type, types);
    const above = resourcesAbove(type, types.resourceTypes.resources);
    const strange = above.filter(({ key }) => key !== undefined && !COUNTER_KEYS.includes(key));
    return [
      ...(of === 'consumable' && 'waits' in source ? [`${type} is consumable: give a counter`] : []),
      ...(of === 'blocking' && 'counter' in source ? [`${type} is blocking: give the phase type that waits`] : []),
      ...strange.map(({ key }) => `a counter has no '${key}', only ${COUNTER_KEYS.join(', ')}`),
    ].map((sentence) => ({ at: ['measured', 'metrics', type], sentence }));
  });
  return [...lives.map((sentence) => ({ at: ['measured', 'lifetime'], sentence })), ...sources];
}

function classOf(type: string, { resourceTypes: { metricTypes } }: Types): string | undefined {
  const index = metricTypes.indexOf.get(type);
  return index === undefined ? undefined : metricTypes.classes[index];
}

/** Keys of a phase type and of those above it. */
function keysAbove(type: string, { indexOf, parents, repeats, keys }: PhaseTypes): readonly string[] {
  const found: string[] = [];
  for (let up = indexOf.get(type) ?? -1; up > 0; up = at(parents, up)) {
    const key = keys[up];
    if (repeats[up] !== 'none' && key !== undefined) found.push(key);
  }
  return found;
}

/** The repeating resources on the way to a metric type, from the top. */
export function resourcesAbove(
  metricType: string,
  resources: ResourceTypes['resources'],
): readonly { readonly path: string; readonly key: string | undefined }[] {
  const steps = metricType.split('/').slice(1, -1);
  return steps.flatMap((_, index) => {
    const path = `/${steps.slice(0, index + 1).join('/')}`;
    const found = resources.get(path);
    return found?.repeats ? [{ path, key: found.key }] : [];
  });
}

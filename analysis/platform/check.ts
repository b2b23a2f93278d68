import { at } from '../../base/index.ts';
import type { Fault } from '../../base/yaml/index.ts';
import { type PhaseTypes, type ResourceTypes, typePath } from '../grade10/index.ts';
import type { PlatformFile } from './schema.ts';

/** How a model may call the worker of a span; every other key must be one of the trace's own. */
export const WORKER_KEYS = ['worker', 'rank'];
/** What a counter's instance can be the id of. */
const COUNTER_KEYS = ['host', ...WORKER_KEYS];

type KeyPath = readonly PropertyKey[];

interface Types {
  readonly phaseTypes: PhaseTypes;
  readonly resourceTypes: ResourceTypes;
}

/** Paths and keys that name nothing, and rules that do not fit their metric. */
export function faultsOf(file: PlatformFile, types: Types): readonly Fault[] {
  return [
    ...(file.focus === undefined ? [] : unknownPhase(file.focus, ['focus'], types)),
    ...ruleFaults(file, types),
    ...mappingFaults(file, types),
    ...thresholdFaults(file, types),
    ...predicateFaults(file),
    ...traceFaults(file, types),
    ...metricFaults(file, types),
  ];
}

function ruleFaults({ rules = {} }: PlatformFile, types: Types): Fault[] {
  return Object.entries(rules).flatMap(([type, own]) => [
    ...unknownPhase(type, ['rules', type], types),
    ...Object.entries(own).flatMap(([metric, { kind }]): Fault[] => {
      const at = ['rules', type, metric];
      const of = classOf(metric, types);
      if (of === undefined) return unknownMetric(metric, at, types);
      if (of === 'blocking' && kind !== 'full' && kind !== 'none') {
        return [{ at, sentence: `${metric} is blocking: write full or none` }];
      }
      if (of === 'blocking' || kind !== 'full') return [];
      return [{ at, sentence: `${metric} is consumable: write greedy CAP, sink or none` }];
    }),
  ]);
}

function mappingFaults({ mapping = {} }: PlatformFile, types: Types): Fault[] {
  return Object.entries(mapping).flatMap(([type, resources]) => {
    const keys = ['host', ...keysAbove(type, types.phaseTypes)];
    return [
      ...unknownPhase(type, ['mapping', type], types),
      ...resources.flatMap((resource, index): Fault[] => {
        const at = ['mapping', type, index];
        const unknown = [...resource.matchAll(/\{([^}]*)\}/g)]
          .map(([, key = '']) => key)
          .filter((key) => !keys.includes(key));
        return [
          ...(types.resourceTypes.resources.has(typePath(resource))
            ? []
            : [{ at, sentence: `'${typePath(resource)}' is no resource type of this model` }]),
          ...unknown.map((key) => ({
            at,
            sentence: `{${key}} is the key of no phase from ${type} upwards: use ${keys.join(', ')}`,
          })),
        ];
      }),
    ];
  });
}

function thresholdFaults({ thresholds = {} }: PlatformFile, types: Types): Fault[] {
  return (['global', 'local'] as const).flatMap((which) => {
    const given = thresholds[which];
    if (typeof given !== 'object') return [];
    const named = Object.keys(given).filter((type) => type !== 'default');
    return named.flatMap((type) => unknownMetric(type, ['thresholds', which, type], types));
  });
}

function predicateFaults({ predicates = [] }: PlatformFile): Fault[] {
  const names = predicates.map((one) => (typeof one === 'string' ? one : one.name));
  return names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [{ at: ['predicates', index], sentence: `'${name}' is listed twice` }],
  );
}

function traceFaults({ measured }: PlatformFile, types: Types): Fault[] {
  const named = Object.entries(measured?.trace ?? {}).flatMap(([name, type]) =>
    type === null ? [] : [{ at: ['measured', 'trace', name], type }],
  );
  const { lifetime } = measured ?? {};
  if (lifetime !== undefined) named.push({ at: ['measured', 'lifetime'], type: lifetime });
  return named.flatMap(({ at, type }) => {
    // What keys a program's trace has is known when it is read; of a life, only whose it is.
    const strange =
      type === lifetime ? keysAbove(type, types.phaseTypes).filter((key) => !WORKER_KEYS.includes(key)) : [];
    return [
      ...unknownPhase(type, at, types),
      ...strange.map((key) => ({
        at,
        sentence: `the life of a rank tells no '${key}': only ${WORKER_KEYS.join(', ')}`,
      })),
    ];
  });
}

function metricFaults({ measured }: PlatformFile, types: Types): Fault[] {
  return Object.entries(measured?.metrics ?? {}).flatMap(([type, source]) => {
    const at = ['measured', 'metrics', type];
    const of = classOf(type, types);
    const strange = resourcesAbove(type, types.resourceTypes.resources).filter(
      ({ key }) => key !== undefined && !COUNTER_KEYS.includes(key),
    );
    return [
      ...unknownMetric(type, at, types),
      ...('waits' in source ? unknownPhase(source.waits, [...at, 'waits'], types) : []),
      ...('waits' in source
        ? (source.sleeps ?? []).flatMap((phase, index) => unknownPhase(phase, [...at, 'sleeps', index], types))
        : []),
      ...(of === 'consumable' && 'waits' in source ? [{ at, sentence: `${type} is consumable: give a counter` }] : []),
      ...(of === 'blocking' && 'counter' in source
        ? [{ at, sentence: `${type} is blocking: give the phase type that waits` }]
        : []),
      ...strange.map(({ key }) => ({ at, sentence: `a counter tells no '${key}': only ${COUNTER_KEYS.join(', ')}` })),
    ];
  });
}

function unknownPhase(type: string, at: KeyPath, { phaseTypes: { indexOf, paths } }: Types): Fault[] {
  if (indexOf.has(type)) return [];
  return [{ at, sentence: `'${type}' is no phase type of this model${guess(type, paths)}` }];
}

function unknownMetric(type: string, at: KeyPath, { resourceTypes: { metricTypes } }: Types): Fault[] {
  if (metricTypes.indexOf.has(type)) return [];
  return [{ at, sentence: `'${type}' is no metric type of this model${guess(type, metricTypes.paths)}` }];
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

/** A path that ends alike. */
function guess(path: string, known: readonly string[]): string {
  const last = path.slice(path.lastIndexOf('/'));
  const same = known.find((one) => one !== '/' && one.endsWith(last));
  return same === undefined ? '' : `: did you mean ${same}?`;
}

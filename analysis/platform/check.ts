import type { Fault } from '../../base/yaml/index.ts';
import type { PhaseTypes, ResourceTypes } from '../grade10/index.ts';
import type { PlatformFile } from './schema.ts';

/** Columns of a program's trace that can be ids of phases. */
const TRACE_KEYS = ['rank', 'root', 'level'];
/** What a counter's instance can be the id of. */
const COUNTER_KEYS = ['host', 'rank'];

/** Paths and keys that name nothing, and rules that do not fit their metric. */
export function faultsOf(
  file: PlatformFile,
  { phaseTypes, resourceTypes }: { readonly phaseTypes: PhaseTypes; readonly resourceTypes: ResourceTypes },
): readonly Fault[] {
  const faults: Fault[] = [];
  const add = (at: readonly PropertyKey[], sentence: string): void => void faults.push({ at, sentence });
  const { metricTypes, resources } = resourceTypes;
  const phase = (type: string, at: readonly PropertyKey[]): void => {
    if (!phaseTypes.indexOf.has(type))
      add(at, `'${type}' is no phase type of this model${hint(type, phaseTypes.paths)}`);
  };
  const classOf = (type: string, at: readonly PropertyKey[]): string | undefined => {
    const index = metricTypes.indexOf.get(type);
    if (index === undefined) add(at, `'${type}' is no metric type of this model${hint(type, metricTypes.paths)}`);
    return index === undefined ? undefined : metricTypes.classes[index];
  };

  if (file.focus !== undefined) phase(file.focus, ['focus']);
  for (const [type, rules] of Object.entries(file.rules ?? {})) {
    phase(type, ['rules', type]);
    for (const [metric, rule] of Object.entries(rules)) {
      const at = ['rules', type, metric];
      const of = classOf(metric, at);
      if (of === undefined || rule.kind === 'none') continue;
      if (of === 'blocking' && rule.kind !== 'full') add(at, `${metric} is blocking: write full or none`);
      if (of === 'consumable' && rule.kind === 'full')
        add(at, `${metric} is consumable: write greedy CAP, sink or none`);
    }
  }
  for (const [type, entries] of Object.entries(file.mapping ?? {})) {
    phase(type, ['mapping', type]);
    for (const [index, resource] of entries.entries()) {
      const at = ['mapping', type, index];
      const resourceType = resource.replace(/\[[^\]]*\]/g, '');
      if (!resources.has(resourceType)) add(at, `'${resourceType}' is no resource type of this model`);
      const keys = new Set(['host', ...keysAbove(type, phaseTypes)]);
      for (const [, key = ''] of resource.matchAll(/\{([^}]*)\}/g)) {
        if (!keys.has(key))
          add(at, `{${key}} is the key of no phase from ${type} upwards: use ${[...keys].join(', ')}`);
      }
    }
  }
  for (const which of ['global', 'local'] as const) {
    const given = file.thresholds?.[which];
    if (typeof given !== 'object') continue;
    for (const type of Object.keys(given)) if (type !== 'default') classOf(type, ['thresholds', which, type]);
  }
  const types = Object.entries(file.measured?.trace ?? {}).map(([name, type]) => ({
    at: ['measured', 'trace', name],
    type,
  }));
  const { lifetime } = file.measured ?? {};
  if (lifetime !== undefined) types.push({ at: ['measured', 'lifetime'], type: lifetime });
  for (const { at, type } of types) {
    phase(type, at);
    const strange = keysAbove(type, phaseTypes).find((key) => !TRACE_KEYS.includes(key));
    if (strange !== undefined) add(at, `a trace tells no '${strange}': only ${TRACE_KEYS.join(', ')}`);
  }
  for (const [type, source] of Object.entries(file.measured?.metrics ?? {})) {
    const at = ['measured', 'metrics', type];
    const of = classOf(type, at);
    if ('waits' in source) {
      phase(source.waits, [...at, 'waits']);
      if (of === 'consumable') add(at, `${type} is consumable: give a counter`);
    } else if (of === 'blocking') add(at, `${type} is blocking: give the phase type that waits`);
    for (const { key } of resourcesAbove(type, resources)) {
      if (key !== undefined && !COUNTER_KEYS.includes(key))
        add(at, `a counter tells no '${key}': only ${COUNTER_KEYS.join(', ')}`);
    }
  }
  return faults;
}

/** Keys of a phase type and of those above it. */
export function keysAbove(type: string, { indexOf, parents, repeats, keys }: PhaseTypes): readonly string[] {
  const found: string[] = [];
  for (let at = indexOf.get(type) ?? -1; at > 0; at = parents[at] ?? -1) {
    const key = keys[at];
    if (repeats[at] !== 'none' && key !== undefined) found.push(key);
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

function hint(path: string, known: readonly string[]): string {
  const last = path.slice(path.lastIndexOf('/'));
  const same = known.find((one) => one !== '/' && one.endsWith(last));
  return same === undefined ? '' : `: did you mean ${same}?`;
}

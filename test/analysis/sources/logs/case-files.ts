import { stringify } from 'yaml';
import type { ResourceTypeSpec } from '../../../../analysis/grade10/model/metrics.ts';
import type { PhaseTypeSpec } from '../../../../analysis/grade10/model/phase-types.ts';
import type { Case } from '../../../cases/grade10/case-records.ts';

/** What a case's mapping is in a model file: per phase type, resources with {key} in them. */
export type Templates = Readonly<Record<string, readonly string[]>>;

/** The model file that says of a platform what a case says of it. Resources of a model file have names, the case's root must have no metrics. */
export function modelFile(
  { timeslice_ns, sampler, thresholds, execution_spec, resource_spec, rules }: Case,
  extra: { readonly mapping?: Templates; readonly places?: Readonly<Record<string, Readonly<Record<string, string>>>> },
): string {
  const byPhase: Record<string, Record<string, string>> = {};
  for (const entry of rules) {
    byPhase[entry.phase_type] = { ...byPhase[entry.phase_type], [entry.metric_type]: ruleText(entry) };
  }
  return stringify({
    name: 'case',
    timeslice: `${timeslice_ns}ns`,
    sampler,
    thresholds,
    phases: phaseEntries(execution_spec.children),
    resources: resourceEntries(resource_spec.children),
    rules: byPhase,
    ...extra,
  });
}

/**
 * Templates for a mapping that lists phases one by one: each id in a resource's path is the id of one key of the phase's
 * path. Throws where none gives all the entries of a type.
 */
export function templatesOf(mapping: Case['mapping']): Templates {
  const byType = new Map<string, Case['mapping']>();
  for (const entry of mapping) {
    const type = entry.phase.replace(/\[[^\]]*\]/g, '');
    byType.set(type, [...(byType.get(type) ?? []), entry]);
  }
  return Object.fromEntries(
    [...byType].map(([type, entries]) => {
      const resources = entries[0]?.resources.map((_, place) => {
        const found = candidates(entries[0]?.phase ?? '', entries[0]?.resources[place] ?? '').find((template) =>
          entries.every(({ phase, resources: own }) => filled(template, idsOf(phase)) === own[place]),
        );
        if (found === undefined) throw new Error(`no template gives resource ${place} of ${type}`);
        return found;
      });
      return [type, resources ?? []];
    }),
  );
}

/** A case's measurements as the files of a job; times moved by `shiftNs`. */
export function jobFiles({ phases, metrics }: Case, shiftNs = 0n): Readonly<Record<string, string>> {
  const time = (ns: number): string => String(BigInt(ns) + shiftNs);
  const rates = ['metric,capacity,period_start_ns,period_end_ns,value'];
  const waits = ['metric,start_ns,end_ns'];
  for (const metric of metrics) {
    if (metric.class === 'blocking') {
      // A metric that never blocked is one that blocked for no time.
      const blocked = metric.blocked_ns.length === 0 ? [[0, 0] as const] : metric.blocked_ns;
      for (const [start, end] of blocked) waits.push(`${metric.path},${time(start)},${time(end)}`);
      continue;
    }
    const { path, capacity, observation_times_ns: bounds, observation_values: values } = metric;
    for (const [index, value] of values.entries()) {
      rates.push(`${path},${capacity},${time(bounds[index] ?? 0)},${time(bounds[index + 1] ?? 0)},${value}`);
    }
  }
  const listed = phases.map(({ path, start_ns, end_ns }) => `${path},${time(start_ns)},${time(end_ns)}`);
  return {
    'phases.csv': ['path,start_ns,end_ns', ...listed, ''].join('\n'),
    'rates.csv': [...rates, ''].join('\n'),
    'waits.csv': [...waits, ''].join('\n'),
  };
}

function phaseEntries(specs: readonly PhaseTypeSpec[] = []): Record<string, unknown> {
  return Object.fromEntries(
    specs.map(({ name, repeat, children, ...rest }) => [
      name,
      { ...rest, ...(repeat === undefined || repeat === 'none' ? {} : { repeat }), phases: phaseEntries(children) },
    ]),
  );
}

function resourceEntries(specs: readonly ResourceTypeSpec[] = []): Record<string, unknown> {
  return Object.fromEntries(
    specs.map(({ name, repeat, metrics = [], children, ...rest }) => [
      name,
      {
        ...rest,
        ...(repeat === 'many' ? { repeat } : {}),
        metrics: Object.fromEntries(metrics.map((metric) => [metric.name, metric.class])),
        resources: resourceEntries(children),
      },
    ]),
  );
}

function ruleText(entry: Case['rules'][number]): string {
  if (entry.rule === 'exact') return `greedy ${entry.value}`;
  return entry.rule === 'variable' ? `sink ${entry.value}` : entry.rule;
}

function idsOf(phase: string): ReadonlyMap<string, string> {
  return new Map(Array.from(phase.matchAll(/\[([^=\]]*)=([^\]]*)\]/g), ([, key = '', id = '']) => [key, id]));
}

/** All ways to write a key of the phase for each id of the resource. */
function candidates(phase: string, resource: string): readonly string[] {
  let open = [''];
  for (const part of resource.split(/(?<==)([^\]]*)(?=\])/)) {
    const keys = [...idsOf(phase)].flatMap(([key, id]) => (id === part ? [`{${key}}`] : []));
    open = open.flatMap((before) => [...keys, part].map((next) => before + next));
  }
  return open;
}

function filled(template: string, ids: ReadonlyMap<string, string>): string {
  return template.replace(/\{([^}]*)\}/g, (_, key: string) => ids.get(key) ?? '?');
}

import { assertNever, badInput } from '../../../base/index.ts';
import type { ModelInput } from '../model/create-model.ts';
import type { MetricInput } from '../model/metrics.ts';
import { keyProblem, lastStep, parentPath, typePath } from '../model/path.ts';
import { createPhaseTypes, type PhaseTypes } from '../model/phase-types.ts';
import type { PhaseColumns } from '../model/phases.ts';
import { createResourceTypes } from '../model/resource-types.ts';
import type { Rule } from '../model/rules.ts';
import type { Case } from './records.ts';

/** A case's paths as rows and columns. Errors: badInput for unknown types, missing parents, duplicates and uneven lists. */
export function readCase(input: Case): ModelInput {
  const phaseTypes = createPhaseTypes(input.execution_spec);
  const rows = new Map<string, number>();
  for (const [row, { path }] of input.phases.entries()) {
    if (rows.has(path)) throw badInput(`The phase ${path} is listed twice: remove one or give them different ids.`);
    rows.set(path, row);
  }
  return {
    phaseTypes,
    resourceTypes: createResourceTypes(input.resource_spec),
    phases: readPhases(input, { rows, types: phaseTypes }),
    metrics: input.metrics.map(readMetric),
    mapping: input.mapping.map(({ phase, resources }) => {
      const row = rows.get(phase);
      if (row === undefined)
        throw badInput(`The mapping names the phase ${phase}, which is not listed: add it or correct the path.`);
      return { phase: row, resources };
    }),
    rules: input.rules.map((entry) => ({
      phaseType: entry.phase_type,
      metricType: entry.metric_type,
      rule: readRule(entry),
    })),
    timesliceNs: input.timeslice_ns,
  };
}

function readPhases(
  { phases }: Case,
  { rows, types }: { readonly rows: ReadonlyMap<string, number>; readonly types: PhaseTypes },
): PhaseColumns {
  const [type, parent] = [new Uint32Array(phases.length), new Int32Array(phases.length)];
  const id: string[] = [];
  for (const [row, { path }] of phases.entries()) {
    const own = path.startsWith('/') ? types.indexOf.get(typePath(path)) : undefined;
    if (own === undefined) {
      throw badInput(
        `The phase ${path} has no type in the execution model: add ${typePath(path)} or correct the path.`,
      );
    }
    const above = parentPath(path);
    const step = above === null ? undefined : lastStep(path);
    const repeats = types.repeats[own] !== 'none';
    const problem =
      step === null ? 'it is no name or name[key=id]' : step && keyProblem(step, { repeats, key: types.keys[own] });
    if (problem) throw badInput(`The path of the phase ${path} is wrong: ${problem}.`);
    const aboveRow = above === null ? -1 : rows.get(above);
    if (aboveRow === undefined)
      throw badInput(`The phase ${path} has no parent: list ${above} with its start and end.`);
    type[row] = own;
    parent[row] = aboveRow;
    id.push(step?.id ?? '');
  }
  return {
    type,
    parent,
    id,
    startNs: Float64Array.from(phases, ({ start_ns }) => start_ns),
    endNs: Float64Array.from(phases, ({ end_ns }) => end_ns),
  };
}

function readMetric(metric: Case['metrics'][number]): MetricInput {
  const { path } = metric;
  switch (metric.class) {
    case 'blocking':
      return {
        class: 'blocking',
        path,
        startNs: Float64Array.from(metric.blocked_ns, ([start]) => start),
        endNs: Float64Array.from(metric.blocked_ns, ([, end]) => end),
      };
    case 'consumable': {
      const { capacity, observation_times_ns: times, observation_values: values } = metric;
      if (times.length !== values.length + 1) {
        throw badInput(
          `${path} has ${values.length} values and ${times.length} times: give the start of the first period and the end of each.`,
        );
      }
      const boundaries = Float64Array.from(times);
      const [startNs, endNs] = [boundaries.subarray(0, -1), boundaries.subarray(1)];
      return { class: 'consumable', path, capacity, startNs, endNs, rates: Float64Array.from(values) };
    }
    default:
      return assertNever(metric);
  }
}

function readRule(entry: Case['rules'][number]): Rule {
  switch (entry.rule) {
    case 'exact':
      return { kind: 'greedy', cap: entry.value };
    case 'variable':
      return { kind: 'sink', weight: entry.value };
    case 'full':
    case 'none':
      return { kind: entry.rule };
    default:
      return assertNever(entry);
  }
}

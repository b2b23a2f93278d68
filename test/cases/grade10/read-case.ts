import type { ModelInput } from '../../../analysis/grade10/model/create-model.ts';
import { createResourceTypes, type MetricInput } from '../../../analysis/grade10/model/metrics.ts';
import { createPhaseTypes } from '../../../analysis/grade10/model/phase-types.ts';
import type { Rule } from '../../../analysis/grade10/model/uses.ts';
import { readPhases, rowsByPath } from '../../../analysis/sources/logs/read-job.ts';
import { assertNever, badInput } from '../../../base/errors.ts';
import type { Case } from './case-records.ts';

/** A case's paths as rows and columns. Errors: badInput for unknown types, missing parents, duplicates and uneven lists. */
export function readCase(input: Case): ModelInput {
  const phaseTypes = createPhaseTypes(input.execution_spec);
  const rows = rowsByPath(input.phases);
  return {
    phaseTypes,
    resourceTypes: createResourceTypes(input.resource_spec),
    phases: readPhases(input.phases, { rows, types: phaseTypes }),
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

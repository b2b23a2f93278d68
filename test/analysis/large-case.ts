import type { Rule } from '../../analysis/grade10/model/uses.ts';
import { EXECUTION, type JobSize, largeJob, RESOURCES } from './large-job.ts';

/** The large job as the text of a case. */
export function largeCase(size: JobSize = {}): string {
  const { phaseTypes, phases, metrics, mapping = [], rules = [], timesliceNs } = largeJob(size);
  const paths: string[] = [];
  for (const [row, type] of phases.type.entries()) {
    // Parents come first.
    const above = paths[phases.parent[row] ?? -1];
    const [name, key] = [phaseTypes.names[type], phaseTypes.keys[type]];
    const step = key === undefined ? name : `${name}[${key}=${phases.id[row]}]`;
    paths.push(above === undefined ? '/' : `${above === '/' ? '' : above}/${step}`);
  }
  return JSON.stringify({
    name: 'large',
    timeslice_ns: timesliceNs,
    sampler: 'phase-aware',
    thresholds: { global: 0.95, local: 0.95 },
    execution_spec: EXECUTION,
    resource_spec: RESOURCES,
    rules: rules.map(({ phaseType, metricType, rule }) => ({
      phase_type: phaseType,
      metric_type: metricType,
      ...written(rule),
    })),
    phases: paths.map((path, row) => ({ path, start_ns: phases.startNs[row], end_ns: phases.endNs[row] })),
    metrics: metrics.map((metric) =>
      metric.class === 'blocking'
        ? {
            class: 'blocking',
            path: metric.path,
            blocked_ns: Array.from(metric.startNs, (start, wait) => [start, metric.endNs[wait]]),
          }
        : {
            class: 'consumable',
            path: metric.path,
            capacity: metric.capacity,
            observation_times_ns: [...metric.startNs, ...metric.endNs.slice(-1)],
            observation_values: [...metric.rates],
          },
    ),
    mapping: mapping.map(({ phase, resources }) => ({ phase: paths[phase], resources })),
  });
}

function written(rule: Rule): { readonly rule: string; readonly value?: number } {
  if (rule.kind === 'greedy') return { rule: 'exact', value: rule.cap };
  if (rule.kind === 'sink') return { rule: 'variable', value: rule.weight };
  return { rule: rule.kind };
}

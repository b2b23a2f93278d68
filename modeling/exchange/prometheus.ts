// The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/
import { median } from 'simple-statistics';
import { at, own } from '../../base/lists.ts';
import type { Experiment } from './experiment.ts';

/** What a metric of ours is called there, in base units, and what it is. */
const METRICS: Readonly<Record<string, readonly [name: string, help: string]>> = {
  ct: ['predict_completion_time_seconds', 'Median completion time of a timed run.'],
  teps: ['predict_traversed_edges_per_second', 'Median of the traversed edges per second.'],
};
const LABELS: Readonly<Record<string, string>> = { bw: 'bandwidth_percent' };

/**
 * The median of each point as a gauge, for a textfile collector or a push gateway: without times, which collectors reject. `common` are
 * labels of all, such as the campaign. Of a metric with another name that name is kept.
 */
export function writePrometheus(
  { parameters, series }: Experiment,
  common: Readonly<Record<string, string>> = {},
): string {
  const metrics = [...new Set(series.map(({ metric }) => metric))];
  return metrics
    .map((metric) => {
      const [name, help] = own(METRICS, metric) ?? [`predict_${nameOf(metric)}`, `Median of ${metric}.`];
      const shown = series.filter((one) => one.metric === metric);
      const lines = shown.flatMap(({ callpath, points }) =>
        points.map(({ coordinate, values }) => {
          const place = parameters.map((parameter, index) => [
            own(LABELS, parameter) ?? nameOf(parameter),
            String(at(coordinate, index)),
          ]);
          const labels = [...Object.entries(common), ...(callpath === '' ? [] : [['call_path', callpath]]), ...place];
          const text = labels.map(([label = '', value = '']) => `${label}="${escaped(value)}"`).join(',');
          return `${name}{${text}} ${median([...values])}\n`;
        }),
      );
      return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} gauge\n${lines.join('')}`;
    })
    .join('');
}

/** As names and labels may be: letters, digits and underscores, no digit first. */
function nameOf(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=\d)/, '_');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

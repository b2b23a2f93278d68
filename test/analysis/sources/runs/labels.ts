import type { Model } from '../../../../analysis/grade10/model/create-model.ts';
import type { MetricLabel, Platform } from '../../../../analysis/platform/platform.ts';

/** What summaries and reports read of a platform: labels of metric types, here by path; those left out are their own group. */
export function labelled(
  { phaseTypes, resourceTypes }: Pick<Model, 'phaseTypes' | 'resourceTypes'>,
  { focus = '/', groups = {} }: { readonly focus?: string; readonly groups?: Readonly<Record<string, string>> } = {},
): Pick<Platform, 'focus' | 'metrics'> {
  const metrics = resourceTypes.metricTypes.paths.map(
    (path): MetricLabel => ({ label: `label of ${path}`, group: groups[path] ?? path, unit: '' }),
  );
  const type = phaseTypes.indexOf.get(focus);
  if (type === undefined) throw new Error(`no phase type ${focus}`);
  return { focus: type, metrics };
}

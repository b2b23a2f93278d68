import type { Analysis } from '../../analysis/grade10/analyse-phases.ts';
import { computeSamplingAccuracy } from '../../analysis/grade10/attribution/accuracy.ts';
import { leavesUnder } from '../../analysis/grade10/fold-phases.ts';
import { usedMetrics } from '../../analysis/grade10/model/uses.ts';
import {
  createAttributionPictures,
  createBottleneckReport,
  drillDown,
} from '../../analysis/pictures/bottleneck-report.ts';
import type { Platform } from '../../analysis/platform/platform.ts';
import type { Explained } from '../../analysis/sources/runs/explain-cell.ts';
import { costFindings } from '../../analysis/sources/runs/summarise.ts';
import { phaseTitle } from '../format.ts';

/** The predicate that a report's composite phases are judged by, if the model has it: the thesis's for mixed subphases. */
const PREDICATE = 'majority+any';
const ISSUES = 8;
const INTERVALS = [1, 2, 4, 8, 16, 32];

export type WhyRun = ReturnType<typeof runPicture>;

/** One run drawn: bottleneck reports down to where its time is lost, the use of its resources, and what would help. */
export function runPicture({ record: { cell }, platform, analysis, summary }: Explained) {
  const rows = drillDown(analysis, platform.focus);
  const names = analysis.bottlenecks.map((one) => one.predicate);
  const predicate = names.includes(PREDICATE) ? PREDICATE : (names[0] ?? PREDICATE);
  const errors = computeSamplingAccuracy(analysis.model, INTERVALS);
  return {
    nodes: cell.nodes,
    scale: cell.scale,
    bw: cell.bw,
    seconds: summary.seconds / Math.max(1, summary.count),
    count: summary.count,
    // What would help, the most first.
    issues: costFindings(summary, platform)
      .slice(0, ISSUES)
      .map(({ sentence }) => sentence),
    // The first is of the phase in focus, each further one of a phase within the one before.
    reports: rows.map((row) => createBottleneckReport(analysis, platform, { row, predicate })),
    attributions: attributionsOf(analysis, platform, rows),
    sampling: errors
      .filter(({ sampler }) => sampler === 'constant')
      .map(({ metricType, every, intervalSeconds, errorPercent }) => ({
        metric: labelOf(platform, analysis.model.resourceTypes.metricTypes.indexOf.get(metricType)),
        intervalSeconds,
        constantPercent: errorPercent,
        phaseAwarePercent:
          errors.find((one) => one.sampler === 'phase-aware' && one.metricType === metricType && one.every === every)
            ?.errorPercent ?? null,
      })),
  };
}

/** The metrics of the place that the drill-down ends at, over the phase that it starts from: one metric per group. */
function attributionsOf(analysis: Analysis, platform: Platform, rows: readonly number[]) {
  const { phases, uses, metrics } = analysis.model;
  const [top, last] = [rows[0], rows.at(-1)];
  if (top === undefined || last === undefined) return [];
  const reached = new Set(leavesUnder(phases, last).flatMap((leaf) => [...usedMetrics(uses, leaf)]));
  const groups = new Set<string>();
  return [...reached]
    .sort((a, b) => a - b)
    .flatMap((metric) => {
      const found = metrics[metric];
      const label = platform.metrics[found?.type ?? 0];
      if (found?.class !== 'consumable' || label === undefined || groups.has(label.group)) return [];
      groups.add(label.group);
      const place = found.path.split('/').slice(0, -1);
      const where = phaseTitle(place.filter((step) => step.includes('[')).join('/'));
      return createAttributionPictures(analysis, { row: top, metric }).map(({ used, sampled, ...picture }) => ({
        ...{ ...picture, ...label, where },
        // Plain lists, for a report is plain data.
        used: used.map(({ type, usage, capacity }) => ({ type, usage: [...usage], capacity: [...capacity] })),
        sampled: [...sampled],
      }));
    });
}

function labelOf({ metrics }: Platform, type: number | undefined): string {
  return metrics[type ?? -1]?.label ?? '';
}

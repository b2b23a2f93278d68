import {
  type Analysis,
  attributionPictures,
  bottleneckReport,
  costFindings,
  drillDown,
  type Explained,
  lastStep,
  leavesUnder,
  type Platform,
  samplingAccuracy,
  usedMetrics,
} from '../../analysis/index.ts';
import type { WhyRun } from '../why-data.ts';

/** The predicate that a report's composite phases are judged by, if the model has it: the thesis's for mixed subphases. */
const PREDICATE = 'majority+any';
const ISSUES = 8;
const INTERVALS = [1, 2, 4, 8, 16, 32];

/** One run drawn: bottleneck reports down to where its time is lost, the use of its resources, and what would help. */
export function runPicture({ record: { cell }, platform, analysis, summary }: Explained): WhyRun {
  const rows = drillDown(analysis, platform.focus);
  const names = analysis.bottlenecks.map((one) => one.predicate);
  const predicate = names.includes(PREDICATE) ? PREDICATE : (names[0] ?? PREDICATE);
  const reports = rows.map((row) => bottleneckReport(analysis, platform, { row, predicate }));
  const errors = samplingAccuracy(analysis.model, INTERVALS);
  return {
    nodes: cell.nodes,
    scale: cell.scale,
    bw: cell.bw,
    seconds: summary.seconds / Math.max(1, summary.count),
    count: summary.count,
    issues: costFindings(summary, platform)
      .slice(0, ISSUES)
      .map(({ sentence }) => sentence),
    reports: reports.map(({ path, seconds, overview, resources, subphases }) => ({
      title: titleOf(path),
      seconds,
      overview,
      resources: resources.map(({ label, group, percent, stretches }) => ({
        label,
        group,
        percent,
        stretches: stretches.filter(({ share }) => share > 0),
      })),
      subphases: subphases.map(({ name, from, to, stretches }) => ({
        name: titleOf(name),
        from,
        to,
        stretches: stretches.filter(({ groups }) => groups.length > 0),
      })),
    })),
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
function attributionsOf(analysis: Analysis, platform: Platform, rows: readonly number[]): WhyRun['attributions'] {
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
      return attributionPictures(analysis, { row: top, metric }).map((picture) => ({
        label: label.label,
        where: titleOf(
          found.path
            .split('/')
            .slice(0, -1)
            .filter((step) => step.includes('['))
            .join('/'),
        ),
        unit: label.unit,
        group: label.group,
        sampler: picture.sampler,
        capacity: picture.capacity,
        sliceSeconds: picture.sliceSeconds,
        measured: picture.measured,
        used: picture.used.map(({ type, usage, capacity }) => ({
          name: lastStep(type),
          usage: [...usage],
          capacity: [...capacity],
        })),
      }));
    });
}

function labelOf({ metrics }: Platform, type: number | undefined): string {
  return metrics[type ?? -1]?.label ?? '';
}

/** `/Search[root=3]/Bfs/Level[level=2]` -> Search 3, Level 2; `/Search[root=3]/Bfs` -> Search 3, Bfs. */
function titleOf(path: string): string {
  const steps = path.split('/').filter((step) => step !== '');
  const words = steps.flatMap((step, index) => {
    const [, name = step, key = '', id] = /^([^[]*)(?:\[([^=]*)=(.*)\])?$/.exec(step) ?? [];
    if (id === undefined) return index === steps.length - 1 ? [name] : [];
    // A host or another thing that is known by its name alone.
    return name === key && !/^\d+$/.test(id) ? [id] : [`${name} ${id}`];
  });
  return words.join(', ') || 'The job';
}

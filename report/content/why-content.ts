import { componentNames } from '../../analysis/across/run-of-cell.ts';
import { explainCampaign, type GoodRuns, goodRuns, measurements } from '../../analysis/explain-campaign.ts';
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
import { componentLabel, costFindings, costWords } from '../../analysis/sources/runs/summarise.ts';
import { at, last, own } from '../../base/lists.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { phaseTitle } from '../format.ts';
import { isAt, type Setting } from './main-setting.ts';

/** Of which program, and of which configuration alone; default: of the only program, and of all. */
export interface WitnessChoice {
  readonly program?: string | undefined;
  readonly at?: Setting | undefined;
}

/** The good runs that are asked about. */
export async function runsAt(open: OpenCampaign, { at, ...choice }: WitnessChoice): Promise<GoodRuns> {
  const good = await goodRuns(open, choice);
  if (at === undefined) return good;
  const isOne = isAt(at);
  return { ...good, records: good.records.filter(({ cell }) => isOne(cell)) };
}

/** Where the time of runs went, by the Grade10 method; seconds are per phase in focus (`noun`: a search). */
export type Why = NonNullable<Awaited<ReturnType<typeof readWhy>>>;

/**
 * Where the time of every measured run went, what the runs say together, and pictures of two of them: the largest cluster and
 * scale at full and at the lowest bandwidth. Null where nothing was sampled.
 */
export async function readWhy(open: OpenCampaign, choice: WitnessChoice = {}) {
  const good = await runsAt(open, choice);
  const wanted = choice.at === undefined ? pictured(measurements(good)) : [];
  const pictures: WhyRun[] = [];
  const explained = await explainCampaign(good, {
    of: (record) => wanted.includes(record),
    see: (run) => pictures.push(runPicture(run)),
  });
  if (explained === null) return null;
  const { platform, runs, skipped, findings, forecasts, takeovers } = explained;
  const names = componentNames(runs.map(({ run }) => run));
  return {
    noun: platform.noun,
    model: platform.name,
    findings,
    warnings: [...new Set([...runs.flatMap(({ warnings }) => warnings), ...skipped.map(({ reason }) => reason)])],
    components: names.map((name) => ({ name, label: componentLabel(name, platform) })),
    rows: runs
      .toSorted(({ cell: a }, { cell: b }) => b.scale - a.scale || a.nodes - b.nodes || b.bw - a.bw || a.rep - b.rep)
      .map(({ run: { nodes, scale, bw, seconds, components }, summary, isClipped }) => ({
        nodes,
        scale,
        bw,
        seconds,
        isClipped,
        // Seconds of each component, in their order.
        parts: names.map((name) => own(components, name) ?? 0),
        helps: summary.costs[0] === undefined ? '' : costWords(summary.costs[0], platform),
      })),
    forecasts,
    takeovers,
    runs: pictures.sort((a, b) => b.bw - a.bw),
  };
}

/** The first visits of the largest scale on the most nodes, at the highest and the lowest bandwidth. */
export function pictured<R extends Pick<CellRecord, 'cell'>>(records: readonly R[]): readonly R[] {
  const scale = Math.max(...records.map(({ cell }) => cell.scale));
  const most = Math.max(...records.filter(({ cell }) => cell.scale === scale).map(({ cell }) => cell.nodes));
  const own = records.filter(({ cell }) => cell.scale === scale && cell.nodes === most && cell.rep === 1);
  const order = own.toSorted((a, b) => b.cell.bw - a.cell.bw);
  return order.length < 2 ? order : [at(order, 0), last(order)];
}

/** The predicate that a report's composite phases are judged by, if the model has it: the thesis's for mixed subphases. */
const PREDICATE = 'majority+any';
const ISSUES = 8;
const INTERVALS = [1, 2, 4, 8, 16, 32];

export type WhyRun = ReturnType<typeof runPicture>;

/** One run drawn: bottleneck reports down to where its time is lost, the use of its resources, and what would help. */
function runPicture({ record: { cell }, platform, analysis, summary }: Explained) {
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

import { rankFindings } from '../../analysis/index.ts';
import { ascending, own } from '../../base/index.ts';
import {
  type Campaign,
  type CellRecord,
  describeMarks,
  type Observation,
  observationsOf,
  withMarks,
} from '../../experiments/index.ts';
import { rowsFrom, smallestAdmissible, type TrafficPoint, typicalTimes } from '../../modeling/index.ts';
import type { CallStacks, DagData, PathData, ReportData, Why } from '../data.ts';

import { choiceOf, shownComparison } from './comparison.ts';
import { driftOf } from './drift.ts';

import { fitAll, tasksFor } from './fits.ts';
import type { CampaignFacts } from './from-campaign.ts';
import { headingsOf } from './headings.ts';
import { checkOf, curvesOf, decisionsOf, demandOf, dominanceOf, projectionsOf } from './predictions.ts';
import { cellRows, failuresOf, pointsOf, throttleOf } from './statistics.ts';
import { storyOf } from './story/story.ts';
import { warningsOf } from './warnings.ts';

export interface ReportInput {
  readonly title?: string;
  /** ISO date and time. */
  readonly generatedAt: string;
  readonly campaign: CampaignFacts;
  readonly records: readonly CellRecord[];
  /** Default: every timed search of the finished cells, without the drift cells. */
  readonly rows?: readonly Observation[];
  /** What the hosts sent per search, where counters tell. */
  readonly traffic?: readonly TrafficPoint[];
  /** What people call one timed run. */
  readonly noun: string;
  /** Edges per vertex; null for programs without graphs. */
  readonly edgeFactor: number | null;
  /** The campaign itself, whose hosts could measure more. */
  readonly planned: Campaign;
  /** Where the time of searches went. */
  readonly why?: Why | null;
  /** On which chains of work and messages searches hung. */
  readonly path?: PathData | null;
  /** What limits a dataflow job whose runs were watched. */
  readonly dag?: DagData | null;
  /** Which call paths stop scaling, by profiled runs. */
  readonly callStacks?: CallStacks | null;
  /** Node counts to project to. Default: round counts up to ten times the largest measured one, at least 256. */
  readonly projectTo?: readonly number[];
  /** Node counts on which the workload can run. Default: all. */
  readonly isAdmissible?: (nodes: number) => boolean;
}

/** A campaign as the plain data of a report: statistics, fits, checks, projections and the sentences about them. */
export function buildReport(input: ReportInput): ReportData {
  return withFits(input).data;
}

/** The same with the fits that it rests on, for further questions. */
export function withFits(input: ReportInput) {
  const { facts, rows, fits } = factsOf(input);
  const { records, planned, isAdmissible = () => true } = input;
  const story = storyOf(facts, { rows, fits, records, planned, isAdmissible });
  const data: ReportData = { ...facts, story, headings: headingsOf(facts, story), warnings: warningsOf(facts) };
  return { data, rows, fits };
}

export function factsOf(input: ReportInput) {
  const { campaign: facts, records, rows: given, isAdmissible = () => true } = input;
  const { plannedCells, addedNodes, ...known } = facts;
  const observations = given ?? observationsOf(records);
  const cells = cellRows(records);
  const points = pointsOf(observations, { cells, typical: typicalTimes(input.planned, records) });
  const rows = rowsFrom(observations);
  const { ranksPerNode } = facts;
  const scales = ascending(points.map((point) => point.scale));
  const nodes = ascending(points.map((point) => point.nodes));
  const bw = ascending(points.map((point) => point.bw));

  const choice = choiceOf(rows, { ranksPerNode, traffic: input.traffic ?? [] });
  const tasks = points.length === 0 ? [] : tasksFor({ scales, nodes }, choice, input.traffic ?? []);
  const checked = checkOf(
    tasks.filter(({ at: selection }) => selection.nodes === undefined),
    { rows, points, ranksPerNode, addedNodes },
  );
  const { made: fits, reasons } = fitAll(rows, tasks, ranksPerNode);
  const targets = {
    nodes: input.projectTo ?? targetsFor(nodes, isAdmissible),
    bw: few(bw),
    edgeFactor: input.edgeFactor,
  };
  const projected = projectionsOf(fits, targets);
  const marked = withMarks(records);
  const failed = records.filter((record) => record.status === 'failed').length;
  /** One sentence for a section that has nothing to show. */
  const missing: Readonly<Record<string, string | null>> = {
    models: because('No model could be fitted.', reasons),
    check: nodes.length < 3 ? null : because('No prediction was tested.', checked.reasons),
    projections: because('There is no prediction.', projected.reasons),
  };
  const shown = {
    noun: input.noun,
    title: input.title ?? `How ${facts.workload} scales on ${facts.cluster}`,
    generatedAt: input.generatedAt,
    campaign: {
      ...known,
      cells: { planned: plannedCells, done: records.length - failed, failed },
      totalSeconds:
        records.length === 0 ? null : records.reduce((sum, record) => sum + record.timing.totalMs, 0) / 1000,
    },
    marked: describeMarks(marked),
    markedCells: marked.filter(({ marks }) => marks.length > 0).length,
    drift: driftOf(records),
    cells,
    points,
    failures: failuresOf(records),
    fits: fits.map((fit) => fit.row),
    curves: curvesOf(fits, points),
    check: checked.check,
    comparison: choice && shownComparison(choice.comparison),
    projections: projected.made.flat(),
    decisions: decisionsOf(fits, {
      ...targets,
      isAdmissible,
      lineRateBps: facts.lineRateBps,
      unit: input.noun,
    }),
    dominance: dominanceOf(fits, { bw: few(bw), isAdmissible }),
    demand: demandOf(fits, rows, points),
    throttle: throttleOf(records),
    why: input.why ?? null,
    path: input.path ?? null,
    dag: input.dag ?? null,
    callStacks: input.callStacks ?? null,
    costliest: costliestOf(input),
    missing,
  };
  return { facts: shown, rows, fits };
}

/** So many of all findings are named together. */
const COSTLIEST = 10;
/** What people call an analysis. */
const ANALYSES: Readonly<Record<string, string>> = { path: 'critical path', profiles: 'call stacks' };

/** What costs the largest share of time, by all analyses together; empty where there is one alone. */
function costliestOf({ why, path, callStacks }: Pick<ReportInput, 'why' | 'path' | 'callStacks'>) {
  const all = [why, path, callStacks].flatMap((one) =>
    one == null || one.findings.length === 0 ? [] : [one.findings],
  );
  if (all.length < 2) return [];
  return rankFindings(all.flat().filter(({ percent }) => percent !== null))
    .slice(0, COSTLIEST)
    .map(({ kind, sentence }) => ({ by: own(ANALYSES, kind.split('/')[0] ?? '') ?? 'Grade10', sentence }));
}

function because(what: string, [reason]: readonly string[]): string | null {
  return reason === undefined ? null : `${what} ${reason}`;
}

const ROUND = [1, 2, 4, 9, 16, 25, 36, 49, 64, 100, 144, 196, 256, 400, 576, 784, 1024];

/** The measured counts, then round ones far beyond. */
function targetsFor(measured: readonly number[], isAdmissible: (nodes: number) => boolean): readonly number[] {
  const most = measured.at(-1) ?? 1;
  const limit = Math.max(256, most * 10);
  const beyond = ROUND.filter((count) => count > most && count <= limit && isAdmissible(count));
  if (beyond.length > 0) return ascending([...measured, ...beyond]);
  // Programs that run on few counts, such as twice a square: the next that can run.
  const next = [most * 2, most * 4, most * 10].flatMap((count) => smallestAdmissible(count, isAdmissible) ?? []);
  return ascending([...measured, ...next]);
}

/** The ends of the bandwidths and some round ones between: a projection of twenty lines says no more. */
function few(bw: readonly number[]): readonly number[] {
  if (bw.length <= 6) return bw;
  const ends = [bw[0], bw.at(-1)];
  const round = bw.filter((value) => ends.includes(value) || value % 20 === 0 || value === 50);
  return round.length >= 3 && round.length <= 7
    ? round
    : bw.filter((_, index) => index % Math.ceil(bw.length / 5) === 0 || index === bw.length - 1);
}

import type { ExplainedJobs } from '../../analysis/dag/explain/explained.ts';
import { rankFindings } from '../../analysis/finding.ts';
import { ascending, own } from '../../base/lists.ts';
import { describeMarks, withMarks } from '../../experiments/marks.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { parseHostFacts } from '../../experiments/store/host-facts.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { compareLargest } from '../../modeling/judge/baselines.ts';
import { memoryOf } from '../../modeling/questions/measurements.ts';
import type { Witnesses } from '../answers/answers.ts';
import type { AnswerBasis, Measured } from '../answers/basis.ts';
import { planOf } from '../planner/plan-data.ts';
import { emulationOf } from './emulation.ts';
import { fitAll, shownComparison, tasksFor } from './fits.ts';
import { withoutSecondAnswers } from './forecasts.ts';
import { chooseValues } from './main-setting.ts';
import { computeCheck, computeCurves, computeDemandRows, computeDominance, computeProjections } from './predictions.ts';
import { computeDrift, listFailures, summariseThrottle } from './statistics.ts';

/** What the watched runs of a campaign say together, or why they say nothing together. */
export type DagData = { readonly explained: ExplainedJobs } | { readonly problem: string };

/** What a report is made of. */
export interface ReportInput extends Measured, Partial<Witnesses> {
  readonly title?: string;
  /** ISO date and time. */
  readonly generatedAt: string;
  /** What limits a dataflow job whose runs were watched. */
  readonly dag?: DagData | null;
}

/** A report without the sentences about it. */
export type Facts = ReturnType<typeof computeFacts>;

/** What the page shows of a campaign, before anything is said of it. */
export function computeFacts(basis: AnswerBasis, input: Omit<ReportInput, keyof Measured>) {
  const { planned, records, isAdmissible, noun, cells, points, choice, ensemble } = basis;
  const { plannedCells, ...known } = campaignFacts(planned);
  const bw = ascending(points.map((point) => point.bw));
  const tasks = tasksFor(basis);
  const checked = computeCheck(
    tasks.filter(({ at: selection }) => selection.nodes === undefined),
    basis,
  );
  const { made: fits, reasons } = fitAll(basis, tasks);
  const targets = { nodes: basis.targets, bw: chooseValues(bw), edgeFactor: basis.edgeFactor };
  const projected = computeProjections(fits, targets);
  const inUse =
    basis.model.ensemble === null ? null : (fits.find(({ ensemble: own }) => own === ensemble)?.row.id ?? null);
  const predictions = projected.made.flat().filter((row) => row.fit === inUse && row.abstains === null);
  const { why = null, path = null, callStacks = null } = input;
  const said = withoutSecondAnswers({ why, path }, predictions);
  const marked = withMarks(records);
  const failed = records.filter((record) => record.status === 'failed').length;
  /** One sentence for a section that has nothing to show. */
  const missing: Readonly<Record<string, string | null>> = {
    models: because('No model could be fitted.', reasons),
    check:
      new Set(points.map(({ nodes }) => nodes)).size < 3 ? null : because('No prediction was tested.', checked.reasons),
    projections: because('There is no prediction.', projected.reasons),
  };
  const shown = {
    noun,
    title: input.title ?? `How ${known.workload} scales on ${known.cluster}`,
    generatedAt: input.generatedAt,
    campaign: {
      ...known,
      rules: rulesOf(planned, records),
      cells: { planned: plannedCells, done: records.length - failed, failed },
      totalSeconds:
        records.length === 0 ? null : records.reduce((sum, record) => sum + record.timing.totalMs, 0) / 1000,
    },
    marked: describeMarks(marked),
    markedCells: marked.filter(({ marks }) => marks.length > 0).length,
    drift: computeDrift(records),
    cells,
    points,
    failures: listFailures(records),
    fits: fits.map((fit) => fit.row),
    curves: computeCurves(fits, points),
    check: checked.check,
    comparison: choice && shownComparison(choice.comparison),
    projections: projected.made.flat(),
    baselines: ensemble && compareLargest(ensemble, predictions),
    plan: planOf(basis),
    dominance: computeDominance(fits, { bw: chooseValues(bw), isAdmissible }),
    demand: computeDemandRows(basis),
    throttle: summariseThrottle(records),
    ...said,
    dag: input.dag ?? null,
    callStacks,
    costliest: costliestOf({ ...said, callStacks }),
    missing,
  };
  return shown;
}

/** So many of all findings are named together. */
const COSTLIEST = 10;
/** What people call an analysis. */
const ANALYSES: Readonly<Record<string, string>> = { path: 'critical path', profiles: 'call stacks' };

/** What costs the largest share of time, by all analyses together; empty where there is one alone. */
function costliestOf({ why, path, callStacks }: Witnesses) {
  const all = [why, path, callStacks].flatMap((one) =>
    one === null || one.findings.length === 0 ? [] : [one.findings],
  );
  if (all.length < 2) return [];
  return rankFindings(all.flat().filter(({ percent }) => percent !== null))
    .slice(0, COSTLIEST)
    .map(({ kind, sentence }) => ({ by: own(ANALYSES, kind.split('/')[0] ?? '') ?? 'Grade10', sentence }));
}

function because(what: string, [reason]: readonly string[]): string | null {
  return reason === undefined ? null : `${what} ${reason}`;
}

/** Whether runs keep the rules of a benchmark; null of programs that are none. */
function rulesOf({ workload }: Campaign, records: readonly CellRecord[]): string | null {
  const { rules } = workloadOf(workload);
  const said = new Set(records.flatMap(({ cell }) => rules?.(cell.params ?? {}) ?? []));
  return said.size === 0 ? null : [...said].join(' ');
}

/** What the campaign's file says. */
function campaignFacts(campaign: Campaign) {
  const { inventory, workload, cells, sweep, addedSweeps } = campaign;
  const hosts = parseHostFacts(campaign).map(({ facts }) => facts);
  const sweeps = [sweep, ...addedSweeps];
  return {
    cluster: inventory.cluster,
    hosts: inventory.hosts.length,
    kernels: [...new Set(hosts.flatMap((host) => host.kernel ?? []))].sort(),
    cores: rangeOf(hosts.map((host) => host.cores)),
    // What a control group leaves of the cores, where there is a quota.
    cpuQuotaCores: rangeOf(hosts.map((host) => host.cpuQuota)),
    memoryBytes: rangeOf(memoryOf(campaign)),
    lineRateBps: inventory.lineRateBps,
    emulation: emulationOf(inventory),
    launcher: inventory.launcher,
    ranksPerNode: inventory.ranksPerNode,
    workload: workload.name,
    sweep: {
      nodes: ascending(cells.map((cell) => cell.nodes)),
      scales: ascending(cells.map((cell) => cell.scale)),
      bw: ascending(cells.map((cell) => cell.bw)),
      reps: Math.max(...sweeps.map((one) => one.reps)),
      roots: Math.max(...sweeps.map((one) => one.roots)),
    },
    // Profiled runs are no measurements, and in none of the records.
    plannedCells: cells.filter(({ role }) => role !== 'profile').length,
  };
}

function rangeOf(values: readonly (number | undefined)[]): { min: number; max: number } | null {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? null : { min: Math.min(...known), max: Math.max(...known) };
}

import { badInput } from '../base/errors.ts';
import { ascending } from '../base/lists.ts';
import { withMarks } from '../experiments/marks.ts';
import { partNoun } from '../experiments/mpi-trace/timed-part.ts';
import type { Cell, CellRecord } from '../experiments/records.ts';
import type { Traces } from '../experiments/store/cell-trace.ts';
import { parseHostFacts } from '../experiments/store/host-facts.ts';
import { inOrder } from '../experiments/store/observations.ts';
import type { OpenCampaign } from '../experiments/store/open-campaign.ts';
import { ofProgram } from '../experiments/store/programs.ts';
import { workloadOf } from '../experiments/workloads/adapters.ts';
import { chooseTargetNodes } from '../modeling/answers/dominance.ts';
import { type Across, acrossRuns, type ForecastNodes, forecastNodes } from './across/across-runs.ts';
import { type Run, runOf } from './across/run-of-cell.ts';
import { loadPlatform } from './platform/load-platform.ts';
import type { Platform } from './platform/platform.ts';
import type { CellModelOptions } from './sources/runs/cell-model.ts';
import { type Explained, explainCell } from './sources/runs/explain-cell.ts';
import { madeOfRuns } from './sources/runs/made-of-runs.ts';

/** What to explain runs with, where the campaign's own choice is not wanted. */
export interface ModelChoice {
  readonly platform?: Platform | undefined;
  readonly timesliceNs?: number | undefined;
}

/** What to explain, of which program (`ofProgram`); without one, of all. */
export interface RunChoice extends ModelChoice {
  readonly program?: string | undefined;
  /** Of runs whose MPI calls were recorded: all from MPI_Init to MPI_Finalize, not only what was timed. */
  readonly whole?: boolean | undefined;
  /** Node counts to forecast for, ascending; default: as `chooseTargetNodes`. */
  readonly nodes?: readonly number[] | undefined;
}

/** A campaign's good runs, and what the models of its runs are made with. */
export interface GoodRuns extends OpenCampaign {
  /** All that an explanation depends on beside the cell and the program, as text; null for a model or slice of the user's own. */
  readonly settings: string | null;
  /** Drift baselines included, in the order in which cells are listed. */
  readonly records: readonly CellRecord[];
  readonly options: CellModelOptions & { readonly platform: Platform };
  readonly forecast: ForecastNodes;
}

/** One measured run, explained. */
export interface ExplainedRun extends Pick<Explained, 'summary' | 'warnings' | 'isClipped' | 'part'> {
  readonly cell: Cell;
  /** The same per phase in focus. */
  readonly run: Run;
}

/** Where the time of a campaign's measured runs went: what `predict why DIR --method grade10` prints and the report draws. */
interface ExplainedCampaign extends Across {
  readonly platform: Platform;
  readonly runs: readonly ExplainedRun[];
  /** Runs that left nothing to explain, with the reason. */
  readonly skipped: readonly { readonly cell: Cell; readonly reason: string }[];
}

/** What there is to explain. Errors: `badInput` for a program that is none of the campaign's, and for `whole` without recorded calls. */
export async function goodRuns(open: OpenCampaign, choice: RunChoice = {}): Promise<GoodRuns> {
  const { campaign } = open;
  const all = withMarks([...open.records]);
  const records = (choice.program === undefined ? all : [...ofProgram(all, open, choice.program)])
    .filter(({ status }) => status === 'ok')
    .sort((a, b) => inOrder(a.cell, b.cell));
  const { part = null, recorder, admissible, ...workload } = workloadOf(campaign.workload);
  const platform = choice.platform ?? (await loadPlatform(workload.platform));
  if (choice.whole && recorder === null) {
    throw badInput(`--whole is for recorded calls of MPI (trace: mpi), which ${open.dir} does not have: leave it out.`);
  }
  const partRule = recorder === null ? undefined : { part, whole: choice.whole === true };
  // The cores of the smallest host, for hosts whose quota was not sampled.
  const cores = Math.min(...parseHostFacts(campaign).map(({ facts }) => facts.cpuQuota ?? facts.cores ?? 1));
  const { lineRateBps } = campaign.inventory;
  const isOwn = choice.platform !== undefined || choice.timesliceNs !== undefined;
  const settings = isOwn ? null : JSON.stringify({ platform: platform.name, lineRateBps, cores, partRule });
  const options = { platform, lineRateBps, cores, timesliceNs: choice.timesliceNs, partRule };
  const { ranksPerNode } = campaign.inventory;
  const measured = ascending(measurements({ records }).map(({ cell }) => cell.nodes));
  const targets = chooseTargetNodes(measured, (nodes) => admissible(nodes * ranksPerNode));
  const forecast = forecastNodes({ measured, targets, asked: choice.nodes });
  return { ...open, records, settings, options, forecast };
}

/** The runs that are measurements: the drift baselines are not. */
export function measurements({ records }: Pick<GoodRuns, 'records'>): readonly CellRecord[] {
  return records.filter(({ cell }) => cell.role === 'measure');
}

/** Which runs somebody wants to see whole, and who sees them, in their order: analyses are large, and no other one is kept. */
interface Visit {
  readonly of: (record: CellRecord) => boolean;
  readonly see: (explained: Explained) => void;
}

/**
 * Explains every measurement, once for as long as it stays as it is, and what they say together; null where none left anything to
 * explain. Errors: badInput for damaged files, and for runs of several programs.
 */
export async function explainCampaign(good: GoodRuns, visit?: Visit): Promise<ExplainedCampaign | null> {
  const records = ofProgram(measurements(good), good);
  const seen = new Map<string, Explained>();
  // What is kept of a cell depends on no other, as marks of a comparison do; a link that was accepted is its own.
  const explain = async (record: CellRecord, from: Traces = good): Promise<Explained> =>
    await explainCell(
      from,
      { ...record, marks: record.marks.filter(({ kind }) => kind === 'link-accepted') },
      good.options,
    );
  const make = async (
    record: CellRecord,
    from: Traces,
  ): Promise<Pick<Explained, 'summary' | 'warnings' | 'isClipped' | 'part'>> => {
    const explained = await explain(record, from);
    if (visit?.of(record)) seen.set(record.cell.id, explained);
    const { summary, warnings, isClipped, part } = explained;
    return { summary, warnings, isClipped, part };
  };
  const runs: ExplainedRun[] = [];
  const skipped: ExplainedCampaign['skipped'][number][] = [];
  const what = 'attributing the time of runs';
  for (const { record, found } of await madeOfRuns(good, records, { kind: 'grade10', what, make })) {
    const { cell } = record;
    if ('skipped' in found) {
      skipped.push({ cell, reason: found.skipped });
      continue;
    }
    const { summary, isClipped, part } = found;
    const warnings = [...new Set([...record.marks.map(({ text }) => text), ...found.warnings])];
    if (visit?.of(record)) visit.see({ ...(seen.get(cell.id) ?? (await explain(record))), record, warnings });
    runs.push({ cell, summary, warnings, isClipped, part, run: runOf(cell, summary) });
  }
  if (runs.length === 0) return null;
  const platform = {
    ...good.options.platform,
    noun: partNoun(
      good.options.platform.noun,
      runs.flatMap(({ part }) => part ?? []),
    ),
  };
  const { ranksPerNode } = good.campaign.inventory;
  const across = acrossRuns(
    runs.map(({ run }) => run),
    platform,
    { ranksPerNode, ...good.forecast },
  );
  return { ...across, platform, runs, skipped };
}

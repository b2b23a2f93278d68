import {
  type Cell,
  type CellRecord,
  hostFacts,
  inOrder,
  type OpenCampaign,
  ofProgram,
  withMarks,
  workloadOf,
} from '../experiments/index.ts';
import { type Across, acrossRuns } from './across/across-runs.ts';
import { FORECAST_NODES } from './across/forecast.ts';
import { type Run, runOf } from './across/runs.ts';
import { loadPlatform, type Platform } from './platform/index.ts';
import type { CellModelOptions } from './sources/runs/cell-model.ts';
import { type Explained, explainCell } from './sources/runs/explain-cell.ts';
import { isNothingToExplain } from './sources/runs/nothing-to-explain.ts';
import type { Summary } from './sources/runs/summarise.ts';

/** What to explain runs with, where the campaign's own choice is not wanted. */
export interface ModelChoice {
  readonly platform?: Platform | undefined;
  readonly timesliceNs?: number | undefined;
}

/** What to explain, of which program (`ofProgram`); without one, of all. */
export interface RunChoice extends ModelChoice {
  readonly program?: string | undefined;
}

/** A campaign's good runs, and what the models of its runs are made with. */
export interface GoodRuns extends OpenCampaign {
  /** Drift baselines included, in the order in which cells are listed. */
  readonly records: readonly CellRecord[];
  readonly options: CellModelOptions & { readonly platform: Platform };
}

/** One measured run, explained. */
export interface ExplainedRun {
  readonly cell: Cell;
  readonly summary: Summary;
  readonly warnings: readonly string[];
  /** The same per phase in focus. */
  readonly run: Run;
}

/** Where the time of a campaign's measured runs went: what `predict grade10 DIR` prints and the report draws. */
interface ExplainedCampaign extends Across {
  readonly platform: Platform;
  readonly runs: readonly ExplainedRun[];
  /** Runs that left nothing to explain, with the reason. */
  readonly skipped: readonly { readonly cell: Cell; readonly reason: string }[];
}

/** What there is to explain. Errors: `badInput` for a program that is none of the campaign's. */
export async function goodRuns(open: OpenCampaign, choice: RunChoice = {}): Promise<GoodRuns> {
  const { campaign } = open;
  const all = withMarks([...open.records]);
  const records = (choice.program === undefined ? all : [...ofProgram(all, open, choice.program)])
    .filter(({ status }) => status === 'ok')
    .sort((a, b) => inOrder(a.cell, b.cell));
  const platform = choice.platform ?? (await loadPlatform(workloadOf(campaign.workload).platform));
  // The cores of the smallest host, for hosts whose quota was not sampled.
  const cores = Math.min(...hostFacts(campaign).map((host) => host.cpuQuota ?? host.cores ?? 1));
  const { lineRateBps } = campaign.inventory;
  return { ...open, records, options: { platform, lineRateBps, cores, timesliceNs: choice.timesliceNs } };
}

/** The runs that are measurements: the drift baselines are not. */
export function measurements({ records }: Pick<GoodRuns, 'records'>): readonly CellRecord[] {
  return records.filter(({ cell }) => cell.role === 'measure');
}

/**
 * Explains every measurement and what they say together; null where none left anything to explain. `visit` sees each analysis
 * while it is there: analyses are large, and none is kept. Errors: badInput for damaged files, and for runs of several programs.
 */
export async function explainCampaign(
  good: GoodRuns,
  visit: (explained: Explained) => void = () => undefined,
): Promise<ExplainedCampaign | null> {
  const records = ofProgram(measurements(good), good);
  const runs: ExplainedRun[] = [];
  const skipped: ExplainedCampaign['skipped'][number][] = [];
  for (const record of records) {
    const { cell } = record;
    try {
      const explained = await explainCell(good, record, good.options);
      visit(explained);
      const { summary, warnings } = explained;
      runs.push({ cell, summary, warnings, run: runOf(cell, summary) });
    } catch (error) {
      if (!isNothingToExplain(error)) throw error;
      skipped.push({ cell, reason: error.message });
    }
  }
  if (runs.length === 0) return null;
  const { platform } = good.options;
  const { ranksPerNode } = good.campaign.inventory;
  const most = Math.max(...runs.map(({ cell }) => cell.nodes));
  const across = acrossRuns(
    runs.map(({ run }) => run),
    platform,
    { ranksPerNode, nodes: FORECAST_NODES.filter((nodes) => nodes > most) },
  );
  return { ...across, platform, runs, skipped };
}

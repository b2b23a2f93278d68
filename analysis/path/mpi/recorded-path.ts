import type { CellRecord, OpenCampaign } from '../../../experiments/index.ts';
import type { Problem } from '../../problems.ts';
import { placesOf } from '../../sources/runs/cell-model.ts';
import { clocksOf } from '../../sources/runs/clocks.ts';
import { nothingToExplain } from '../../sources/runs/nothing-to-explain.ts';
import { RANK_SEEN } from '../../sources/runs/phase-tree.ts';
import { type ActivityPath, criticalPath, profilePath } from '../graph/index.ts';
import { isMpiTrace, type MpiActivities, mpiActivities } from './from-trace.ts';

/** The critical path of one run whose MPI calls were recorded. */
export interface RecordedPath extends MpiActivities {
  readonly cell: CellRecord['cell'];
  readonly path: ActivityPath;
  readonly hostOf: (rank: number) => string;
  /** ns: `length`, then by what the path's time went to. */
  readonly meanNs: Readonly<Record<string, number>>;
  /** By rank, what is on its way under `wire`; ns. */
  readonly ranksNs: Readonly<Record<string, number>>;
  readonly problems: readonly Problem[];
}

/**
 * Follows the path of a run through its recorded calls; clocks are corrected by the measured offsets. Errors: badInput for damaged
 * files, `nothingToExplain` where no calls were recorded.
 */
export async function recordedPath(open: Pick<OpenCampaign, 'trace'>, record: CellRecord): Promise<RecordedPath> {
  const trace = await open.trace(record.cell.id, [RANK_SEEN]);
  if (trace === null || !isMpiTrace(trace)) {
    throw nothingToExplain(`The run ${record.cell.id} has no recorded MPI calls.`);
  }
  const [clocks, hostOf] = [clocksOf(record), placesOf(record, trace)];
  const found = mpiActivities(trace, (rank, ns) => clocks.correct(hostOf(rank), ns));
  const path = criticalPath(found.activities, found.window);
  const { byName, byWorker } = profilePath(found.activities, path);
  return { ...found, cell: record.cell, path, hostOf, meanNs: { length: path.lengthNs, ...byName }, ranksNs: byWorker };
}

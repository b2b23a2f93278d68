import { own } from '../../../base/index.ts';
import { type CellRecord, COMPUTE, ofProgram } from '../../../experiments/index.ts';
import { type GoodRuns, measurements } from '../../explain-campaign.ts';
import { madeOfRuns } from '../../sources/runs/made-of-runs.ts';
import { QUEUED, type RecordedPath, recordedPath } from '../mpi/index.ts';
import { idleFindings, type PathCampaign } from './path-campaign.ts';
import { pathAcross } from './scaling.ts';

/** As `PathCampaign`, of runs whose MPI calls were recorded. */
export interface RecordedCampaign extends Omit<PathCampaign, 'cells'> {
  readonly cells: readonly RecordedPath[];
}

/**
 * Follows the path through every measurement and compares them; null where none has recorded calls. `level`: of the intervals. Errors:
 * badInput for damaged files, and for runs of several programs.
 */
export async function recordedCampaign(
  good: GoodRuns,
  { level }: { readonly level: number },
): Promise<RecordedCampaign | null> {
  const { platform } = good.options;
  const cells: RecordedPath[] = [];
  const skipped: PathCampaign['skipped'][number][] = [];
  const make = (record: CellRecord) => recordedPath(good, record);
  const records = ofProgram(measurements(good), good);
  for (const { record, found } of await madeOfRuns({ ...good, settings: null }, records, { kind: 'recorded', make })) {
    if ('skipped' in found) skipped.push({ cell: record.cell, reason: found.skipped });
    else cells.push(found);
  }
  if (cells.length === 0) return null;
  const counted = cells.map(({ cell, meanNs }) => ({ cell, meanNs: queuedAsWork(meanNs) }));
  const across = pathAcross(counted, { platform, level, ranksPerNode: good.campaign.inventory.ranksPerNode });
  return {
    ...{ cells, skipped, ...across },
    findings: [...across.findings, ...idleFindings(cells, (meanNs) => own(meanNs, QUEUED) ?? 0)],
  };
}

/** What a rank had no processor for counts as the work that it was. */
function queuedAsWork({ [QUEUED]: queued = 0, ...keys }: Readonly<Record<string, number>>): Record<string, number> {
  return queued === 0 ? keys : { ...keys, [COMPUTE]: (own(keys, COMPUTE) ?? 0) + queued };
}

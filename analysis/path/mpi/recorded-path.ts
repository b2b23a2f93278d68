import { WIRE_BYTES } from '../../../base/units.ts';
import { type CellRecord, cellLink } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import { nothingToExplain, type Problem } from '../../problems.ts';
import { placesOf } from '../../sources/runs/cell-model.ts';
import { clocksOf } from '../../sources/runs/clocks.ts';
import { RANK_SEEN } from '../../sources/runs/run-phase-tree.ts';
import { type PartRule, type TimedPart, timedPart } from '../../sources/runs/timed-part.ts';
import { type ActivityPath, joined } from '../graph/activity-path.ts';
import { criticalPath } from '../graph/critical-path.ts';
import { profilePath } from '../graph/profile-path.ts';
import { linkQueues } from '../phases/link-queues.ts';
import type { OnClock } from './causes.ts';
import { type Cause, findCauses } from './find-causes.ts';
import { isMpiTrace, type MpiActivities, mpiActivities } from './from-trace.ts';

/** The critical path of one run whose MPI calls were recorded. */
export interface RecordedPath extends MpiActivities {
  readonly cell: CellRecord['cell'];
  /** What of the run is explained. */
  readonly part: TimedPart;
  /** Of all its stretches, one after the other. */
  readonly path: ActivityPath;
  readonly hostOf: (rank: number) => string;
  /** ns: `length`, then by what the path's time went to. */
  readonly meanNs: Readonly<Record<string, number>>;
  /** By rank, what is on its way under `wire`; ns. */
  readonly ranksNs: Readonly<Record<string, number>>;
  /** Why it takes so long, the gravest first. */
  readonly causes: readonly Cause[];
  readonly problems: readonly Problem[];
}

const WHOLE: PartRule = { part: null, whole: true };

/**
 * Follows the path of what a run's user timed through its recorded calls; clocks are corrected by the measured offsets. `lineRateBps`:
 * of the full link; `partRule`: without it the whole run. Errors: badInput for damaged files, `nothingToExplain` where no calls were recorded.
 */
export async function recordedPath(
  open: Pick<OpenCampaign, 'trace'>,
  record: CellRecord,
  { lineRateBps, partRule = WHOLE }: { readonly lineRateBps: number; readonly partRule?: PartRule | undefined },
): Promise<RecordedPath> {
  const trace = await open.trace(record.cell.id, [RANK_SEEN]);
  if (trace === null || !isMpiTrace(trace)) {
    throw nothingToExplain(`The run ${record.cell.id} has no recorded MPI calls.`);
  }
  const [clocks, hostOf] = [clocksOf(record), placesOf(record, trace)];
  const [hosts, link] = [[...new Set(record.hosts)], cellLink(record.cell.bw, lineRateBps)];
  const onClock: OnClock = (rank, ns) => clocks.correct(hostOf(rank), ns);
  const found = mpiActivities(trace, {
    onClock,
    links: {
      hostOf: (rank) => hosts.indexOf(hostOf(rank)),
      queues: linkQueues(hosts.length, link),
      needNs: (bytes) => bytes * WIRE_BYTES * link.nsPerByte,
    },
  });
  const part = timedPart(trace.spans, { onClock, rule: partRule });
  const { stretches } = part;
  const path = joined(stretches.map((stretch) => criticalPath(found.activities, stretch)));
  const { byName, byWorker } = profilePath(found.activities, path);
  const causes = findCauses({ ...found, path, stretches, trace, onClock, hostOf });
  const meanNs = { length: path.lengthNs, ...byName };
  return { ...found, cell: record.cell, part, path, hostOf, meanNs, ranksNs: byWorker, causes };
}

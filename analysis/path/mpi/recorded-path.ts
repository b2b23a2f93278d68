import { at } from '../../../base/lists.ts';
import { clocksOf, type OnClock, placesOf } from '../../../experiments/mpi-trace/run-clock.ts';
import { COMPUTE } from '../../../experiments/mpi-trace/spans.ts';
import { type PartRule, type TimedPart, timedPart } from '../../../experiments/mpi-trace/timed-part.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import { nothingToExplain } from '../../problems.ts';
import { CAPACITIES } from '../../sources/runs/cell-metrics.ts';
import { RANK_SEEN } from '../../sources/runs/run-phase-tree.ts';
import { linksOf } from '../link-queues.ts';
import { rankPath } from '../run-graph.ts';
import { pathSums, type RunPaths } from '../run-paths.ts';
import { findCauses } from './find-causes.ts';
import { isMpiTrace, type MpiActivities, mpiActivities } from './from-trace.ts';
import { processorTimes } from './processor-time.ts';

/** The critical path of one run whose MPI calls were recorded. */
export interface RecordedPath extends MpiActivities, RunPaths {
  readonly part: TimedPart;
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
  const trace = await open.trace(record.cell.id, [RANK_SEEN, ...CAPACITIES]);
  if (trace === null || !isMpiTrace(trace)) {
    throw nothingToExplain(`The run ${record.cell.id} has no recorded MPI calls.`);
  }
  const [clocks, hostOf] = [clocksOf(record), placesOf(record, trace)];
  const onClock: OnClock = (rank, ns) => clocks.correct(hostOf(rank), ns);
  const apartNs = (a: number, b: number): number =>
    hostOf(a) === hostOf(b) ? 0 : clocks.boundNs(hostOf(a)) + clocks.boundNs(hostOf(b));
  const ranks = Array.from({ length: record.cell.ranks }, (_, rank) => hostOf(rank));
  const links = linksOf(ranks, { bw: record.cell.bw, lineRateBps, apartNs });
  const found = mpiActivities(trace, { onClock, links });
  const part = timedPart(trace.spans, { onClock, rule: partRule, record });
  const { stretches, warnings } = part;
  const graphs = stretches.map((slice) => ({
    ...{ activities: found.activities, slice },
    arrivals: found.arrivals.filter(({ endNs }) => endNs > slice.startNs && endNs <= slice.endNs),
    processors: processorTimes(trace, { slice, hosts: ranks, onClock }),
  }));
  const paths = graphs.map(rankPath);
  const whole = {
    ...{ root: 0, startNs: at(stretches, 0).startNs, endNs: at(stretches, stretches.length - 1).endNs },
    ...{ hops: paths.reduce((sum, { hops }) => sum + hops, 0), path: paths.flatMap(({ path }) => path) },
  };
  const sums = pathSums([whole], apartNs);
  const causes = findCauses({ ...found, path: at(sums.searches, 0), stretches, trace, onClock, hostOf });
  const calls = new Set(whole.path.flatMap(({ key }) => /^MPI_\w+/.exec(key)?.[0] ?? []));
  const kinds = [{ name: COMPUTE, group: null }, ...[...calls].map((name) => ({ name, group: 'all' as const }))];
  return { ...found, ...sums, graphs, cell: record.cell, part, hostOf, kinds, causes, inference: null, warnings };
}

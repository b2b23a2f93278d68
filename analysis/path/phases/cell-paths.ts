import type { CellRecord } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import type { Platform } from '../../platform/platform.ts';
import { linksOf } from '../link-queues.ts';
import { rankPath } from '../run-graph.ts';
import { pathSums, type RunPaths } from '../run-paths.ts';
import { type CellPhases, cellPhases } from './from-cell.ts';
import { inferenceError } from './inference-error.ts';
import { searchGraphs, searchPaths } from './search-graphs.ts';

/** The critical paths of one measured run whose program traced its phases. */
export interface CellPaths extends CellPhases, RunPaths {}

/** Errors are those of `cellPhases`. `lineRateBps`: of the full link, bit/s. */
export async function cellPaths(
  open: Pick<OpenCampaign, 'spans'>,
  record: CellRecord,
  { platform, lineRateBps }: { readonly platform: Platform; readonly lineRateBps: number },
): Promise<CellPaths> {
  const found = await cellPhases(open, record, platform);
  const { phases, messages, hostOf, doubtNs } = found;
  const links = linksOf(
    Array.from({ length: phases.ranks }, (_, rank) => hostOf(rank)),
    {
      ...{ bw: record.cell.bw, lineRateBps, apartNs: doubtNs },
    },
  );
  const graphs = searchGraphs(phases, { messages, links });
  const paths = graphs.map((graph, search) => ({ root: phases.searches[search] ?? 0, ...rankPath(graph) }));
  return {
    ...{ ...found, ...pathSums(paths, doubtNs), cell: record.cell, kinds: phases.kinds, causes: [] },
    // What ranks slept before the last one came is no transfer, though rules M1 to M7 call it one on a path.
    graphs: messages === null ? searchGraphs(phases, { messages, links, isReplay: true }) : graphs,
    inference: messages && inferenceError(searchPaths(phases), paths, phases.kinds),
  };
}

import { own } from '../../../base/lists.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import type { Platform } from '../../platform/platform.ts';
import { linksOf } from '../link-queues.ts';
import { rankPath, type SearchPath } from '../run-graph.ts';
import { asWork, type InferenceError, pathSums, type RunPaths, searchSummary } from '../run-paths.ts';
import { type CellPhases, cellPhases } from './from-cell.ts';
import type { PhaseKind } from './rank-phases.ts';
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

/** Both with the same searches in one order. */
export function inferenceError(
  inferred: readonly SearchPath[],
  recorded: readonly SearchPath[],
  kinds: readonly PhaseKind[],
): InferenceError {
  let [all, off, onRank] = [0, 0, 0];
  for (const [index, truth] of recorded.entries()) {
    const guess = inferred[index];
    if (guess === undefined) continue;
    // Phases alone do not tell what a rank had no processor for.
    const profile = (search: SearchPath) => asWork(searchSummary(search).profileNs, kinds);
    const [a, b] = [profile(guess), profile(truth)];
    all += truth.endNs - truth.startNs;
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      off += Math.abs((own(a, key) ?? 0) - (own(b, key) ?? 0)) / 2;
    }
    onRank += sameRankNs(guess, truth);
  }
  const hops = (paths: readonly SearchPath[]): number => paths.reduce((sum, one) => sum + one.hops, 0);
  return {
    offShare: all > 0 ? off / all : 0,
    onRankShare: all > 0 ? onRank / all : 1,
    hops: { inferred: hops(inferred), recorded: hops(recorded) },
  };
}

/** The error in words. */
export function inferenceSentence({ offShare, onRankShare, hops }: InferenceError): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return `The paths follow recorded messages. Inferred from phases alone, ${percent(offShare)} of the time would have another key (${percent(onRankShare)} of it on the right rank). There would be ${hops.inferred} rank switches instead of ${hops.recorded}.`;
}

/** Steps of both follow each other without a gap, oldest first. */
function sameRankNs({ path: one }: SearchPath, { path: other }: SearchPath): number {
  let [sum, place] = [0, 0];
  for (const step of one) {
    while (place < other.length) {
      const beside = other[place];
      if (beside === undefined) break;
      if (beside.rank === step.rank) {
        sum += Math.max(0, Math.min(step.endNs, beside.endNs) - Math.max(step.startNs, beside.startNs));
      }
      if (beside.endNs > step.endNs) break;
      place += 1;
    }
  }
  return sum;
}

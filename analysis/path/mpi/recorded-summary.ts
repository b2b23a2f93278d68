import { at } from '../../../base/lists.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import { clocksOf } from '../../sources/runs/clocks.ts';
import type { PartRule } from '../../sources/runs/timed-part.ts';
import type { PathStep } from '../activities.ts';
import { pathSteps } from '../graph/activity-path.ts';
import type { PathSummary } from '../phases/path-summary.ts';
import { addedUp, linkName, type TransferEnds, type Way } from '../ways.ts';
import { type RecordedPath, recordedPath } from './recorded-path.ts';

/** The critical path of a run whose MPI calls were recorded, as that of a run that traces its phases. */
export async function recordedSummary(
  open: Pick<OpenCampaign, 'trace'>,
  record: CellRecord,
  options: { readonly lineRateBps: number; readonly partRule?: PartRule | undefined },
): Promise<PathSummary> {
  const found = await recordedPath(open, record, options);
  const { activities, path, part, hostOf, meanNs, problems, causes } = found;
  const { boundNs } = clocksOf(record);
  const [parts, calls] = [new Map<string, { onLinkNs: number; delayNs: number }>(), new Set<string>()];
  const byEnd = new Map(found.arrivals.map((one) => [`${one.to} ${one.endNs}`, one]));
  let doubtful = 0;
  for (const { key, worker, to, startNs, endNs } of pathSteps(activities, path)) {
    const call = key.split(' ')[0] ?? '';
    if (call.startsWith('MPI_')) calls.add(call);
    if (to === null) continue;
    const apart = boundNs(hostOf(rankOf(activities.workers, worker))) + boundNs(hostOf(rankOf(activities.workers, to)));
    if (worker !== to && endNs - startNs < apart) doubtful += 1;
    const arrival = byEnd.get(`${activities.workers[to]} ${endNs}`);
    if (arrival === undefined) continue;
    const onLinkNs = Math.min(arrival.onLinkNs, endNs - startNs);
    const known = parts.get(key) ?? { onLinkNs: 0, delayNs: 0 };
    parts.set(key, { onLinkNs: known.onLinkNs + onLinkNs, delayNs: known.delayNs + endNs - startNs - onLinkNs });
  }
  const by = (way: Way): readonly [name: string, ns: number][] => dividedRecorded(found, way);
  return {
    ...{ meanNs, problems, causes, hops: path.hops, doubtfulHops: doubtful, inference: null },
    part: { by: part.by, words: part.words },
    warnings: part.warnings,
    transfersNs: Object.fromEntries(parts),
    kinds: [{ name: 'compute', group: null }, ...[...calls].map((name) => ({ name, group: 'all' as const }))],
    searches: 1,
    divided: { phase: by('phase'), rank: by('rank'), host: by('host'), link: by('link') },
    odd: [],
  };
}

/**
 * Time of a path by key, rank, host, or link that a transfer came over, ns, the most first; the parts of each way add up to its
 * length. A transfer is of the rank that waited for it, a thread of its rank.
 */
export function dividedRecorded(
  { activities, path, hostOf }: Pick<RecordedPath, 'activities' | 'path' | 'hostOf'>,
  way: Way,
): readonly [name: string, ns: number][] {
  const { workers } = activities;
  const endsOf = ({ worker, to }: PathStep): TransferEnds => {
    const [from, into] = [hostOf(rankOf(workers, worker)), to === null ? null : hostOf(rankOf(workers, to))];
    return into === null || into === from ? null : [from, into];
  };
  const nameOf = (step: PathStep): string => {
    const rank = rankOf(workers, step.to ?? step.worker);
    if (way === 'phase') return step.key;
    if (way === 'rank') return `rank ${rank}`;
    return way === 'host' ? hostOf(rank) : linkName(endsOf(step));
  };
  return addedUp(Array.from(pathSteps(activities, path), (step) => [nameOf(step), step.endNs - step.startNs] as const));
}

/** A worker is a rank, or a thread of it (`3.1`). */
function rankOf(workers: readonly string[], worker: number): number {
  return Number.parseInt(at(workers, worker), 10);
}

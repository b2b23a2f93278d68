import { at } from '../../../base/index.ts';
import type { PathStep } from '../activities.ts';
import { pathSteps } from '../graph/index.ts';
import { addedUp, linkName, type TransferEnds, type Way } from '../ways.ts';
import type { RecordedPath } from './recorded-path.ts';

/**
 * Time of a path by key, rank, host, or link that a transfer came over, ns, the most first; the parts of each way add up to its
 * length. A transfer is of the rank that waited for it, a thread of its rank.
 */
export function dividedRecorded(
  { activities, path, hostOf }: Pick<RecordedPath, 'activities' | 'path' | 'hostOf'>,
  way: Way,
): readonly [name: string, ns: number][] {
  const rankOf = (worker: number): number => Number.parseInt(at(activities.workers, worker), 10);
  const endsOf = ({ worker, to }: PathStep): TransferEnds => {
    const [from, into] = [hostOf(rankOf(worker)), to === null ? null : hostOf(rankOf(to))];
    return into === null || into === from ? null : [from, into];
  };
  const nameOf = (step: PathStep): string => {
    const rank = rankOf(step.to ?? step.worker);
    if (way === 'phase') return step.key;
    if (way === 'rank') return `rank ${rank}`;
    return way === 'host' ? hostOf(rank) : linkName(endsOf(step));
  };
  return addedUp(Array.from(pathSteps(activities, path), (step) => [nameOf(step), step.endNs - step.startNs] as const));
}

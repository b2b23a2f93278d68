import { ascending } from '../base/lists.ts';
import type { Campaign } from './store/campaign.ts';

/** Node counts that later sweeps added beyond all of the first, which could tell of them only blind; none where it had fewer than two. */
export function addedNodes({ sweep, cells }: Pick<Campaign, 'sweep' | 'cells'>): readonly number[] {
  const later = ascending(cells.map(({ nodes }) => nodes)).filter((nodes) => !sweep.nodes.includes(nodes));
  const isBeyond = new Set(sweep.nodes).size > 1 && later.every((nodes) => nodes > Math.max(...sweep.nodes));
  return isBeyond ? later : [];
}

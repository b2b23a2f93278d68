import { formatSeconds } from '../../base/index.ts';
import { defaultSizes, parseSweep, type SweepTexts, type Workload } from '../../experiments/index.ts';
import { planSweep } from '../sweep.ts';
import type { SweepPlace } from './sweep-place.ts';

interface Sizes {
  readonly scales?: string;
  readonly roots?: string;
  /** What was chosen and how long it takes; null where everything was said. */
  readonly says: string | null;
}

/** Scale and searches of a sweep of Graph500 that names only one of them, or none; a program that reads no {scale} has scale 0. */
export function sweepSizes(
  flags: SweepTexts,
  workload: Workload,
  place: Pick<SweepPlace, 'inventory' | 'memoryBytes' | 'emulated'>,
): Sizes {
  const { scales, roots } = flags;
  if (workload.ignoresScale && scales === undefined && flags.cells === undefined) return { scales: '0', says: null };
  const isOurs = workload.definition.kind === 'graph500' && flags.cells === undefined;
  if (!isOurs || (scales !== undefined && roots !== undefined)) return { says: null };
  const sweep = parseSweep(flags);
  const cells = planSweep({ sweep, workload, inventory: place.inventory });
  const chosen = defaultSizes({
    nodes: cells.map(({ nodes }) => nodes),
    emulated: place.emulated,
    memoryBytes: place.memoryBytes,
    scale: scales === undefined ? undefined : Math.max(...sweep.scales),
    roots: roots === undefined ? undefined : sweep.roots,
  });
  const size = scales === undefined ? `scale ${chosen.scale} (--scales)` : `scale ${scales}`;
  const count = roots === undefined ? `${chosen.roots} searches each (--roots)` : `${roots} searches each`;
  return {
    ...(scales === undefined && { scales: String(chosen.scale) }),
    ...(roots === undefined && { roots: String(chosen.roots) }),
    says: `${cells.length} cells of ${size}, ${count}: about ${formatSeconds(Math.round(chosen.seconds))}.`,
  };
}

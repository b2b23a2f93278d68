import { type BottleneckStretch, bottleneckName, type LabelOf } from '../../../analysis/dag/index.ts';
import { formatSeconds } from '../../../base/index.ts';
import { print } from '../print.ts';

/** More lines of a timeline are not printed; `--json` has them all. */
const MOST_STRETCHES = 20;

/** When what was the bottleneck. */
export function printTimeline(timeline: readonly BottleneckStretch[], labelOf: LabelOf): void {
  if (timeline.length === 0) return;
  const ordered = [...timeline].sort((a, b) => a.startNs - b.startNs);
  print('');
  for (const stretch of ordered.slice(0, MOST_STRETCHES)) {
    const [from, to] = [stretch.startNs, stretch.endNs].map((ns) => (ns === 0 ? '0 s' : formatSeconds(ns / 1e9)));
    print(`${from} to ${to}: ${bottleneckName(stretch, labelOf)}`);
  }
  const more = ordered.length - MOST_STRETCHES;
  if (more > 0) print(`... and ${more} more (--json has all)`);
  print('');
}

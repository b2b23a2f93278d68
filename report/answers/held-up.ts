import { at } from '../../base/index.ts';
import type { Setting } from '../content/time-over.ts';
import type { Why } from '../content/why.ts';

/** What Grade10 finds to limit a run, as a share of its time in percent. */
export interface Held {
  readonly name: string;
  readonly label: string;
  readonly percent: number;
}

/** Of all runs of a setting together, without what takes nothing; empty where none was sampled. */
export function heldUp(
  { rows, components }: Pick<Why, 'rows' | 'components'>,
  { nodes, scale, bw }: Setting,
): readonly Held[] {
  const runs = rows.filter((row) => row.nodes === nodes && row.scale === scale && row.bw === bw);
  const total = runs.reduce((sum, { seconds }) => sum + seconds, 0);
  if (!(total > 0)) return [];
  return components
    .map(({ name, label }, index) => {
      const seconds = runs.reduce((sum, { parts }) => sum + at(parts, index), 0);
      return { name, label, percent: (seconds / total) * 100 };
    })
    .filter(({ percent }) => percent > 0);
}

/** The largest of them. */
export function mostOf(held: readonly Held[]): Held | null {
  return held.length === 0 ? null : held.reduce((a, b) => (b.percent > a.percent ? b : a));
}

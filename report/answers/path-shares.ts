import { PROCESSORS } from '../../analysis/index.ts';
import { at, compareText } from '../../base/index.ts';
import type { PathData } from '../content/path.ts';
import type { Setting } from '../content/time-over.ts';
import type { PathShares } from './causes.ts';

/** What the critical paths of a setting are made of; null where none was followed. */
export function pathShares({ rows, components }: PathData, { nodes, scale, bw }: Setting): PathShares | null {
  const own = rows.filter((row) => row.nodes === nodes && row.scale === scale && row.bw === bw);
  const sum = (of: (row: (typeof own)[number]) => number): number => own.reduce((all, row) => all + of(row), 0);
  const seconds = sum((row) => row.seconds);
  if (!(seconds > 0)) return null;
  // Work inside exchanges is no computing.
  const computing = components
    .flatMap(({ name, meaning, isExchange }, index) => (meaning === PROCESSORS && !isExchange ? [{ name, index }] : []))
    // In an order that does not depend on what else was measured: sums are the same to the last digit.
    .sort((a, b) => compareText(a.name, b.name));
  const work = sum(({ parts }) => computing.reduce((all, { index }) => all + at(parts, index), 0));
  const link = sum(({ onLink }) => onLink);
  const percent = (part: number): number => (part / seconds) * 100;
  return { work: percent(work), link: percent(link), overhead: percent(seconds - work - link) };
}

import { PROCESSORS } from '../../analysis/across/takeover.ts';
import { at } from '../../base/lists.ts';
import { compareText } from '../../base/text.ts';
import { isAt, type Setting } from '../content/main-setting.ts';
import type { PathData } from '../content/path-content.ts';
import type { Why } from '../content/why-content.ts';
import type { Held, PathShares } from './answer-causes.ts';

/** Of all runs of a setting together, without what takes nothing; empty where none was sampled. */
export function heldUp({ rows, components }: Pick<Why, 'rows' | 'components'>, setting: Setting): readonly Held[] {
  const runs = rows.filter(isAt(setting));
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

/** What the critical paths of a setting are made of; null where none was followed. */
export function pathShares({ rows, components }: PathData, setting: Setting): PathShares | null {
  const own = rows.filter(isAt(setting));
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

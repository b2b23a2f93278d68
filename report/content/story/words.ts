import { at, joinWords, last } from '../../../base/index.ts';
import type { Interval } from '../../../modeling/index.ts';

/** `4 and 9 nodes`, `1 to 32 nodes`. */
export function sizesText(nodes: readonly number[]): string {
  const shown = nodes.length > 6 ? `${at(nodes, 0)} to ${last(nodes)}` : joinWords(nodes);
  return `${shown} node${nodes.length === 1 && nodes[0] === 1 ? '' : 's'}`;
}

/** Percent with no more digits than such an estimate deserves. */
export function roughly(value: number): string {
  return `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
}

/** `90 % interval 9 to 36`; what an end of null stands for is said by `beyond`. */
export function ninety({ low, high }: Interval, text: (value: number) => string, beyond = 'any'): string {
  return `90 % interval ${low === null ? beyond : text(low)} to ${high === null ? beyond : text(high)}`;
}

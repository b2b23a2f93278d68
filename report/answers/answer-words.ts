import { at, last } from '../../base/lists.ts';
import { joinWords } from '../../base/text.ts';
import type { Estimate } from '../../modeling/model-records.ts';

/** `4 and 9 nodes`, `1 to 32 nodes`. */
export function sizesText(nodes: readonly number[]): string {
  const shown = nodes.length > 6 ? `${at(nodes, 0)} to ${last(nodes)}` : joinWords(nodes);
  return `${shown} node${nodes.length === 1 && nodes[0] === 1 ? '' : 's'}`;
}

/** Percent with no more digits than such an estimate deserves. */
export function roughly(value: number): string {
  return `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
}

/** Whole percent: `12 %`. */
export function percentText(value: number): string {
  return `${Math.round(value)} %`;
}

/** `may cost 20 % or save 25 %`; what rounds to nothing is nothing saved. */
export function mayText({ low, high }: Estimate): string {
  if (low === null || high === null) return 'may save or cost any time';
  const [least, most] = [Math.round(low), Math.round(high)];
  if (most < 0) return `may cost ${-most} to ${-least} % of the time`;
  if (least < 0) return `may cost ${-least} % or save ${most} % of the time`;
  return `may save ${Math.max(0, least)} to ${Math.max(0, most)} % of the time`;
}

/** What is to be said of these sentences, one behind the other. */
export function joinSentences(...sentences: readonly (string | null)[]): string {
  return sentences.filter((sentence) => sentence !== null).join(' ');
}

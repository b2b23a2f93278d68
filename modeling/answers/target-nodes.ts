import { ascending } from '../../base/lists.ts';
import { smallestAdmissible } from './dominance.ts';

const ROUND = [1, 2, 4, 9, 16, 25, 36, 49, 64, 100, 144, 196, 256, 400, 576, 784, 1024];

/** Node counts to ask models about where nobody names any: the measured ones (ascending), then round ones up to ten times the largest, at least to 256. */
export function targetNodes(measured: readonly number[], isAdmissible: (nodes: number) => boolean): readonly number[] {
  const most = measured.at(-1) ?? 1;
  const limit = Math.max(256, most * 10);
  const beyond = ROUND.filter((count) => count > most && count <= limit && isAdmissible(count));
  if (beyond.length > 0) return ascending([...measured, ...beyond]);
  // Programs that run on few counts, such as twice a square: the next that can run.
  const next: number[] = [];
  for (const count of [most * 2, most * 4, most * 10]) {
    const found = smallestAdmissible(count, isAdmissible);
    // Beyond it there is none either, and looking takes long.
    if (found === null) break;
    next.push(found);
  }
  return ascending([...measured, ...next]);
}

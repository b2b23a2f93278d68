import { own } from '../../base/lists.ts';
import type { RunPaths } from './run-paths.ts';

/** A key of the path in two runs: mean time per search, ns. */
export interface PathDifference {
  readonly key: string;
  readonly beforeNs: number;
  readonly afterNs: number;
  readonly changeNs: number;
}

/** The length, then every key on either path, what changed most first. */
export function pathDifferences(
  before: Pick<RunPaths, 'meanNs'>,
  after: Pick<RunPaths, 'meanNs'>,
): readonly PathDifference[] {
  const differenceOf = (key: string): PathDifference => {
    const [beforeNs, afterNs] = [own(before.meanNs, key) ?? 0, own(after.meanNs, key) ?? 0];
    return { key, beforeNs, afterNs, changeNs: afterNs - beforeNs };
  };
  const keys = new Set([...Object.keys(before.meanNs), ...Object.keys(after.meanNs)]);
  keys.delete('length');
  const parts = [...keys].map(differenceOf).sort((a, b) => Math.abs(b.changeNs) - Math.abs(a.changeNs));
  return [differenceOf('length'), ...parts];
}

import { own } from '../../../base/lists.ts';
import type { SearchPath } from '../run-graph.ts';
import { type InferenceError, searchSummary } from '../run-paths.ts';
import { asWork } from './as-work.ts';
import type { PhaseKind } from './rank-phases.ts';

/** Both with the same searches in one order. */
export function inferenceError(
  inferred: readonly SearchPath[],
  recorded: readonly SearchPath[],
  kinds: readonly PhaseKind[],
): InferenceError {
  let [all, off, onRank] = [0, 0, 0];
  for (const [index, truth] of recorded.entries()) {
    const guess = inferred[index];
    if (guess === undefined) continue;
    // Phases alone do not tell what a rank had no processor for.
    const profile = (search: SearchPath) => asWork(searchSummary(search).profileNs, kinds);
    const [a, b] = [profile(guess), profile(truth)];
    all += truth.endNs - truth.startNs;
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      off += Math.abs((own(a, key) ?? 0) - (own(b, key) ?? 0)) / 2;
    }
    onRank += sameRankNs(guess, truth);
  }
  const hops = (paths: readonly SearchPath[]): number => paths.reduce((sum, one) => sum + one.hops, 0);
  return {
    offShare: all > 0 ? off / all : 0,
    onRankShare: all > 0 ? onRank / all : 1,
    hops: { inferred: hops(inferred), recorded: hops(recorded) },
  };
}

/** The error in words. */
export function inferenceSentence({ offShare, onRankShare, hops }: InferenceError): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return `The paths follow recorded messages. Inferred from phases alone, ${percent(offShare)} of the time would have another key (${percent(onRankShare)} of it on the right rank). There would be ${hops.inferred} rank switches instead of ${hops.recorded}.`;
}

/** Steps of both follow each other without a gap, oldest first. */
function sameRankNs({ path: one }: SearchPath, { path: other }: SearchPath): number {
  let [sum, place] = [0, 0];
  for (const step of one) {
    while (place < other.length) {
      const beside = other[place];
      if (beside === undefined) break;
      if (beside.rank === step.rank) {
        sum += Math.max(0, Math.min(step.endNs, beside.endNs) - Math.max(step.startNs, beside.startNs));
      }
      if (beside.endNs > step.endNs) break;
      place += 1;
    }
  }
  return sum;
}

import { compareCodePoints } from '../../../base/text.ts';
import { totalOf } from '../tree/call-tree.ts';
import type { ProfileSelection } from './call-profile.ts';

/** A profile in which a code path takes much. */
export interface Occurrence {
  readonly benchmark: string;
  readonly testRun: string;
  readonly key: string;
  /** Of all that the profile sampled, what lies in the code path or below it. */
  readonly share: number;
}

/** Profiles in which a code path takes more than `above` of the samples, falling (thesis section 4.1, core question 1). */
export function whereTaken(
  selection: ProfileSelection,
  { codePath, above }: { readonly codePath: string; readonly above: number },
): readonly Occurrence[] {
  const wanted = selection.names.find(codePath);
  return selection.profiles
    .map(({ key, benchmark, testRun, tree }) => {
      let sum = 0;
      for (let node = 1; node < tree.name.length; node += 1) {
        if (tree.name[node] === wanted && (tree.above[node] ?? -1) < 0) sum += tree.total[node] ?? 0;
      }
      return { benchmark, testRun, key, share: sum / totalOf(tree) };
    })
    .filter(({ share }) => share > above)
    .sort((a, b) => b.share - a.share || compareCodePoints(a.key, b.key));
}

import { compareCodePoints } from '../../../base/text.ts';
import { oneUnit, type ProfileSelection, totalOf } from '../tree/call-tree.ts';
import { addPathPotentials, pathValues } from '../tree/complete-tree.ts';

/** What a sample counts: as much as any other, or as much as makes all profiles count the same. */
type Weight = 'samples' | 'profiles';

export const WEIGHTS: readonly Weight[] = ['samples', 'profiles'];

interface PathPotential {
  readonly codePath: string;
  /** Percent of what the selection sampled. */
  readonly potential: number;
}

/**
 * P_n of all code paths, falling: what was sampled in them and within n calls below them, each sample once, in percent of all. By
 * `samples` of all samples of the selection (5.1), by `profiles` the mean over profiles of each one's percentage (5.2). Those that are equal
 * to 12 digits are ordered by name. Errors: badInput by `samples` for profiles of different units.
 */
export function topPaths(
  { names, profiles }: ProfileSelection,
  { degree, weight }: { readonly degree: number; readonly weight: Weight },
): readonly PathPotential[] {
  const isBySamples = weight === 'samples';
  if (isBySamples) oneUnit(profiles, 'name a benchmark with --benchmark, or take --weight profiles');
  const sums = new Float64Array(names.size);
  const occurs = new Uint8Array(names.size);
  let all = 0;
  for (const { tree } of profiles) {
    // Whole samples are summed and divided at the end: sums of them are exact.
    addPathPotentials(tree, { degree, factor: isBySamples ? 1 : 1 / totalOf(tree), sums });
    for (let node = 1; node < tree.name.length; node += 1) occurs[tree.name[node] ?? 0] = 1;
    all += totalOf(tree);
  }
  const percent = 100 / (isBySamples ? all : profiles.length);
  const rows: PathPotential[] = [];
  for (let name = 0; name < sums.length; name += 1) {
    if (occurs[name] === 0) continue;
    rows.push({ codePath: names.text(name), potential: Math.max(0, (sums[name] ?? 0) * percent) });
  }
  return rows.sort((a, b) => rounded(b) - rounded(a) || compareCodePoints(a.codePath, b.codePath));
}

/** The last digits of a sum depend on the order of its terms. */
function rounded({ potential }: PathPotential): number {
  return Number(potential.toPrecision(12));
}

/** A profile in which a code path takes much. */
interface Occurrence {
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
  const wanted = selection.names.find(codePath) ?? -1;
  return selection.profiles
    .map(({ key, benchmark, testRun, tree }) => {
      const { names, values } = pathValues(tree, 'total');
      return { benchmark, testRun, key, share: (values[names.indexOf(wanted)] ?? 0) / totalOf(tree) };
    })
    .filter(({ share }) => share > above)
    .sort((a, b) => b.share - a.share || compareCodePoints(a.key, b.key));
}

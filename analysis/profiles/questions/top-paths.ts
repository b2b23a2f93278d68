import { at } from '../../../base/lists.ts';
import { compareCodePoints } from '../../../base/text.ts';
import { oneUnit, type ProfileSelection } from '../tree/call-profile.ts';
import { type CallTree, findLargest, totalOf } from '../tree/call-tree.ts';
import { pathValues } from './path-values.ts';

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
    for (let node = 1; node < tree.name.length; node += 1) occurs[at(tree.name, node)] = 1;
    all += totalOf(tree);
  }
  const percent = 100 / (isBySamples ? all : profiles.length);
  const rows: PathPotential[] = [];
  for (let name = 0; name < sums.length; name += 1) {
    if (occurs[name] === 0) continue;
    rows.push({ codePath: names.text(name), potential: Math.max(0, at(sums, name) * percent) });
  }
  return rows.sort((a, b) => rounded(b) - rounded(a) || compareCodePoints(a.codePath, b.codePath));
}

/** The last digits of a sum depend on the order of its terms. */
function rounded({ potential }: PathPotential): number {
  return Number(potential.toPrecision(12));
}

/**
 * Adds `factor` times P_n of every code path of a tree to `sums`, by name: P_n(A) = sum over the nodes of A of p_n - c_n, what was
 * sampled in nodes of A and within n calls below them, each sample once.
 *
 * One pass for any degree: what a node u of A has within n calls is its total without the totals of the nodes w that are n + 1 calls
 * below. Those of a recurrence of A cancel against c_n where it is within n calls of u; so a node adds its total unless it is
 * such a recurrence, and w is taken off from u unless A recurs between them.
 */
function addPathPotentials(
  { name, depth, own, total, above }: CallTree,
  { degree, factor, sums }: { readonly degree: number; readonly factor: number; readonly sums: Float64Array },
): void {
  if (degree === 0) {
    for (let node = 1; node < name.length; node += 1) addTo(sums, at(name, node), factor * at(own, node));
    return;
  }
  const height = findLargest(depth);
  const path = new Int32Array(height + 1);
  /** By depth of a node on the path the depth of its recurrence, good if that node is still on the path. */
  const recurrence = new Int32Array(height + 1);
  for (let node = 1; node < name.length; node += 1) {
    const level = at(depth, node);
    path[level] = node;
    const from = at(above, node);
    const distance = from < 0 ? 0 : level - at(depth, from);
    if (from >= 0) recurrence[level - distance] = level;
    const value = factor * at(total, node);
    if (from < 0 || distance > degree) addTo(sums, at(name, node), value);
    const top = level - degree - 1;
    if (top < 1) continue;
    const ancestor = at(path, top);
    const again = at(recurrence, top);
    const recurs = again > top && again < level && above[at(path, again)] === ancestor;
    if (!recurs) addTo(sums, at(name, ancestor), -value);
  }
}

function addTo(sums: Float64Array, name: number, value: number): void {
  sums[name] = at(sums, name) + value;
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
      const share = (pathValues(tree, 'total').get(wanted) ?? 0) / totalOf(tree);
      return { benchmark, testRun, key, share };
    })
    .filter(({ share }) => share > above)
    .sort((a, b) => b.share - a.share || compareCodePoints(a.key, b.key));
}

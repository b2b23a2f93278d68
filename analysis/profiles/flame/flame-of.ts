import { badInput } from '../../../base/errors.ts';
import { at, groupBy } from '../../../base/lists.ts';
import { compareText, shortened } from '../../../base/text.ts';
import { groupRuns, isCalled, type RunProfiles } from '../questions/history.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import { type CallProfile, oneUnit, type ProfileSelection, type ProfileUnit } from '../tree/call-profile.ts';
import { type CallTree, completeTree, type NameTable, ROOT } from '../tree/call-tree.ts';
import { type FlameLayout, layoutFlame } from './layout-flame.ts';

interface FlameChoice {
  /** Key of a profile, or of a run, whose profiles add up; `mean:N` of the latest N runs of `benchmark`. */
  readonly profile: string;
  readonly benchmark: string | null;
  /** The same of what it is compared with; `mean:N` of the N runs before it. Null for nothing. */
  readonly against: string | null;
}

/** A flame graph with what is said beside it. */
export interface FlameAnswer {
  /** What is drawn, and what it is compared with, in words. */
  readonly key: string;
  readonly against: string | null;
  readonly unit: ProfileUnit;
  readonly layout: FlameLayout;
  readonly functions: readonly OwnShare[];
  readonly tree: CallTree;
  /** Own values of what it is compared with, by row of `tree`. */
  readonly before: Float64Array | null;
}

/** Profiles of one run, or runs, whose trees are drawn as one. */
interface Chosen {
  readonly words: string;
  readonly groups: readonly (readonly CallProfile[])[];
}

/** Errors: badInput names a key that there is not, and profiles that do not count the same. */
export function buildFlame(
  { names, profiles }: ProfileSelection,
  { profile, benchmark, against }: FlameChoice,
): FlameAnswer {
  const runsOf = (wanted: string) => groupRuns(profiles.filter((one) => one.benchmark === wanted));
  const shown = chosen(profile, profiles, (count) => {
    if (benchmark === null) throw badInput(`--profile ${profile}: name the benchmark of the runs with --benchmark.`);
    const runs = runsOf(benchmark);
    if (runs.length === 0) throw badInput(`There is no profile of the benchmark '${shortened(benchmark)}'.`);
    return meanOfRuns(runs.slice(-count), `of ${benchmark}`);
  });
  const before = (key: string): Chosen =>
    chosen(key, profiles, (count) => {
      const first = at(at(shown.groups, 0), 0);
      const runs = runsOf(first.benchmark);
      const place = runs.findIndex((run) => run.profiles.some(({ testRun }) => testRun === first.testRun));
      const earlier = runs.slice(Math.max(0, place - count), place);
      if (earlier.length > 0) return meanOfRuns(earlier, 'before it');
      throw badInput(`--against ${key}: no run of '${shortened(first.benchmark)}' is before ${shortened(profile)}.`);
    });
  const other = against === null ? null : before(against);
  const unit = oneUnit([...shown.groups, ...(other?.groups ?? [])].flat());
  const trees = ({ groups }: Chosen) => groups.map((group) => group.map(({ tree }) => tree));
  const flame = flameOfTrees(trees(shown), { names, against: other && trees(other) });
  return { key: shown.words, against: other?.words ?? null, unit, ...flame };
}

/** A profile, or all of a run, by its key; `mean:N` is what `meanOf` says of N. */
function chosen(key: string, profiles: readonly CallProfile[], meanOf: (count: number) => Chosen): Chosen {
  const count = Number(/^mean:(\d{1,6})$/.exec(key)?.[1] ?? 0);
  if (count > 0) return meanOf(count);
  const one = profiles.find((profile) => profile.key === key);
  if (one !== undefined) return { words: key, groups: [[one]] };
  const runs = groupBy(profiles, ({ benchmark }) => benchmark).flatMap(groupRuns);
  const run = runs.find((each) => isCalled(each, key));
  if (run !== undefined) return { words: key, groups: [run.profiles] };
  throw badInput(
    `There is no profile with the key '${shortened(key)}': 'predict profiles query STORE' shows the keys.`,
  );
}

function meanOfRuns(runs: readonly RunProfiles[], which: string): Chosen {
  const words = runs.length === 1 ? `the run ${which}` : `the mean of the ${runs.length} runs ${which}`;
  return { words, groups: runs.map(({ profiles }) => profiles) };
}

type TreeGroups = readonly (readonly CallTree[])[];

/** What is drawn of trees, and of what they are compared with. */
export function flameOfTrees(
  shown: TreeGroups,
  { names, against }: { readonly names: NameTable; readonly against: TreeGroups | null },
): Pick<FlameAnswer, 'layout' | 'functions' | 'tree' | 'before'> {
  const [tree, before] = mergeTrees(against === null ? [shown] : [shown, against]);
  if (tree === undefined) throw new RangeError('there is no tree to draw');
  return {
    layout: layoutFlame(tree, { names, against: before?.total }),
    functions: ownByFunction(tree, { names, against: before?.own }),
    tree,
    before: before?.own ?? null,
  };
}

/**
 * Trees of one table of names laid over one another: of each side a tree with the nodes of all. The trees of a group add up, as those of the ranks
 * of a run; a side is the mean over its groups. Nodes are the same where the stacks of their code paths are.
 */
export function mergeTrees(sides: readonly TreeGroups[]): readonly CallTree[] {
  const builder = new CallTreeBuilder();
  const placed = sides.map((groups) =>
    groups.flat().map((tree) => {
      const made = new Int32Array(tree.name.length);
      for (let node = 1; node < made.length; node += 1) {
        made[node] = builder.child(at(made, at(tree.parent, node)), at(tree.name, node));
      }
      return { tree, made };
    }),
  );
  const all = builder.finish();
  return placed.map((trees, side) => {
    const own = new Float64Array(all.name.length);
    for (const { tree, made } of trees) {
      for (let node = 0; node < made.length; node += 1) {
        const row = at(builder.rows, at(made, node));
        own[row] = at(own, row) + at(tree.own, node);
      }
    }
    const groups = at(sides, side).length;
    const { total } = completeTree({ ...all, own });
    return { ...all, own: own.map((value) => value / groups), total: total.map((value) => value / groups) };
  });
}

/** What a code path has of its own over the whole tree. Shares are of the profile, 0 to 1. */
export interface OwnShare {
  readonly name: string;
  readonly ownShare: number;
  /** The same in what the tree is compared with; null where that is nothing. */
  readonly before: number | null;
}

/**
 * Code paths by their own share, or by how far it moved from `against` (own values by row of the tree); the findLargest first, those
 * without any left out.
 */
function ownByFunction(
  tree: CallTree,
  { names, against }: { readonly names: NameTable; readonly against?: Float64Array | undefined },
): readonly OwnShare[] {
  const sums = new Map<number, { own: number; before: number }>();
  for (let node = ROOT + 1; node < tree.name.length; node += 1) {
    const name = at(tree.name, node);
    const sum = sums.get(name) ?? { own: 0, before: 0 };
    sum.own += at(tree.own, node);
    sum.before += against?.[node] ?? 0;
    sums.set(name, sum);
  }
  const all = [...sums.values()];
  const total = all.reduce((sum, { own }) => sum + own, 0) || 1;
  const former = all.reduce((sum, { before }) => sum + before, 0) || 1;
  return [...sums]
    .filter(([, { own, before }]) => own > 0 || before > 0)
    .map(([name, { own, before }]) => ({
      name: names.text(name),
      ownShare: own / total,
      before: against === undefined ? null : before / former,
    }))
    .sort((one, other) => weightOf(other) - weightOf(one) || compareText(one.name, other.name));
}

function weightOf({ ownShare, before }: OwnShare): number {
  return before === null ? ownShare : Math.abs(ownShare - before);
}

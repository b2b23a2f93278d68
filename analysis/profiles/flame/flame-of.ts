import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { compareText, shortened } from '../../../base/text.ts';
import { groupRuns, isCalled, type RunProfiles } from '../questions/history.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import { type CallProfile, oneUnit, type ProfileSelection, type ProfileUnit } from '../tree/call-profile.ts';
import { type CallTree, type NameTable, ROOT } from '../tree/call-tree.ts';
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
export function buildFlame(selection: ProfileSelection, { profile, benchmark, against }: FlameChoice): FlameAnswer {
  const { names } = selection;
  const shown = chosenProfiles(selection, profile, benchmark);
  const other = against === null ? null : chosenAgainst(selection, against, { profile, shown });
  const groups = [...shown.groups, ...(other?.groups ?? [])];
  const unit = oneUnit(groups.flat());
  const trees = (groups: Chosen['groups']) => groups.map((group) => group.map(({ tree }) => tree));
  return {
    key: shown.words,
    against: other?.words ?? null,
    unit,
    ...flameOfTrees(trees(shown.groups), { names, against: other === null ? null : trees(other.groups) }),
  };
}

/** The trees of a group add up; what is drawn, and what it is compared with, is the mean over groups. */
export function flameOfTrees(
  shown: TreeGroups,
  { names, against }: { readonly names: NameTable; readonly against: TreeGroups | null },
): Pick<FlameAnswer, 'layout' | 'functions' | 'tree' | 'before'> {
  const merged = mergeTrees([...shown, ...(against ?? [])]);
  const here = (columns: readonly Float64Array[]): Float64Array => meanOf(columns.slice(0, shown.length));
  const there = (columns: readonly Float64Array[]): Float64Array => meanOf(columns.slice(shown.length));
  const tree = { ...merged.tree, own: here(merged.owns), total: here(merged.totals) };
  const before = against === null ? null : there(merged.owns);
  return {
    layout: layoutFlame(tree, { names, against: against === null ? undefined : there(merged.totals) }),
    functions: ownByFunction(tree, { names, against: before ?? undefined }),
    tree,
    before,
  };
}

type TreeGroups = readonly (readonly CallTree[])[];

const MEAN = /^mean:(\d{1,6})$/;

function chosenProfiles({ profiles }: ProfileSelection, key: string, benchmark: string | null): Chosen {
  const count = Number(MEAN.exec(key)?.[1] ?? 0);
  if (count === 0) return { words: key, groups: [profilesCalled(profiles, key)] };
  if (benchmark === null) throw badInput(`--profile ${key}: name the benchmark of the runs with --benchmark.`);
  const runs = runsOf(profiles, benchmark);
  if (runs.length === 0) throw badInput(`There is no profile of the benchmark '${shortened(benchmark)}'.`);
  return meanOfRuns(runs.slice(-count), `of ${benchmark}`);
}

function chosenAgainst(
  { profiles }: ProfileSelection,
  key: string,
  { profile, shown }: { readonly profile: string; readonly shown: Chosen },
): Chosen {
  const count = Number(MEAN.exec(key)?.[1] ?? 0);
  if (count === 0) return { words: key, groups: [profilesCalled(profiles, key)] };
  const { benchmark, testRun } = at(at(shown.groups, 0), 0);
  const runs = runsOf(profiles, benchmark);
  const place = runs.findIndex((run) => run.profiles.some((one) => one.testRun === testRun));
  const before = runs.slice(Math.max(0, place - count), place);
  if (before.length === 0)
    throw badInput(`--against ${key}: no run of '${shortened(benchmark)}' is before ${shortened(profile)}.`);
  return meanOfRuns(before, 'before it');
}

function runsOf(profiles: readonly CallProfile[], wanted: string): readonly RunProfiles[] {
  return groupRuns(profiles.filter(({ benchmark }) => benchmark === wanted));
}

function meanOfRuns(runs: readonly RunProfiles[], which: string): Chosen {
  const words = runs.length === 1 ? `the run ${which}` : `the mean of the ${runs.length} runs ${which}`;
  return { words, groups: runs.map(({ profiles }) => profiles) };
}

/** One profile, or all of a run. */
function profilesCalled(profiles: readonly CallProfile[], key: string): readonly CallProfile[] {
  const one = profiles.find((profile) => profile.key === key);
  if (one !== undefined) return [one];
  for (const benchmark of new Set(profiles.map((profile) => profile.benchmark))) {
    const run = runsOf(profiles, benchmark).find((each) => isCalled(each, key));
    if (run !== undefined) return run.profiles;
  }
  throw badInput(
    `There is no profile with the key '${shortened(key)}': 'predict profiles query STORE' shows the keys.`,
  );
}

function meanOf(columns: readonly Float64Array[]): Float64Array {
  return at(columns, 0).map((_, row) => columns.reduce((sum, column) => sum + (column[row] ?? 0), 0) / columns.length);
}

/** Groups of trees of one table of names laid over one another: the nodes of all, and of each group what it has of them. */
interface MergedTrees {
  /** Own values and totals are the means over the groups. */
  readonly tree: CallTree;
  /** Per group the sum of its trees' totals, by row of `tree`; 0 where it lacks the node. */
  readonly totals: readonly Float64Array[];
  /** The same of own values. */
  readonly owns: readonly Float64Array[];
}

/**
 * The trees of a group add up, as those of the ranks of a run. Nodes are the same where the stacks of their code paths are. Errors:
 * RangeError without a group, a fault in the program.
 */
export function mergeTrees(groups: TreeGroups): MergedTrees {
  if (groups.length === 0) throw new RangeError('there is no tree to merge');
  const builder = new CallTreeBuilder();
  const madeOf = new Map<CallTree, Int32Array>();
  for (const one of groups.flat()) {
    const made = new Int32Array(one.name.length);
    madeOf.set(one, made);
    for (let node = 0; node < made.length; node += 1) {
      made[node] = node === ROOT ? ROOT : builder.child(made[one.parent[node] ?? 0] ?? 0, one.name[node] ?? 0);
      builder.add(made[node] ?? 0, (one.own[node] ?? 0) / groups.length);
    }
  }
  const tree = builder.finish();
  const sumOf = (group: readonly CallTree[], column: 'own' | 'total'): Float64Array => {
    const sums = new Float64Array(tree.name.length);
    for (const one of group) {
      for (const [node, made] of madeOf.get(one)?.entries() ?? []) {
        const row = builder.rows[made] ?? 0;
        sums[row] = (sums[row] ?? 0) + (one[column][node] ?? 0);
      }
    }
    return sums;
  };
  return {
    tree,
    totals: groups.map((group) => sumOf(group, 'total')),
    owns: groups.map((group) => sumOf(group, 'own')),
  };
}

/** What a code path has of its own over the whole tree. Shares are of the profile, 0 to 1. */
export interface OwnShare {
  readonly name: string;
  readonly ownShare: number;
  /** The same in what the tree is compared with; null where that is nothing. */
  readonly before: number | null;
}

/**
 * Code paths by their own share, or by how far it moved from `against` (own values by row of the tree); the largest first, those
 * without any left out.
 */
export function ownByFunction(
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

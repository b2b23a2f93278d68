import { correlate, groupBenchmarks } from '../../../analysis/profiles/questions/correlate-paths.ts';
import { type BranchStep, expand } from '../../../analysis/profiles/questions/expand.ts';
import { runHistory } from '../../../analysis/profiles/questions/history.ts';
import { type BranchJudge, correlationJudge, seriesJudge } from '../../../analysis/profiles/questions/judges.ts';
import { type SeriesQuestion, series } from '../../../analysis/profiles/questions/path-series.ts';
import { topPaths, whereTaken } from '../../../analysis/profiles/questions/top-paths.ts';
import type { CallProfile, ProfileSelection } from '../../../analysis/profiles/tree/call-profile.ts';
import {
  type CallTree,
  findLargest,
  findRecursionEdges,
  NameTable,
  stacksOf,
  totalOf,
} from '../../../analysis/profiles/tree/call-tree.ts';
import { badInput } from '../../../base/errors.ts';
import { compareCodePoints, shortened } from '../../../base/text.ts';
import { foldedText, parseCollapsed } from './collapsed-text.ts';
import { computeNodePotentials } from './node-potentials.ts';
import { type ExpandAsked, type ProfileCase, profileCaseSchema } from './profile-case-schema.ts';

/** The answers to a case, in the shape of its `expected.json`: a key per question. Errors: badInput names the profile and the line. */
export function answerProfileCase(data: unknown, what: string): object {
  const parsed = profileCaseSchema.safeParse(data);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badInput(
      `${what} is not a valid case of profiles at ${issue?.path.join('.') || 'the top level'}: ${issue?.message}.`,
    );
  }
  const { ask } = parsed.data;
  const selection = selectionOf(parsed.data, what);
  const { tree, potential, correlation, where } = ask;
  return {
    profiles: selection.profiles.map(({ key, tree: each }) => ({
      key,
      nodes: each.name.length,
      recursions: findRecursionEdges(each).to.length,
      samples: totalOf(each),
      depth: findLargest(each.depth),
    })),
    ...(tree !== undefined &&
      treeAnswers(profileWithKey(selection, tree).tree, { degree: ask.degree, names: selection.names })),
    ...(potential !== undefined && {
      potential: Object.fromEntries(
        potential.degrees.map((degree) => {
          const chosen = withKeys(selection, potential.profiles);
          return [String(degree), topPaths(chosen, { degree, weight: potential.weight })];
        }),
      ),
    }),
    ...(ask.series !== undefined && { series: seriesAnswer(selection, ask.series) }),
    ...(correlation !== undefined && {
      correlation: correlate(withKeys(selection, correlation.profiles), correlation),
    }),
    ...(where !== undefined && { where: whereTaken(selection, where) }),
    ...(ask.expand !== undefined && { expand: ask.expand.map((one) => expandAnswer(selection, one)) }),
  };
}

function selectionOf({ profiles }: ProfileCase, what: string): ProfileSelection {
  const names = new NameTable();
  const keys = new Set<string>();
  const read = profiles.map(({ collapsed, timeNs, ...facts }): CallProfile => {
    if (keys.has(facts.key))
      throw badInput(`${what} has two profiles with the key '${facts.key}': give each its own key.`);
    keys.add(facts.key);
    const { tree, modes } = parseCollapsed(collapsed, { what: `${what}, profile '${facts.key}'`, names });
    return { ...facts, timeNs: BigInt(Math.round(timeNs)), unit: 'samples', tree, modes };
  });
  return { names, profiles: read };
}

function treeAnswers(
  tree: CallTree,
  { degree, names }: { readonly degree: number; readonly names: NameTable },
): object {
  const stacks = stacksOf(tree, names);
  const { p, c } = computeNodePotentials(tree, degree);
  const { from, to, distance } = findRecursionEdges(tree);
  return {
    tree: stacks
      .map((stack, node) => ({
        stack,
        depth: tree.depth[node],
        baseSamples: tree.own[node],
        totalSamples: tree.total[node],
        p: p.map((values) => values[node]),
        c: c.map((values) => values[node]),
      }))
      .sort((a, b) => compareCodePoints(a.stack, b.stack)),
    recursions: Array.from(to, (lower, edge): readonly [string, string, number] => {
      return [stacks[from[edge] ?? 0] ?? '', stacks[lower] ?? '', distance[edge] ?? 0];
    }).sort(([a, b], [c2, d]) => compareCodePoints(a, c2) || compareCodePoints(b, d)),
    folded: foldedText(tree, names),
  };
}

function seriesAnswer(selection: ProfileSelection, asked: SeriesQuestion): object {
  const { candidate, history, rows } = series(selection, asked);
  return { candidate, history, rows };
}

function expandAnswer(selection: ProfileSelection, asked: ExpandAsked): readonly (readonly BranchStep[])[] {
  const branches = expand(judgeOf(selection, asked), {
    ...asked,
    path: selection.names.id(asked.codePath),
    names: selection.names,
    negatives: asked.by === 'correlation',
  });
  return branches.map((steps) => steps.map(({ name, contexts, ...step }) => step));
}

function judgeOf(selection: ProfileSelection, asked: ExpandAsked): BranchJudge {
  if (asked.by === 'correlation') {
    return correlationJudge(groupBenchmarks(withKeys(selection, asked.profiles).profiles), {
      value: 'total',
      least: asked.least,
    });
  }
  const { benchmark } = asked;
  if (benchmark === undefined) throw badInput('A case that expands by series must name its benchmark.');
  return seriesJudge(runHistory(selection, { ...asked, benchmark }), { value: 'total', leastStd: null });
}

/** The profiles with these keys, in their order; all without keys. Errors: badInput names a key that there is not. */
function withKeys({ names, profiles }: ProfileSelection, keys: readonly string[] | null): ProfileSelection {
  if (keys === null) return { names, profiles };
  const byKey = new Map(profiles.map((profile) => [profile.key, profile]));
  const chosen = keys.map((key) => byKey.get(key) ?? noProfile(key));
  return { names, profiles: chosen };
}

/** Errors: badInput where there is none. */
function profileWithKey({ profiles }: ProfileSelection, key: string): CallProfile {
  return profiles.find((profile) => profile.key === key) ?? noProfile(key);
}

function noProfile(key: string): never {
  throw badInput(
    `There is no profile with the key '${shortened(key)}': 'predict profiles query STORE' shows the keys.`,
  );
}

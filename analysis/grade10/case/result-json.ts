import { assertNever, at } from '../../../base/index.ts';
import type { Analysis } from '../analyse.ts';
import type { Issue } from '../issues/issue-rule.ts';
import { isLeaf, phasePath } from '../model/phases.ts';
import { profileOf, typesUsed, usedMetrics } from '../model/uses.ts';
import { compare, issueOrder } from './issue-order.ts';
import { inPieces, listed, numberList, runLengths } from './json-text.ts';

const LEAF_LETTERS = 'NLG';
const COMPOSITE_LETTERS = 'NB';

export interface ResultOptions {
  readonly name: string;
  /** Of the phases, by row; by default made of their types and ids. */
  readonly paths?: readonly string[];
  /** Keys that come before the results'. */
  readonly head?: Readonly<Record<string, unknown>>;
}

/**
 * All results by path as JSON on one line, in the form of the comparison cases: rates in the metrics' units, impacts and
 * makespans in slices, phases as [path, first slice, last slice], states as run lengths. Made in pieces, one after another, as a
 * large job has more than one string can hold. Leaves without metrics and issues of rules that a case cannot have are left
 * out.
 */
export function resultJson(
  analysis: Analysis,
  { name, paths = pathsOf(analysis), head = {} }: ResultOptions,
): Iterable<string> {
  const { timesliceNs, firstSlice, sliceCount } = analysis.model;
  const first = {
    ...head,
    variant: 'thesis',
    name,
    full: true,
    timeslice_ns: timesliceNs,
    first_timeslice: firstSlice,
    last_timeslice: firstSlice + sliceCount - 1,
  };
  return inPieces(resultTexts(JSON.stringify(first).slice(0, -1), analysis, paths));
}

function pathsOf({ model: { phases, phaseTypes } }: Analysis): readonly string[] {
  return Array.from({ length: phases.count }, (_, row) => phasePath(phases, phaseTypes, row));
}

function* resultTexts(first: string, analysis: Analysis, paths: readonly string[]): Generator<string> {
  const { model, attribution, leaves, bottlenecks } = analysis;
  const { phases, uses, firstSlice } = model;
  const quoted = paths.map((path) => JSON.stringify(path));
  const rows = inOrder(paths);
  const composites = rows.filter((row) => !isLeaf(phases, row));
  const users = rows.filter((row) => usedMetrics(uses, row).length > 0);
  const attributed = users.filter((row) => profileOf(uses, row).consumable.length > 0);
  const metrics = namer(model.metrics.map(({ path }) => path));
  const types = namer(model.resourceTypes.metricTypes.paths);
  const perPhase = (of: Uint32Array, write: (row: number, length: number) => string): Generator<string> =>
    texts(of, (row) => `${at(quoted, row)}:${write(row, at(phases.length, row))}`);
  const perType = (states: Uint8Array, letters: string) => (row: number, length: number) =>
    types.object(typesUsed(uses, row), (slot) => {
      const from = at(leaves.typeStart, row) + slot * length;
      return runLengths(states.subarray(from, from + length), letters);
    });

  yield first;
  yield* listed(
    ',"phases":[',
    texts(rows, (row) => {
      const slice = firstSlice + at(phases.first, row);
      return `[${at(quoted, row)},${slice},${slice + at(phases.length, row) - 1}]`;
    }),
    ']',
  );
  const sampled = [...model.metrics.keys()].filter((index) => at(model.metrics, index).class === 'consumable');
  yield* listed(
    ',"sampled":{',
    metrics.entries(sampled, (slot) => numberList(at(attribution.samples, at(sampled, slot)))),
    '}',
  );
  yield* listed(
    ',"attribution":{',
    perPhase(attributed, (row, length) =>
      metrics.object(profileOf(uses, row).consumable, (slot) => {
        const from = at(attribution.start, row) + slot * length;
        const part = (values: Float64Array): string => numberList(values.subarray(from, from + length));
        return `{"usage":${part(attribution.usage)},"capacity":${part(attribution.capacity)}}`;
      }),
    ),
    '}',
  );
  yield* listed(
    ',"leaf_metric_bottlenecks":{',
    perPhase(users, (row, length) =>
      metrics.object(usedMetrics(uses, row), (slot) => {
        const from = at(leaves.metricStart, row) + slot * length;
        return runLengths(leaves.metricStates.subarray(from, from + length), LEAF_LETTERS);
      }),
    ),
    '}',
  );
  yield* listed(',"leaf_bottlenecks":{', perPhase(users, perType(leaves.typeStates, LEAF_LETTERS)), '}');
  yield ',"composite_bottlenecks":{';
  for (const [index, { predicate, states }] of bottlenecks.entries()) {
    const open = `${index > 0 ? ',' : ''}${JSON.stringify(predicate)}:{`;
    yield* listed(open, perPhase(composites, perType(states, COMPOSITE_LETTERS)), '}');
  }
  const issues = issuesInOrder(analysis, rows);
  yield* listed(`},"issue_count":${issues.length},"issues":[`, texts(issues, issueWriter(analysis, quoted)), ']}');
}

/** Places sorted by their paths. */
function inOrder(paths: readonly string[]): Uint32Array {
  return Uint32Array.from(paths.keys()).sort((a, b) => compare(at(paths, a), at(paths, b)));
}

function* texts<T>(values: Iterable<T>, write: (value: T) => string): Generator<string> {
  for (const value of values) yield write(value);
}

type WriteSlot = (slot: number) => string;

/** Writes keys of metrics or metric types, sorted by path, with what `write` makes of their places in a list of indices. */
function namer(paths: readonly string[]): {
  readonly entries: (indices: ArrayLike<number>, write: WriteSlot) => Iterable<string>;
  readonly object: (indices: ArrayLike<number>, write: WriteSlot) => string;
} {
  const rank = ranksOf(inOrder(paths));
  const keys = paths.map((path) => JSON.stringify(path));
  const sorted = (indices: ArrayLike<number>): number[] =>
    Array.from(indices, (_, slot) => slot).sort((a, b) => at(rank, at(indices, a)) - at(rank, at(indices, b)));
  const entries = (indices: ArrayLike<number>, write: WriteSlot): Iterable<string> =>
    texts(sorted(indices), (slot) => `${at(keys, at(indices, slot))}:${write(slot)}`);
  return { entries, object: (indices, write) => `{${[...entries(indices, write)].join()}}` };
}

/** The place of each row in a list of all rows. */
function ranksOf(rows: Uint32Array): Uint32Array {
  const rank = new Uint32Array(rows.length);
  for (const [place, row] of rows.entries()) rank[row] = place;
  return rank;
}

function issuesInOrder(analysis: Analysis, rows: Uint32Array): readonly Issue[] {
  const rank = ranksOf(rows);
  return analysis.issues
    .filter(({ pass }) => pass !== 'custom')
    .sort(issueOrder(analysis, (a, b) => at(rank, a) - at(rank, b)));
}

function issueWriter(
  { model: { phaseTypes, resourceTypes } }: Analysis,
  quoted: readonly string[],
): (issue: Issue) => string {
  const targets = phaseTypes.paths.map((path) => JSON.stringify(path));
  const sources = resourceTypes.metricTypes.paths.map((path) => JSON.stringify(path));
  return (issue) => {
    const start = `{"pass":"${issue.pass}","phase":${at(quoted, issue.phase)}`;
    const { impact } = issue;
    switch (issue.pass) {
      case 'imbalance': {
        const { count, actual, optimal, target } = issue;
        return `${start},"target":${at(targets, target)},"impact":${impact},"count":${count},"actual":${actual},"optimal":${optimal}}`;
      }
      case 'bottleneck':
        return `${start},"target":${at(targets, issue.target)},"source":${at(sources, issue.source)},"impact":${impact},"total":${issue.total}}`;
      case 'critical-path':
        return `${start},"source":${at(sources, issue.source)},"impact":${impact},"total":${issue.total}}`;
      case 'custom':
        return '';
      default:
        return assertNever(issue);
    }
  };
}

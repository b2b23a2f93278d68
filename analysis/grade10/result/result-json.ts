import { assertNever } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { compareText } from '../../../base/text.ts';
import type { Analysis } from '../analyse-phases.ts';
import { type Issue, typesOf } from '../issues/issue-rule.ts';
import { isLeaf, phasePath } from '../model/phases.ts';
import { profileOf, typesUsed, usedMetrics } from '../model/uses.ts';

const LEAF_LETTERS = 'NLG';
const COMPOSITE_LETTERS = 'NB';

interface ResultOptions {
  readonly name: string;
  /** Of the phases, by row; by default made of their types and ids. */
  readonly paths?: readonly string[];
  /** Keys that come before the results'. */
  readonly head?: Readonly<Record<string, unknown>>;
}

/**
 * All results by path as JSON on one line: rates in the metrics' units, impacts and makespans in slices, phases as [path, first
 * slice, last slice], states as run lengths. Made in pieces, one after another, as a large job has more than one string can hold.
 * Leaves without metrics and issues of rules of one's own are left out.
 */
export function* renderResultJson(
  analysis: Analysis,
  { name, paths = pathsOf(analysis), head = {} }: ResultOptions,
): Generator<string> {
  const { model, attribution, leaves, bottlenecks } = analysis;
  const { phases, uses, firstSlice } = model;
  const quoted = paths.map((path) => JSON.stringify(path));
  const rows = rowsInOrder(paths);
  const composites = rows.filter((row) => !isLeaf(phases, row));
  const users = rows.filter((row) => usedMetrics(uses, row).length > 0);
  const attributed = users.filter((row) => profileOf(uses, row).consumable.length > 0);
  const metricKeys = sortedKeys(model.metrics.map(({ path }) => path));
  const typeKeys = sortedKeys(model.resourceTypes.metricTypes.paths);
  const perPhase = (key: string, of: Uint32Array, write: (row: number, length: number) => string): Generator<string> =>
    listed([`${key}:{`, '}'], of, (row) => `${at(quoted, row)}:${write(row, at(phases.length, row))}`);
  const perType = (states: Uint8Array, letters: string) => (row: number, length: number) =>
    objectText(typeKeys(typesUsed(uses, row)), (slot) => {
      const from = at(leaves.typeStart, row) + slot * length;
      return runLengths(states, { from, to: from + length, letters });
    });

  const first = { ...head, variant: 'thesis', name, full: true, timeslice_ns: model.timesliceNs };
  const span = { first_timeslice: firstSlice, last_timeslice: firstSlice + model.sliceCount - 1 };
  yield JSON.stringify({ ...first, ...span }).slice(0, -1);
  yield* listed([',"phases":[', ']'], rows, (row) => {
    const slice = firstSlice + at(phases.first, row);
    return `[${at(quoted, row)},${slice},${slice + at(phases.length, row) - 1}]`;
  });
  const sampled = Uint32Array.from(model.metrics.keys()).filter(
    (index) => at(model.metrics, index).class === 'consumable',
  );
  const samplesOf = (slot: number): Float64Array => at(attribution.samples, at(sampled, slot));
  yield* listed([',"sampled":{', '}'], metricKeys(sampled), ({ text, slot }) => text + numberList(samplesOf(slot)));
  yield* perPhase(',"attribution"', attributed, (row, length) =>
    objectText(metricKeys(profileOf(uses, row).consumable), (slot) => {
      const from = at(attribution.start, row) + slot * length;
      const part = (values: Float64Array): string => numberList(values, from, from + length);
      return `{"usage":${part(attribution.usage)},"capacity":${part(attribution.capacity)}}`;
    }),
  );
  yield* perPhase(',"leaf_metric_bottlenecks"', users, (row, length) =>
    objectText(metricKeys(usedMetrics(uses, row)), (slot) => {
      const from = at(leaves.metricStart, row) + slot * length;
      return runLengths(leaves.metricStates, { from, to: from + length, letters: LEAF_LETTERS });
    }),
  );
  yield* perPhase(',"leaf_bottlenecks"', users, perType(leaves.typeStates, LEAF_LETTERS));
  yield ',"composite_bottlenecks":{';
  for (const [index, { predicate, states }] of bottlenecks.entries()) {
    const key = `${index > 0 ? ',' : ''}${JSON.stringify(predicate)}`;
    yield* perPhase(key, composites, perType(states, COMPOSITE_LETTERS));
  }
  const issues = analysis.issues.filter(({ pass }) => pass !== 'custom');
  const open = `},"issue_count":${issues.length},"issues":[`;
  yield* listed([open, ']}'], issuesInOrder({ model, issues }, rows), issueWriter(analysis, quoted));
}

function pathsOf({ model: { phases, phaseTypes } }: Analysis): readonly string[] {
  return Array.from({ length: phases.count }, (_, row) => phasePath(phases, phaseTypes, row));
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

/** Texts are handed on when they reach this length: large enough to be few, small enough to be made in passing. */
const PIECE_LENGTH = 1 << 16;

/** `open`, what `write` makes of each value (JSON already) with commas between, and `close`; in pieces of bounded length. */
function* listed<T>(
  [open, close]: readonly [string, string],
  values: Iterable<T>,
  write: (value: T) => string,
): Generator<string> {
  let piece = open;
  let separator = '';
  for (const value of values) {
    piece += separator + write(value);
    separator = ',';
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece + close;
}

// The loops below run over slices: they index directly (see `at`).

/** Finite numbers as a list. Neighbours are often equal: text is made once for each run of them, which is three times as fast. */
function numberList(values: Float64Array, from = 0, to = values.length): string {
  let text = '';
  for (let start = from; start < to; ) {
    let end = start + 1;
    while (end < to && values[end] === values[start]) end += 1;
    text += `,${values[start]}`.repeat(end - start);
    start = end;
  }
  return `[${text.slice(1)}]`;
}

/** States as run lengths in quotes: 0 0 0 2 with the letters N, L, G is "3N1G"; no states are an empty text. */
function runLengths(
  states: Uint8Array,
  { from, to, letters }: { readonly from: number; readonly to: number; readonly letters: string },
): string {
  let text = '"';
  for (let start = from; start < to; ) {
    let end = start + 1;
    while (end < to && states[end] === states[start]) end += 1;
    text += `${end - start}${letters[states[start] ?? 0]}`;
    start = end;
  }
  return `${text}"`;
}

/** Rows sorted by their paths. */
function rowsInOrder(paths: readonly string[]): Uint32Array {
  return Uint32Array.from(paths.keys()).sort((a, b) => compareText(at(paths, a), at(paths, b)));
}

interface Key {
  /** Place in the list of indices. */
  readonly slot: number;
  /** The path in quotes, and a colon. */
  readonly text: string;
}

/** Keys of JSON objects for lists of indices, such as the metrics that a leaf uses: sorted by path. */
function sortedKeys(paths: readonly string[]): (indices: Uint32Array) => readonly Key[] {
  const rank = new Uint32Array(paths.length);
  for (const [place, index] of rowsInOrder(paths).entries()) rank[index] = place;
  // Phases share their lists, so each is put in order once.
  const known = new Map<Uint32Array, readonly Key[]>();
  return (indices) => {
    const found = known.get(indices);
    if (found !== undefined) return found;
    const keys = Array.from(indices, (index, slot) => ({ slot, rank: at(rank, index), path: at(paths, index) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ slot, path }) => ({ slot, text: `${JSON.stringify(path)}:` }));
    known.set(indices, keys);
    return keys;
  };
}

/** An object with these keys. */
function objectText(keys: readonly Key[], write: (slot: number) => string): string {
  let text = '{';
  for (const key of keys) text += `${text.length > 1 ? ',' : ''}${key.text}${write(key.slot)}`;
  return `${text}}`;
}

/** The order in results of issues of one pass and phase: by their target's and source's paths. */
function compareTypes(a: Issue, b: Issue, analysis: Pick<Analysis, 'model'>): number {
  const [one, other] = [typesOf(a, analysis), typesOf(b, analysis)];
  return compareText(one.target, other.target) || compareText(one.source, other.source);
}

/** Issues by pass, phase (in the order of `rows`), target and source. */
function* issuesInOrder(analysis: Pick<Analysis, 'model' | 'issues'>, rows: Uint32Array): Generator<Issue> {
  const passes = new Set(analysis.issues.map(({ pass }) => pass));
  for (const pass of [...passes].sort()) {
    const byPhase = new Map<number, Issue[]>();
    for (const issue of analysis.issues) {
      if (issue.pass !== pass) continue;
      const own = byPhase.get(issue.phase);
      if (own === undefined) byPhase.set(issue.phase, [issue]);
      else own.push(issue);
    }
    for (const row of rows) yield* byPhase.get(row)?.sort((a, b) => compareTypes(a, b, analysis)) ?? [];
  }
}

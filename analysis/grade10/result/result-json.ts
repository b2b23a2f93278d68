import { assertNever } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import type { Analysis } from '../analyse-phases.ts';
import type { Issue } from '../issues/issue-rule.ts';
import { isLeaf, phasePath } from '../model/phases.ts';
import { profileOf, typesUsed, usedMetrics } from '../model/uses.ts';
import { issuesInOrder } from './issue-order.ts';
import { listed, numberList, runLengths } from './json-text.ts';
import { objectText, rowsInOrder, sortedKeys } from './sorted-keys.ts';

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
export function* resultJson(
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

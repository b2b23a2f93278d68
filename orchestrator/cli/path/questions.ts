import type { Activities, Slice } from '../../../analysis/path/activities.ts';
import { type ActivityGraph, activityGraph } from '../../../analysis/path/graph/activity-graph.ts';
import { explainNear, lengthIf, type NearResult } from '../../../analysis/path/graph/explain-graph.ts';
import type { Change } from '../../../analysis/path/what-if.ts';
import { parseNumber } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { joinWords, shortened } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import { given } from '../flags.ts';
import { left, print, printTable, right } from '../print.ts';
import type { PathFlags } from './path-flags.ts';
import { LISTED, percent, time } from './print-path.ts';
import { parseChange, type WhatIfAnswer } from './what-if-command.ts';

/** What the whole graph of a trace says beside its path, if it was asked for; times in ns. */
interface PathAnswers extends Partial<NearResult> {
  readonly whatIf?: WhatIfAnswer;
}

/** Answers `--near` and `--what-if`. Errors: badInput for a key that nothing has, and for a cycle. */
export function pathAnswers(activities: Activities, slices: readonly Slice[], flags: PathFlags): PathAnswers {
  const share = given(flags.near, (text) => parseNumber(text, '--near') / 100);
  const changes = flags.whatIf?.map((text) => parseChange(text));
  if (share === undefined && changes === undefined) return {};
  if (share !== undefined && slices.length > 1) {
    throw badInput(`--near is of one path, but ${slices.length} parts of the run are explained: add --whole.`);
  }
  const graphs = slices.map((slice) => activityGraph(activities, slice));
  const [first] = graphs;
  return {
    ...(share === undefined || first === undefined ? {} : explainNear(activities, first, share)),
    ...(changes === undefined ? {} : { whatIf: changed(activities, graphs, changes) }),
  };
}

function changed(activities: Activities, graphs: readonly ActivityGraph[], changes: readonly Change[]): WhatIfAnswer {
  const found = graphs.map((one) => lengthIf(activities, one, changes));
  const [some = [], ...others] = found.map(({ unknownKeys }) => unknownKeys);
  const unknown = some.find((key) => others.every((keys) => keys.includes(key)));
  if (unknown !== undefined) {
    const known = activities.names.filter((name) => name !== '').slice(0, 5);
    throw badInput(
      `--what-if: '${shortened(unknown)}' is unknown: use a name such as ${[...known, 'transfer'].join(', ')}, or a kind.`,
    );
  }
  const sum = (each: readonly { readonly lengthNs: number }[]): number =>
    each.reduce((total, { lengthNs }) => total + lengthNs, 0);
  const [beforeNs, afterNs] = [sum(graphs.map((one) => lengthIf(activities, one, []))), sum(found)];
  const said = joinWords(changes.map(({ key, factor }) => `${key} lasted ${factor} times as long`));
  const sentence = `If ${said}, the trace would last ${formatSeconds(afterNs / 1e9)} instead of ${formatSeconds(beforeNs / 1e9)}.`;
  return { changes, beforeNs, afterNs, savedNs: beforeNs - afterNs, sentences: [sentence] };
}

export function printPathAnswers({ nearCritical, criticalPaths, participation, whatIf }: PathAnswers): void {
  if (nearCritical !== undefined) {
    const paths = criticalPaths === 1 ? 'path' : 'paths';
    print(`\n${criticalPaths ?? 'More than 1e308'} longest ${paths}; activities with little slack:`);
    printTable(nearCritical.slice(0, LISTED), [
      right('slack', ({ slackNs }) => time(slackNs)),
      right('lasts', ({ startNs, endNs }) => time(endNs - startNs)),
      right('in paths', (near) => percent(near.participation, 1)),
      right('of their time', ({ weight }) => percent(weight, 1)),
      left('worker', ({ worker }) => worker),
      left('what', ({ key }) => key),
    ]);
  }
  if (participation !== undefined) printParticipation(participation);
  for (const sentence of whatIf?.sentences ?? []) print(`\n${sentence}`);
}

/** SnailTrail's tables: of the time of all longest paths, by name, worker and kind. */
function printParticipation({ byOperator, byWorker, byKind }: NearResult['participation']): void {
  if (Object.keys(byKind).length === 0) return;
  print('\nThe time of all longest paths together (critical participation):');
  const sums = { 'by name': byOperator, 'by worker': byWorker, 'by kind': byKind };
  for (const [title, parts] of Object.entries(sums)) {
    printTable(Object.entries(parts).slice(0, LISTED), [
      right('share', ([, share]) => percent(share, 1)),
      left(title, ([name]) => name),
    ]);
  }
}

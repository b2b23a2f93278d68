import type { Activities, Slice } from '../../../analysis/path/activities.ts';
import type { ReadActivities } from '../../../analysis/path/formats/activity-builder.ts';
import { type ActivityGraph, activityGraph } from '../../../analysis/path/graph/activity-graph.ts';
import { explainNear, lengthIf, type NearResult } from '../../../analysis/path/graph/explain-graph.ts';
import {
  explainProperties,
  explainSlice,
  explainTogether,
  explainWaits,
  type SliceResult,
} from '../../../analysis/path/graph/explain-slices.ts';
import { slicesOf, wholeSlice } from '../../../analysis/path/graph/segment.ts';
import type { Change } from '../../../analysis/path/what-if.ts';
import { parseCount, parseNumber, parseSeconds } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { joinWords, shortened } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import { given } from '../flags.ts';
import { jsonPieces, left, print, printPieces, printTable, right } from '../print.ts';
import { type PathFlags, rejectFlags } from './path-flags.ts';
import {
  counted,
  LISTED,
  largestParts,
  type NamedPart,
  percent,
  printParts,
  problemNotes,
  time,
} from './print-path.ts';
import { checkOut, savePathTrace, saveSteps } from './save-path.ts';
import { parseChange, type WhatIfAnswer } from './what-if-command.ts';

/** What is said of a trace; times in ns, from `originNs` where there is one. */
interface ActivitiesResult {
  readonly properties: Partial<ReturnType<typeof explainProperties>>;
  /** The whole trace, then its parts. */
  readonly slices: readonly SliceResult[];
  readonly waits: ReturnType<typeof explainWaits>;
}

/** The critical paths of a trace of another format than Timely's. */
export async function pathOfTrace(format: string, read: ReadActivities, flags: PathFlags): Promise<void> {
  const why = `Timely traces, but this one has the format ${format}: leave it out`;
  rejectFlags(flags, ['follow', 'skew', 'waitFrom', 'saveColumns'], why);
  await sayActivities(read, { flags });
}

/** Says what activities hold; `stretches` are what counts, by default all of it, `more` goes before it in JSON. */
export async function sayActivities(
  { activities, problems, originNs }: ReadActivities,
  {
    flags,
    stretches = [wholeSlice(activities)],
    more = {},
  }: {
    readonly flags: PathFlags;
    readonly stretches?: readonly Slice[];
    readonly more?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  checkOut(flags.out);
  const lengthNs = given(flags.slice, (text) => Math.round(parseSeconds(text, '--slice') * 1e9));
  const hops = given(flags.before, (text) => parseCount(text, '--before')) ?? 1;
  const parts = lengthNs === undefined ? [] : stretches.flatMap((one) => slicesOf(one, lengthNs));
  const answered = pathAnswers(activities, stretches, flags);
  const result: ActivitiesResult = {
    properties: explainProperties(activities, stretches),
    slices: [explainTogether(activities, stretches), ...parts.map((slice) => explainSlice(activities, slice))],
    waits: explainWaits(activities, { slices: stretches, hops, ...(flags.json ? {} : { most: LISTED }) }),
  };
  if (flags.json) {
    const origin = originNs === 0n ? {} : { originNs: String(originNs) };
    await printPieces(
      jsonPieces({ ...more, workers: activities.workers, ...origin, ...result, ...answered, problems }),
    );
  } else {
    problemNotes(problems);
    printActivities(result, stretches);
    printPathAnswers(answered);
  }
  await savePathTrace(
    flags.trace,
    stretches.map((slice) => ({ activities, slice })),
  );
  await saveSteps(flags.out, activities, [...stretches, ...parts]);
}

/** A trace's critical path in words: what its time went to, each slice in a line, waits. */
function printActivities(
  { properties, slices, waits }: ActivitiesResult,
  stretches: readonly { readonly startNs: number; readonly endNs: number }[],
): void {
  const [whole, ...parts] = slices;
  if (whole === undefined) return;
  const { lengthNs, byOperator, byWorker, byPair, imbalanceNs } = whole;
  const ns = stretches.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
  print(`The critical path: ${time(lengthNs)} of ${time(ns)}, ${counted(whole.hops, 'transfer')}.`);
  if (whole.broken !== null)
    print(`It ends at ${whole.broken.atNs} ns, where property ${whole.broken.property} does not hold.`);
  const imbalance = right<NamedPart>('imbalance', ([key]) => time(imbalanceNs[key] ?? 0));
  printParts(Object.entries(byOperator), { title: 'of the path', wholeNs: lengthNs, more: [imbalance] });
  printParts(Object.entries(byWorker), { title: 'on', wholeNs: lengthNs });
  const pairs = Object.entries(byPair).filter(([, ns]) => ns > 0);
  if (pairs.length > 0) printParts(pairs, { title: 'on its way', wholeNs: lengthNs });
  for (const [property, { violations, at }] of Object.entries(properties)) {
    if (violations > 0)
      print(`\nProperty ${property} does not hold ${counted(violations, 'time')}, first at ${JSON.stringify(at[0])}.`);
  }
  if (parts.length > 0) {
    print('');
    printTable(parts, [
      right('from', ({ startNs }) => time(startNs - whole.startNs)),
      right('length', (part) => time(part.lengthNs)),
      right('transfers', ({ hops }) => hops),
      left('mostly in', (part) => largestParts(Object.entries(part.byOperator), part.lengthNs)),
      left('mostly on', (part) => largestParts(Object.entries(part.byWorker), part.lengthNs)),
    ]);
  }
  if (waits.length === 0) return;
  print('\nThe longest waits:');
  printTable(waits.slice(0, LISTED), [
    right('wait', ({ startNs, endNs }) => time(endNs - startNs)),
    left('worker', ({ worker }) => worker),
    left('for', ({ before }) => {
      const step = before.findLast(({ to }) => to !== null);
      return step === undefined ? 'no known cause' : `${step.key} from ${step.worker}`;
    }),
  ]);
}

/** What the whole graph of a trace says beside its path, if it was asked for; times in ns. */
interface PathAnswers extends Partial<NearResult> {
  readonly whatIf?: WhatIfAnswer;
}

/** Answers `--near` and `--what-if`. Errors: badInput for a key that nothing has, and for a cycle. */
function pathAnswers(activities: Activities, slices: readonly Slice[], flags: PathFlags): PathAnswers {
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

function printPathAnswers({ nearCritical, criticalPaths, participation, whatIf }: PathAnswers): void {
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

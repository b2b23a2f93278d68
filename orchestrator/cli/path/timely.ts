import { basename } from 'node:path';
import {
  analyseTimely,
  criticalPath,
  explainSlice,
  explainWaits,
  FollowedTrace,
  followBytes,
  formalCheck,
  formalGraph,
  openBytes,
  profilePath,
  referenceSlice,
  referenceSummary,
  type Slice,
  slicesOf,
  type TimelyAnalysis,
  type TimelyTrace,
  type TraceOptions,
  waitsOf,
  wholeSlice,
} from '../../../analysis/path/index.ts';
import { badInput, joinWords, parseCount, parseSeconds, shortened } from '../../../base/index.ts';
import { writeFileWhole } from '../../../experiments/store/whole.ts';
import { given } from '../flags.ts';
import { untilStopped } from '../interrupt.ts';
import { left, print, printExactly, printPieces, printTable, right } from '../print.ts';
import type { PathFlags } from './flags.ts';
import { jsonPieces } from './json-pieces.ts';
import { counted, LISTED, largestParts, percent, printActivities, problemNotes, time } from './print-path.ts';
import { pathAnswers, printPathAnswers } from './questions.ts';
import { checkOut, savePathTrace, saveSteps } from './save-path.ts';

/** Without `--slice` a result has the whole trace and so many equal parts of it. */
const EQUAL_PARTS = 10;
/** The explicit graph of more activities and messages than this is not made: it takes more memory than all else together. */
const MOST_CHECKED = 1_000_000;
const FOLLOWED_SLICE_NS = 1e9;

/** A trace of Timely dataflow. */
export const TIMELY = {
  say: pathOfTimely,
  read: async (path: string, flags: PathFlags) => await analyseTimely(openBytes(path), optionsOf(flags)),
};

/** A Timely trace: its critical path, waits and slices. False where the file is no such trace. */
async function pathOfTimely(path: string, flags: PathFlags): Promise<boolean> {
  const options = optionsOf(flags);
  checkOut(flags.out);
  const sliceNs = given(flags.slice, (text) => Math.round(parseSeconds(text, '--slice') * 1e9));
  if (flags.follow === true) {
    await follow(path, { ...options, sliceNs: sliceNs ?? FOLLOWED_SLICE_NS, json: flags.json === true });
    return true;
  }
  const analysis = await analyseTimely(openBytes(path), { ...options, saves: flags.saveColumns !== undefined });
  if (analysis === null) return false;
  checkSkew(options, analysis.trace);
  if (flags.saveColumns !== undefined) await saveColumns(flags.saveColumns, analysis);
  const slices = slicesToShow(analysis, sliceNs);
  const whole = wholeSlice(analysis.activities);
  const hops = given(flags.before, (text) => parseCount(text, '--before'));
  const preceded =
    hops === undefined
      ? null
      : explainWaits(analysis.activities, flags.json === true ? { hops } : { hops, most: LISTED });
  const answered = pathAnswers(analysis.activities, whole, flags);
  if (flags.json === true) {
    await printPieces(
      jsonPieces({
        ...timelyJson(analysis, { slices, name: basename(path) }),
        ...answered,
        ...(preceded === null ? {} : { preceded }),
      }),
    );
  } else {
    say(analysis, { slices: sliceNs === undefined ? [whole] : slices, waits: preceded ?? [] });
    printPathAnswers(answered);
  }
  await savePathTrace(flags.trace, analysis.activities, whole);
  await saveSteps(flags.out, analysis.activities, slices);
  return true;
}

function optionsOf({ skew = [], waitFrom = 'op' }: PathFlags): TraceOptions {
  if (waitFrom !== 'op' && waitFrom !== 'gap') {
    throw badInput(`--wait-from: '${shortened(waitFrom)}' is unknown: write op or gap.`);
  }
  const pairs = skew.map((text): [number, number] => {
    const found = /^(\d{1,5})=([-+]?\d{1,15})$/.exec(text);
    if (found === null) throw badInput(`--skew: '${shortened(text)}' is not PROCESS=NS: write for example 1=25000.`);
    return [Number(found[1]), Number(found[2])];
  });
  const twice = pairs.find(([process], index) => pairs.findIndex(([other]) => other === process) < index);
  if (twice !== undefined) throw badInput(`--skew: process ${twice[0]} is given twice: choose one.`);
  return { skew: new Map(pairs), waitFrom };
}

/** Errors: badInput for the skew of a process that a trace does not name. */
function checkSkew({ skew }: TraceOptions, trace: TimelyTrace): void {
  const named = trace.processes();
  const unknown = [...skew].find(([process, ns]) => ns !== 0 && !named.includes(process));
  if (unknown === undefined) return;
  const known = named.length === 0 ? 'none, because nothing in it uses a network' : joinWords(named);
  throw badInput(`--skew: the trace does not name process ${unknown[0]} (of processes it names ${known}): correct it.`);
}

/** The whole trace, then its parts. */
function slicesToShow({ activities }: TimelyAnalysis, sliceNs: number | undefined): readonly Slice[] {
  const whole = wholeSlice(activities);
  if (sliceNs !== undefined) return [whole, ...slicesOf(whole, sliceNs)];
  const border = (part: number): number =>
    whole.startNs + Math.floor(((whole.endNs - whole.startNs) * part) / EQUAL_PARTS);
  const parts = Array.from({ length: EQUAL_PARTS }, (_, part) => ({ startNs: border(part), endNs: border(part + 1) }));
  return [whole, ...parts.filter(({ startNs, endNs }) => startNs < endNs)];
}

/** All keys of the reference outputs, and those that every source of activities has. */
export function timelyJson(
  analysis: TimelyAnalysis,
  { slices, name }: { readonly slices: readonly Slice[]; readonly name: string },
): Readonly<Record<string, unknown>> {
  const { activities, problems } = analysis;
  const isChecked = activities.work.startNs.length + activities.transfers.startNs.length <= MOST_CHECKED;
  const began = performance.now();
  const said = slices.map((slice) => sliceJson(activities, slice));
  const pathsSeconds = (performance.now() - began) / 1000;
  const summary = referenceSummary(analysis, { name, pathsSeconds });
  return {
    ...summary,
    problem_lines: Object.fromEntries(problems.map(({ kind, lines }) => [kind, lines])),
    slices: said,
    ...(isChecked
      ? { formal_check: slices.map((slice) => formalCheck(activities, slice)), formal_graph: formalGraph(activities) }
      : { formal_check: [], formal_graph: null }),
  };
}

function sliceJson(activities: TimelyAnalysis['activities'], slice: Slice): Readonly<Record<string, unknown>> {
  const path = criticalPath(activities, slice);
  const { byKind, byName, byWorker, byPair } = profilePath(activities, path);
  return {
    ...referenceSlice(activities, slice, path),
    startNs: slice.startNs,
    endNs: slice.endNs,
    lengthNs: path.lengthNs,
    profileNs: byKind,
    byOperator: byName,
    byWorker,
    byPair,
    broken: path.broken,
  };
}

async function saveColumns(path: string, { columns }: TimelyAnalysis): Promise<void> {
  if (columns === null)
    throw badInput(`--save-columns: the trace is already stored in columns: copy it to ${shortened(path)}.`);
  await writeFileWhole(path, Buffer.concat([...columns]));
}

function say(
  { activities, problems, trace, lines }: TimelyAnalysis,
  { slices, waits }: { readonly slices: readonly Slice[]; readonly waits: ReturnType<typeof explainWaits> },
): void {
  problemNotes(problems);
  print(`${counted(activities.workers.length, 'worker')}, ${counted(lines, 'event')}.`);
  printActivities({ properties: {}, slices: slices.map((slice) => explainSlice(activities, slice)), waits });
  print('');
  const waited = waitsOf(trace);
  const share = (worker: number, isForMessage: boolean): string => {
    const own = waited.filter((wait) => wait.worker === worker && (wait.cause !== null) === isForMessage);
    const ns = own.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
    return percent(ns, (activities.goneNs[worker] ?? 0) - (activities.bornNs[worker] ?? 0));
  };
  printTable(
    [...activities.workers.keys()],
    [
      left('worker', (worker) => activities.workers[worker] ?? ''),
      right('waited for messages', (worker) => share(worker, true)),
      right('for input', (worker) => share(worker, false)),
    ],
  );
}

async function follow(
  path: string,
  { json, ...options }: TraceOptions & { readonly sliceNs: number; readonly json: boolean },
): Promise<void> {
  const followed = new FollowedTrace(options);
  await untilStopped(async (signal) => {
    for await (const { piece, isAll } of followBytes(path, signal)) {
      for (const { slice, activities } of followed.feed(piece, { isAll })) sayComplete(activities, slice, json);
      if (followed.trace.isOther) {
        throw badInput(`--follow: ${shortened(path)} is not a Timely trace: no line so far is a Timely event.`);
      }
    }
  });
  for (const { slice, activities } of followed.finish()) sayComplete(activities, slice, json);
  checkSkew(options, followed.trace);
  if (json) printExactly(JSON.stringify({ problems: followed.problems() }));
  else problemNotes(followed.problems());
}

/** A line each, so that a program may read them one by one. */
function sayComplete(activities: TimelyAnalysis['activities'], slice: Slice, json: boolean): void {
  if (json) {
    printExactly(JSON.stringify(sliceJson(activities, slice)));
    return;
  }
  const { startNs, endNs, hops, byOperator, lengthNs } = explainSlice(activities, slice);
  const most = largestParts(Object.entries(byOperator), lengthNs);
  print(`${time(startNs)} to ${time(endNs)}, ${counted(hops, 'message')} on the path: ${most}`);
}

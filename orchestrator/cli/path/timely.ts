import type { Activities, Slice } from '../../../analysis/path/activities.ts';
import { followBytes, openBytes } from '../../../analysis/path/formats/open-bytes.ts';
import { explainSlice } from '../../../analysis/path/graph/explain-slices.ts';
import { analyseTimely, type TimelyAnalysis } from '../../../analysis/path/timely/analyse-timely.ts';
import { FollowedTrace } from '../../../analysis/path/timely/follow.ts';
import type { TimelyTrace, TraceOptions } from '../../../analysis/path/timely/timely-trace.ts';
import { type TimelyWait, waitsOf } from '../../../analysis/path/timely/timely-waits.ts';
import { parseSeconds } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { joinWords, shortened } from '../../../base/text.ts';
import { writeFileWhole } from '../../../experiments/store/whole.ts';
import { given } from '../flags.ts';
import { untilStopped } from '../interrupt.ts';
import { left, print, printExactly, printTable, right } from '../print.ts';
import type { PathFlags } from './path-flags.ts';
import { sayActivities } from './path-of-activities.ts';
import { counted, largestParts, percent, problemNotes, time } from './print-path.ts';
import { checkOut } from './save-path.ts';

const FOLLOWED_SLICE_NS = 1e9;

/** A trace of Timely dataflow. */
export const TIMELY = {
  say: pathOfTimely,
  read: async (path: string, flags: PathFlags) => await readTimely(path, timelyOptions(flags)),
};

/** A Timely trace: its critical path, waits and slices. False where the file is no such trace. */
async function pathOfTimely(path: string, flags: PathFlags): Promise<boolean> {
  const options = timelyOptions(flags);
  checkOut(flags.out);
  if (flags.follow === true) {
    const sliceNs = given(flags.slice, (text) => Math.round(parseSeconds(text, '--slice') * 1e9)) ?? FOLLOWED_SLICE_NS;
    await follow(path, { ...options, sliceNs, json: flags.json === true });
    return true;
  }
  const analysis = await readTimely(path, { ...options, saves: flags.saveColumns !== undefined });
  if (analysis === null) return false;
  if (flags.saveColumns !== undefined) await saveColumns(flags.saveColumns, analysis);
  const { activities, trace, lines } = analysis;
  const causes = waitsOf(trace);
  if (!flags.json) print(`${counted(activities.workers.length, 'worker')}, ${counted(lines, 'event')}.`);
  const counts = trace.traced().map(({ log }) => log.counts);
  const executions = {
    active: counts.reduce((sum, { active }) => sum + active, 0),
    idle: counts.reduce((sum, { idle }) => sum + idle, 0),
  };
  const more = { events: trace.eventCounts(), executions, messages: trace.joins.counts, waitCauses: causes };
  await sayActivities(analysis, { flags, more: flags.json ? more : {} });
  if (!flags.json) printWaited(activities, causes);
  return true;
}

/** A Timely trace, analysed; null where the file is no such trace. Errors: badInput for the skew of a process that it does not name. */
export async function readTimely(
  path: string,
  options: TraceOptions & { readonly saves?: boolean },
): Promise<TimelyAnalysis | null> {
  const analysis = await analyseTimely(openBytes(path), options);
  if (analysis !== null) checkSkew(options, analysis.trace);
  return analysis;
}

/** What flags say of the clocks and waits of a trace. */
export function timelyOptions({ skew = [], waitFrom = 'op' }: PathFlags): TraceOptions {
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

async function saveColumns(path: string, { columns }: TimelyAnalysis): Promise<void> {
  if (columns === null)
    throw badInput(`--save-columns: the trace is already stored in columns: copy it to ${shortened(path)}.`);
  await writeFileWhole(path, Buffer.concat([...columns]));
}

/** The shares of its time that each worker waited. */
function printWaited({ workers, bornNs, goneNs }: Activities, waits: readonly TimelyWait[]): void {
  const share = (worker: number, isForMessage: boolean): string => {
    const own = waits.filter((wait) => wait.worker === worker && (wait.cause !== null) === isForMessage);
    const ns = own.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
    return percent(ns, (goneNs[worker] ?? 0) - (bornNs[worker] ?? 0));
  };
  print('');
  printTable(
    [...workers.keys()],
    [
      left('worker', (worker) => workers[worker] ?? ''),
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
      if (followed.isOther) {
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
function sayComplete(activities: Activities, slice: Slice, json: boolean): void {
  if (json) {
    printExactly(JSON.stringify(explainSlice(activities, slice)));
    return;
  }
  const { startNs, endNs, hops, byOperator, lengthNs } = explainSlice(activities, slice);
  const most = largestParts(Object.entries(byOperator), lengthNs);
  print(`${time(startNs)} to ${time(endNs)}, ${counted(hops, 'message')} on the path: ${most}`);
}

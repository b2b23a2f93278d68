import { basename } from 'node:path';
import type { Slice } from '../../../analysis/path/activities.ts';
import { criticalPath } from '../../../analysis/path/graph/critical-path.ts';
import { profilePath } from '../../../analysis/path/graph/profile-path.ts';
import { slicesOf, wholeSlice } from '../../../analysis/path/graph/segment.ts';
import type { TimelyAnalysis } from '../../../analysis/path/timely/analyse-timely.ts';
import { toActivities } from '../../../analysis/path/timely/to-activities.ts';
import { WaitAnalysis } from '../../../analysis/path/timely/wait-analysis.ts';
import { parseSeconds } from '../../../base/bounds.ts';
import { given } from '../../../orchestrator/cli/flags.ts';
import type { PathFlags } from '../../../orchestrator/cli/path/path-flags.ts';
import { readTimely, timelyOptions } from '../../../orchestrator/cli/path/timely.ts';
import { jsonPieces, printPieces } from '../../../orchestrator/cli/print.ts';
import {
  formalCheck,
  formalGraph,
  type ReferenceSeconds,
  referenceSlice,
  referenceSummary,
} from './timely-reference.ts';

/** Without `--slice` a result has the whole trace and so many equal parts of it. */
const EQUAL_PARTS = 10;
/** The explicit graph of more activities and messages than this is not made: it takes more memory than all else together. */
const MOST_CHECKED = 1_000_000;

/** A Timely trace in the words of its reference; false where the file is no such trace. */
export async function printTimelyCase(path: string, flags: PathFlags): Promise<boolean> {
  const waits = timeWaits();
  const began = performance.now();
  const analysis = await readTimely(path, timelyOptions(flags));
  const all = (performance.now() - began) / 1000;
  if (analysis === null) return false;
  // Once more, for the time that it takes.
  const [, order] = timed(() => toActivities(analysis.trace));
  const sliceNs = given(flags.slice, (text) => Math.round(parseSeconds(text, '--slice') * 1e9));
  const slices = slicesToShow(analysis, sliceNs);
  const seconds = { read: all - order, order, waits: waits() };
  await printPieces(jsonPieces(timelyCaseResult(analysis, { slices, name: basename(path), seconds })));
  return true;
}

/** All keys of the reference outputs, and those that every trace has. */
export function timelyCaseResult(
  analysis: TimelyAnalysis,
  {
    slices,
    name,
    seconds,
  }: { readonly slices: readonly Slice[]; readonly name: string; readonly seconds: Omit<ReferenceSeconds, 'paths'> },
): Readonly<Record<string, unknown>> {
  const { activities, problems } = analysis;
  const isChecked = activities.work.startNs.length + activities.transfers.startNs.length <= MOST_CHECKED;
  const [said, paths] = timed(() => slices.map((slice) => sliceResult(activities, slice)));
  return {
    ...referenceSummary(analysis, { name, seconds: { ...seconds, paths } }),
    problem_lines: Object.fromEntries(problems.map(({ kind, lines }) => [kind, lines])),
    slices: said,
    ...(isChecked
      ? { formal_check: slices.map((slice) => formalCheck(activities, slice)), formal_graph: formalGraph(activities) }
      : { formal_check: [], formal_graph: null }),
  };
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

function sliceResult(activities: TimelyAnalysis['activities'], slice: Slice): Readonly<Record<string, unknown>> {
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

function timed<T>(task: () => T): readonly [result: T, seconds: number] {
  const began = performance.now();
  return [task(), (performance.now() - began) / 1000];
}

/** From here on, what deciding waits takes; the answer says how much it was, s. */
function timeWaits(): () => number {
  const { settle } = WaitAnalysis.prototype;
  let sum = 0;
  WaitAnalysis.prototype.settle = function timedSettle(horizon) {
    const [, seconds] = timed(() => settle.call(this, horizon));
    sum += seconds;
  };
  return () => sum;
}

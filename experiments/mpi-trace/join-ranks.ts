import { PredictError } from '../../base/errors.ts';
import { countCalls, formatSpans, MESSAGE_BYTES, type RankFile, readRankFile, SPAN_HEADER } from './spans.ts';

/** What all ranks of a run recorded, as the neutral trace (experiments/trace.ts). */
export interface MpiTrace {
  /** CSV; empty where no rank left anything. */
  readonly phases: string;
  readonly messages: string;
  /** Counts for the record of the run. */
  readonly summary: Readonly<Record<string, number>>;
  /** How many calls of each name the rank made that made the most; those that share a record are not among them. */
  readonly mostCalls: ReadonlyMap<string, number>;
  /** What is missing, in sentences. */
  readonly warnings: readonly string[];
}

/** Joins the files `rank-N.calls` and `rank-N.messages` of every rank. A file that is none of these is left out, and said. */
export function mpiTrace(contents: ReadonlyMap<string, Buffer>): MpiTrace {
  const damaged: string[] = [];
  const orNone = <T>(read: () => T): T[] => {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof PredictError)) throw error;
      damaged.push(error.message);
      return [];
    }
  };
  const files = [...contents].flatMap(([path, content]) => orNone(() => readRankFile(path, content)));
  const inOrder = files.sort((a, b) => a.rank - b.rank);
  const [calls, messages] = [
    inOrder.filter(({ kind }) => kind === 'calls'),
    inOrder.filter(({ kind }) => kind === 'messages'),
  ];
  const spans = calls.flatMap((file) => orNone(() => formatSpans(file))).flat();
  const { lines, unmatched } = messagesOf(messages);
  const sum = (of: (file: RankFile) => number, all = files): number => all.reduce((total, file) => total + of(file), 0);
  const ranks = calls[0]?.ranks ?? 0;
  const unrecorded = sum((file) => file.unrecorded);
  const killed = calls.filter(({ endNs }) => endNs === 0n);
  const inCalls = killed.flatMap(({ rank, open }) => (open === null ? [] : [`rank ${rank} in ${open.name}`]));
  return {
    phases: spans.length === 0 ? '' : `${[SPAN_HEADER, ...spans].join('\n')}\n`,
    messages: lines.length === 0 ? '' : `${[MESSAGE_HEADER, ...lines].join('\n')}\n`,
    summary: {
      trace_ranks: calls.length,
      trace_calls: sum(({ count }) => count, calls),
      trace_merged: sum(({ merged }) => merged, calls),
      trace_unrecorded: unrecorded,
      trace_unmatched: unmatched,
    },
    mostCalls: mostCalls(calls),
    warnings: [
      ...damaged,
      ...(calls.length < ranks ? [`Only ${calls.length} of ${ranks} ranks recorded their MPI calls.`] : []),
      ...(unrecorded > 0 ? [`The trace had no room for ${unrecorded} events.`] : []),
      ...(unmatched > 0 ? [`${unmatched} sends or receives have no counterpart in the trace.`] : []),
      ...(killed.length > 0
        ? [
            `${killed.length} ranks were ended before they left MPI${inCalls.length > 0 ? ` (${inCalls.slice(0, 5).join(', ')})` : ''}.`,
          ]
        : []),
    ],
  };
}

function mostCalls(files: readonly RankFile[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const file of files) {
    for (const [name, count] of countCalls(file)) most.set(name, Math.max(most.get(name) ?? 0, count));
  }
  return most;
}

/**
 * How many iterations a run had that make one call of a name each, for its record (`timed_iterations`): as many as the rank made that made
 * the most. Without any they stay unknown, which is said; so is that calls which share a record are not counted.
 */
export function countIterations(
  { mostCalls: calls, summary }: Pick<MpiTrace, 'mostCalls' | 'summary'>,
  call: string,
): Pick<MpiTrace, 'summary' | 'warnings'> {
  const count = calls.get(call) ?? 0;
  if (count === 0) {
    const warning = `No rank recorded ${call}, so it is unknown of how many iterations a printed time is the mean: correct time.of in the workload.`;
    return { summary: {}, warnings: [warning] };
  }
  const merged = summary.trace_merged ?? 0;
  const warning = `${merged} short MPI calls share records, so there may be more iterations than the ${count} counted by ${call}: give time.of a number.`;
  return { summary: { timed_iterations: count }, warnings: merged > 0 ? [warning] : [] };
}

const MESSAGE_HEADER = 'worker,kind,t_ns,peer,bytes,id,done_ns,waited_ns,posted_ns';
const SEND = 1;

interface End {
  readonly file: RankFile;
  readonly at: number;
  readonly order: number;
}

/**
 * The messages of all ranks as lines of CSV, each end with the number of its message: of one communicator, sender, receiver and
 * tag the n-th send is the n-th receive in the order of posting (MPI 3.1, section 3.5). `unmatched`: ends without another.
 */
function messagesOf(files: readonly RankFile[]): { readonly lines: string[]; readonly unmatched: number } {
  const channels = new Map<string, { readonly sends: End[]; readonly receives: End[] }>();
  for (const file of files) {
    const { records, rank } = file;
    for (let at = 0; at < file.count * MESSAGE_BYTES; at += MESSAGE_BYTES) {
      const peer = records.getInt32(at + 44, true);
      const isSend = records.getUint32(at + 52, true) === SEND;
      const way = isSend ? `${rank}>${peer}` : `${peer}>${rank}`;
      const key = `${records.getBigUint64(at + 32, true)}:${way}:${records.getInt32(at + 48, true)}`;
      const channel = channels.get(key) ?? { sends: [], receives: [] };
      channels.set(key, channel);
      (isSend ? channel.sends : channel.receives).push({ file, at, order: records.getUint32(at + 40, true) });
    }
  }
  const lines: string[] = [];
  let [id, unmatched] = [0, 0];
  for (const { sends, receives } of channels.values()) {
    for (const ends of [sends, receives]) {
      ends.sort((a, b) => a.order - b.order);
      for (const [index, end] of ends.entries()) lines.push(lineOf(end, id + index));
    }
    id += Math.max(sends.length, receives.length);
    unmatched += Math.abs(sends.length - receives.length);
  }
  return { lines, unmatched };
}

function lineOf({ file: { records, rank }, at }: End, id: number): string {
  const isSend = records.getUint32(at + 52, true) === SEND;
  const [timeNs, otherNs] = [records.getBigInt64(at, true), records.getBigInt64(at + 8, true)];
  const waitedNs = records.getBigInt64(at + 16, true);
  const bytes = records.getBigInt64(at + 24, true);
  const done = isSend && otherNs > 0n ? otherNs : '';
  return `${rank},${isSend ? 'send' : 'receive'},${timeNs},${records.getInt32(at + 44, true)},${bytes},${id},${done},${waitedNs},${isSend ? '' : otherNs}`;
}

import { badInput } from '../../base/errors.ts';
import { CALL_BYTES, type RankFile } from './read-file.ts';

/** What a rank does between two calls of MPI. */
export const COMPUTE = 'compute';
/** Calls that share a record. */
export const SHORT_CALLS = 'short MPI calls';

const MERGED = 1;
const POLLED = 2;
const FOUND = 4;

export const SPAN_HEADER =
  'worker,phase,start_ns,end_ns,bytes_sent,asleep_ns,queued_ns,stretch,thread,comm,turn,peer,calls,found';

/** Spans that begin within so long are one stretch for models that know no single calls. */
const STRETCH_NS = 10_000_000n;

interface Span {
  readonly phase: string;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly queuedNs: bigint;
  readonly thread: number;
  /** What only calls have. */
  readonly bytes?: bigint;
  readonly keys?: string;
}

/** Those of a call in which nobody waits for others. */
const WITHOUT_WAITING = /^MPI_(File_\w+|Init(_thread)?|Finalize)$/;

/**
 * The spans of a rank as lines of CSV, thread by thread: from the start of the rank to its end without a gap, of other threads
 * from their first call to their last. Errors: badInput where a call ends before it starts.
 */
export function formatSpans(file: RankFile): string[] {
  const lines: string[] = [];
  const { records, rank, names } = file;
  const add = ({ phase, startNs, endNs, queuedNs, thread, bytes, keys = ',,,,' }: Span): void => {
    const waits = bytes !== undefined && !WITHOUT_WAITING.test(phase);
    const asleep = waits ? largest(0n, endNs - startNs - queuedNs) : '';
    const stretch = thread === 0 ? (startNs - file.beginNs) / STRETCH_NS : '';
    const times = `${startNs},${endNs},${bytes ?? ''},${asleep},${queuedNs}`;
    lines.push(`${rank},${phase},${times},${stretch},${thread === 0 ? '' : thread},${keys}`);
  };
  const compute = (span: Omit<Span, 'phase'>): void => {
    if (span.endNs > span.startNs) add({ phase: COMPUTE, ...span });
  };
  const until = new Map<number, bigint>([[0, file.beginNs]]);
  for (let at = 0; at < file.count * CALL_BYTES; at += CALL_BYTES) {
    const [startNs, endNs] = [records.getBigInt64(at, true), records.getBigInt64(at + 8, true)];
    const [thread, flags] = [records.getUint8(at + 62), records.getUint8(at + 63)];
    const fromNs = until.get(thread) ?? startNs;
    if (startNs < fromNs || endNs < startNs) {
      throw badInput(`${file.path}: call ${at / CALL_BYTES + 1} starts before the previous one ends.`);
    }
    compute({ startNs: fromNs, endNs: startNs, queuedNs: records.getBigInt64(at + 24, true), thread });
    const [bytes, queuedNs] = [records.getBigInt64(at + 16, true), records.getBigInt64(at + 32, true)];
    const calls = records.getUint32(at + 56, true);
    if ((flags & MERGED) !== 0) {
      // How much of the stretch was in calls is known, not when: computing comes first.
      const beganNs = endNs - records.getBigInt64(at + 40, true);
      const before = least(queuedNs, beganNs - startNs);
      compute({ startNs, endNs: beganNs, queuedNs: before, thread });
      const keys = `,,,${calls},`;
      add({ phase: SHORT_CALLS, startNs: beganNs, endNs, queuedNs: queuedNs - before, thread, bytes, keys });
    } else {
      const phase = names[records.getUint16(at + 60, true)] ?? 'MPI';
      // One without length is kept: others look there for who came when.
      add({ phase, startNs, endNs, queuedNs, thread, bytes, keys: keysOf(records, at, { flags, calls }) });
    }
    until.set(thread, endNs);
  }
  compute({ startNs: until.get(0) ?? file.beginNs, endNs: file.endNs, queuedNs: 0n, thread: 0 });
  return lines;
}

/** How many calls of each name have a record of their own. */
export function countCalls({ records, names, count }: RankFile): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at < count * CALL_BYTES; at += CALL_BYTES) {
    if ((records.getUint8(at + 63) & MERGED) !== 0) continue;
    const name = names[records.getUint16(at + 60, true)] ?? 'MPI';
    counts.set(name, (counts.get(name) ?? 0) + records.getUint32(at + 56, true));
  }
  return counts;
}

/** comm, turn, peer, calls, found. */
function keysOf(records: DataView, at: number, { flags, calls }: { flags: number; calls: number }): string {
  const [turn, peer] = [records.getUint32(at + 48, true), records.getInt32(at + 52, true)];
  const meeting = turn === 0 ? ',' : `${records.getBigUint64(at + 40, true)},${turn}`;
  const found = (flags & POLLED) === 0 ? '' : (flags & FOUND) === 0 ? 0 : 1;
  return `${meeting},${peer < 0 ? '' : peer},${calls > 1 ? calls : ''},${found}`;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function largest(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

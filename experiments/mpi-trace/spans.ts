import { badInput } from '../../base/index.ts';
import { CALL_BYTES, type RankFile } from './read-file.ts';

/** What a rank does between two calls of MPI. */
export const COMPUTE = 'compute';
/** Calls that share a record. */
export const SHORT_CALLS = 'short MPI calls';

const MERGED = 1;
const POLLED = 2;
const FOUND = 4;

export const SPAN_HEADER = 'worker,phase,start_ns,end_ns,bytes_sent,queued_ns,thread,comm,turn,peer,calls,found';

/**
 * The spans of a rank as lines of CSV, thread by thread: from the start of the rank to its end without a gap, of other threads
 * from their first call to their last. Errors: badInput where a call ends before it starts.
 */
export function spansOf(file: RankFile): string[] {
  const lines: string[] = [];
  const { records, rank, names } = file;
  const until = new Map<number, bigint>([[0, file.beginNs]]);
  for (let at = 0; at < file.count * CALL_BYTES; at += CALL_BYTES) {
    const [startNs, endNs] = [records.getBigInt64(at, true), records.getBigInt64(at + 8, true)];
    const thread = records.getUint8(at + 62);
    const flags = records.getUint8(at + 63);
    const fromNs = until.get(thread) ?? startNs;
    if (startNs < fromNs || endNs < startNs) {
      throw badInput(`${file.path}: call ${at / CALL_BYTES + 1} starts before the one before it ends.`);
    }
    const owner = thread === 0 ? '' : thread;
    const span = (phase: string, from: bigint, to: bigint, rest: string): void => {
      if (to > from) lines.push(`${rank},${phase},${from},${to},${rest}`);
    };
    const queuedNs = records.getBigInt64(at + 32, true);
    span(COMPUTE, fromNs, startNs, `,${records.getBigInt64(at + 24, true)},${owner},,,,,`);
    const bytes = records.getBigInt64(at + 16, true);
    const calls = records.getUint32(at + 56, true);
    if ((flags & MERGED) !== 0) {
      // How much of the stretch was in calls is known, not when: computing comes first.
      const beganNs = endNs - records.getBigInt64(at + 40, true);
      const queuedBefore = least(queuedNs, beganNs - startNs);
      span(COMPUTE, startNs, beganNs, `,${queuedBefore},${owner},,,,,`);
      span(SHORT_CALLS, beganNs, endNs, `${bytes},${queuedNs - queuedBefore},${owner},,,,${calls},`);
    } else {
      const turn = records.getUint32(at + 48, true);
      const peer = records.getInt32(at + 52, true);
      const group = turn === 0 ? '' : records.getBigUint64(at + 40, true);
      const found = (flags & POLLED) === 0 ? '' : (flags & FOUND) === 0 ? 0 : 1;
      const keys = `${owner},${group},${turn === 0 ? '' : turn},${peer < 0 ? '' : peer},${calls > 1 ? calls : ''},${found}`;
      const phase = names[records.getUint16(at + 60, true)] ?? 'MPI';
      // A call without length is where others look for who came when.
      lines.push(`${rank},${phase},${startNs},${endNs},${bytes},${queuedNs},${keys}`);
    }
    until.set(thread, endNs);
  }
  const lastNs = until.get(0) ?? file.beginNs;
  if (file.endNs > lastNs) lines.push(`${rank},${COMPUTE},${lastNs},${file.endNs},,,,,,,,`);
  return lines;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

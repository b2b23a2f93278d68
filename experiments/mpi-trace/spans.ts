import { badInput } from '../../base/errors.ts';

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

// Files of the recorder of MPI calls: agents/mpi-trace/format.h has the layout.

const MAGIC = 'predict-mpi-trace 1\n';
const HEADER_BYTES = 8192;
const NAMES_AT = 100;
const CALL_BYTES = 64;
export const MESSAGE_BYTES = 56;

/** One file of one rank. Times are ns of the host's realtime clock. */
export interface RankFile {
  readonly path: string;
  readonly kind: 'calls' | 'messages';
  readonly rank: number;
  readonly ranks: number;
  readonly count: number;
  readonly beginNs: bigint;
  /** 0 where the process was killed. */
  readonly endNs: bigint;
  /** Calls that share a record with others. */
  readonly merged: number;
  /** Events for which there was no room. */
  readonly unrecorded: number;
  /** The call that the rank was in when it was killed; null without. */
  readonly open: { readonly name: string; readonly sinceNs: bigint } | null;
  readonly names: readonly string[];
  readonly records: DataView;
}

/** Reads a file's header and finds its whole records. Errors: badInput for what the recorder never wrote. */
export function readRankFile(path: string, content: Buffer): RankFile {
  const kind = path.endsWith('.calls') ? 'calls' : 'messages';
  const wanted = kind === 'calls' ? CALL_BYTES : MESSAGE_BYTES;
  const isOurs = content.length >= HEADER_BYTES && content.toString('latin1', 0, MAGIC.length) === MAGIC;
  if (!isOurs || content.readUInt32LE(24) !== wanted) {
    throw badInput(`${path}: this is not a trace of MPI calls (${content.length} bytes): run the program again.`);
  }
  const said = Number(content.readBigUInt64LE(40));
  const count = Math.min(said, Math.floor((content.length - HEADER_BYTES) / wanted));
  const text = content.toString('latin1', NAMES_AT, HEADER_BYTES);
  const names = text.slice(0, Math.max(0, text.indexOf('\0'))).split('\n');
  const sinceNs = content.readBigInt64LE(88);
  return {
    path,
    kind,
    rank: content.readInt32LE(28),
    ranks: content.readInt32LE(32),
    count,
    beginNs: content.readBigInt64LE(48),
    endNs: content.readBigInt64LE(56),
    merged: Number(content.readBigUInt64LE(64)),
    unrecorded: Number(content.readBigUInt64LE(72)) + (said - count),
    open: sinceNs > 0n ? { name: names[content.readUInt32LE(96)] ?? '', sinceNs } : null,
    names,
    records: new DataView(content.buffer, content.byteOffset + HEADER_BYTES, count * wanted),
  };
}

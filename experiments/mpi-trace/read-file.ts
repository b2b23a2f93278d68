// Files of the recorder of MPI calls: agents/mpi-trace/format.h has the layout.
import { badInput } from '../../base/errors.ts';

const MAGIC = 'predict-mpi-trace 1\n';
const HEADER_BYTES = 8192;
const NAMES_AT = 100;
export const CALL_BYTES = 64;
export const MESSAGE_BYTES = 56;

/** One file of one rank. Times are ns of the host's realtime clock. */
export interface RankFile {
  readonly path: string;
  readonly kind: 'calls' | 'messages';
  readonly rank: number;
  readonly ranks: number;
  /** MPI_Finalize was called. */
  readonly finalized: boolean;
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
    finalized: content.readUInt32LE(36) === 1,
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

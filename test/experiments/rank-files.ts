interface FakeFile {
  readonly rank: number;
  readonly rows: readonly (readonly [offset: number, value: number][])[];
  readonly count?: number;
}

export const HEADER = 8192;

/** A file as agents/mpi-trace/format.h lays it out: numbers of 8 bytes at even places of 8, of 4 elsewhere as `wide` says. */
export function file(kind: 'calls' | 'messages', { rank, rows, count = rows.length }: FakeFile): Buffer {
  const bytes = kind === 'calls' ? 64 : 56;
  const wide = kind === 'calls' ? 48 : 40;
  const content = Buffer.alloc(HEADER + rows.length * bytes);
  content.write('predict-mpi-trace 1\n', 'latin1');
  content.writeUInt32LE(bytes, 24);
  content.writeInt32LE(rank, 28);
  content.writeInt32LE(2, 32);
  content.writeUInt32LE(1, 36);
  content.writeBigUInt64LE(BigInt(count), 40);
  content.writeBigInt64LE(1000n, 48);
  content.writeBigInt64LE(9000n, 56);
  content.write('MPI_Send\nMPI_Recv\n', 100, 'latin1');
  for (const [index, row] of rows.entries()) {
    for (const [offset, value] of row) {
      const at = HEADER + index * bytes + offset;
      if (offset < wide) content.writeBigInt64LE(BigInt(value), at);
      else if (kind === 'calls' && offset === 60) content.writeUInt16LE(value, at);
      else content.writeInt32LE(value, at);
    }
  }
  return content;
}

/** One end of a message: time, order of posting, peer, tag. */
const end = (kind: 1 | 2, timeNs: number, order: number, peer: number, tag = 7): [number, number][] => [
  [0, timeNs],
  [8, timeNs],
  [24, 10 * order],
  [32, 1],
  ...([
    [40, order],
    [44, peer],
    [48, tag],
    [52, kind],
  ] as [number, number][]),
];

export const call = (startNs: number, endNs: number, name: number): [number, number][] => [
  [0, startNs],
  [8, endNs],
  ...([
    [52, -1],
    [56, 1],
    [60, name],
  ] as [number, number][]),
];

/** What two ranks left. */
export const FILES: ReadonlyMap<string, Buffer> = new Map([
  ['rank-0.calls', file('calls', { rank: 0, rows: [call(2000, 3000, 0), call(3000, 3500, 0)] })],
  ['rank-1.calls', file('calls', { rank: 1, rows: [call(1500, 4000, 1)] })],
  [
    'rank-0.messages',
    file('messages', { rank: 0, rows: [end(1, 2000, 1, 1), end(1, 3000, 2, 1), end(1, 3100, 3, 1, 8)] }),
  ],
  // The second receive is seen complete first; the third message is of another tag and never received.
  ['rank-1.messages', file('messages', { rank: 1, rows: [end(2, 3900, 2, 0), end(2, 4000, 1, 0)] })],
]);

import type { CellTrace } from '../../../../experiments/store/read-traces.ts';

/** Times in µs. Keys: `turn` and `peer`; of one communicator. */
export type Span = readonly [
  rank: number,
  phase: string,
  from: number,
  to: number,
  keys?: { readonly turn?: number; readonly peer?: number; readonly thread?: number; readonly queued?: number },
];
export interface Message {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  readonly sent: number;
  readonly done: number;
  readonly posted: number;
  readonly arrived: number;
}

/** A trace as the store gives it. */
export function madeTrace(spans: readonly Span[], messages: readonly Message[] = []): CellTrace {
  const inOrder = [...spans].sort((a, b) => a[2] - b[2]);
  const ends = messages.flatMap((message, id) => [
    { ...message, id, kind: 'send' as const, worker: message.from, peer: message.to, at: message.sent },
    { ...message, id, kind: 'receive' as const, worker: message.to, peer: message.from, at: message.arrived },
  ]);
  const column = <T>(rows: readonly T[], of: (row: T) => number | undefined): Float64Array =>
    Float64Array.from(rows, (row) => of(row) ?? Number.NaN);
  const ns = (us: number): number => us * 1000;
  return {
    spans: {
      worker: Int32Array.from(inOrder, ([rank]) => rank),
      phase: inOrder.map(([, phase]) => phase),
      startNs: column(inOrder, ([, , from]) => ns(from)),
      endNs: column(inOrder, ([, , , to]) => ns(to)),
      asleepNs: column(inOrder, () => undefined),
      queuedNs: column(inOrder, ([, , , , keys]) => ns(keys?.queued ?? 0)),
      bytesSent: column(inOrder, () => 0),
      keys: {
        comm: column(inOrder, ([, , , , keys]) => (keys?.turn === undefined ? undefined : 1)),
        turn: column(inOrder, ([, , , , keys]) => keys?.turn),
        peer: column(inOrder, ([, , , , keys]) => keys?.peer),
        thread: column(inOrder, ([, , , , keys]) => keys?.thread),
      },
    },
    messages: {
      worker: Int32Array.from(ends, ({ worker }) => worker),
      kind: ends.map(({ kind }) => kind),
      timeNs: column(ends, ({ at }) => ns(at)),
      peer: Int32Array.from(ends, ({ peer }) => peer),
      bytes: column(ends, ({ bytes }) => bytes),
      id: column(ends, ({ id }) => id),
      doneNs: column(ends, ({ kind, done }) => (kind === 'send' ? ns(done) : undefined)),
      waitedNs: column(ends, () => undefined),
      queuedNs: column(ends, () => undefined),
      postedNs: column(ends, ({ kind, posted }) => (kind === 'receive' ? ns(posted) : undefined)),
    },
    counters: [],
  };
}

import fc from 'fast-check';
import type { Activities, ActivityKind } from '../../../analysis/path/activities.ts';
import { ActivityBuilder } from '../../../analysis/path/formats/activity-builder.ts';
import { at, last } from '../../../base/lists.ts';

export interface Piece {
  readonly startNs: number;
  readonly endNs: number;
  readonly kind: ActivityKind | 'gap';
}

export interface Message {
  readonly from: number;
  readonly to: number;
  readonly startNs: number;
  readonly endNs: number;
}

/** Workers by their pieces, and what goes from one to another. */
export interface RandomGraph {
  readonly pieces: Piece[][];
  readonly messages: Message[];
}

const KINDS = ['op', 'io', 'gap', 'wait-input', 'serialization'] as const;

/** What happens next: to whom, with what choices. */
const event = fc.record({
  worker: fc.nat(4),
  other: fc.nat(4),
  what: fc.constantFrom('work', 'work', 'wait', 'wait', 'busy', 'spawn'),
  kind: fc.constantFrom(...KINDS),
  length: fc.integer({ min: 1, max: 9 }),
  flight: fc.nat(6),
  back: fc.nat(9),
});

type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

/** Valid by construction: a wait ends when a message arrives that its sender, who was not waiting, had sent by then. */
export const validGraph: fc.Arbitrary<RandomGraph> = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.array(event, { minLength: 4, maxLength: 60 }))
  .map(([workers, events]) => {
    const pieces: Piece[][] = Array.from({ length: workers }, () => [{ startNs: 0, endNs: 3, kind: 'op' }]);
    const messages: Message[] = [];
    for (const one of events) happen({ pieces, messages }, one);
    for (const own of pieces) if (last(own).kind === 'gap') push(own, 'op', 1);
    return { pieces, messages };
  });

function happen({ pieces, messages }: RandomGraph, { worker, other, what, kind, length, flight, back }: Event): void {
  const [to, from] = [worker % pieces.length, other % pieces.length];
  const [own, source] = [at(pieces, to), at(pieces, from)];
  if (what === 'work') {
    push(own, kind, length);
    return;
  }
  // What is sent leaves in the last piece of its sender.
  const { kind: doing, startNs, endNs } = last(source);
  const sentNs = doing === 'wait' ? endNs : Math.max(startNs + 1, endNs - back);
  if (what === 'spawn' && pieces.length < 5) {
    messages.push({ from, to: pieces.length, startNs: sentNs, endNs: sentNs + flight });
    pieces.push([{ startNs: sentNs + flight, endNs: sentNs + flight + length, kind: 'op' }]);
  }
  if (from === to) return;
  const doneNs = last(own).endNs;
  if (what === 'busy' && sentNs < doneNs)
    messages.push({ from, to, startNs: sentNs, endNs: Math.min(doneNs, sentNs + 1 + flight) });
  if (what !== 'wait') return;
  const arrivedNs = Math.max(sentNs + flight, doneNs + 1);
  own.push({ startNs: doneNs, endNs: arrivedNs, kind: 'wait' });
  messages.push({ from, to, startNs: sentNs, endNs: arrivedNs });
}

function push(own: Piece[], kind: Piece['kind'], length: number): void {
  own.push({ startNs: last(own).endNs, endNs: last(own).endNs + length, kind });
}

export function columnsOf({ pieces, messages }: RandomGraph): Activities {
  const builder = new ActivityBuilder();
  for (const [worker, own] of pieces.entries()) {
    for (const [line, { startNs, endNs, kind }] of own.entries()) {
      if (kind === 'gap') continue;
      builder.addWork({
        worker: String(worker),
        startNs,
        endNs,
        kind,
        name: kind === 'op' ? `op${line % 3}` : '',
        line,
      });
    }
  }
  for (const [line, { from, to, ...times }] of messages.entries()) {
    builder.addTransfer({ ...times, from: String(from), to: String(to), name: 'message', bytes: Number.NaN, line });
  }
  return builder.build();
}

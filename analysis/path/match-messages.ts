import { at } from '../../base/lists.ts';
import type { CellTrace } from '../../experiments/store/read-traces.ts';

export type MessageColumns = CellTrace['messages'];

/** Both ends of a message: rows of the trace's messages. */
export interface Message {
  readonly send: number;
  readonly receive: number;
}

interface MatchedMessages {
  readonly messages: readonly Message[];
  /** Rows without another end, ascending. */
  readonly alone: readonly number[];
  /** Rows of ranks that the run does not have. */
  readonly strange: readonly number[];
}

/** Joins sends and receives of each pair of ranks: by id where all of them have one, else the n-th send with the n-th receive. */
export function matchMessages({ worker, peer, kind, id }: MessageColumns, ranks: number): MatchedMessages {
  const strange: number[] = [];
  const pairs = new Map<number, { readonly sends: number[]; readonly receives: number[] }>();
  for (const [row, rank] of worker.entries()) {
    const other = at(peer, row);
    if (rank < 0 || rank >= ranks || other < 0 || other >= ranks) {
      strange.push(row);
      continue;
    }
    const isSend = kind[row] === 'send';
    const key = isSend ? rank * ranks + other : other * ranks + rank;
    const pair = pairs.get(key) ?? { sends: [], receives: [] };
    pairs.set(key, pair);
    (isSend ? pair.sends : pair.receives).push(row);
  }
  const messages: Message[] = [];
  const alone: number[] = [];
  for (const [, { sends, receives }] of [...pairs].sort(([a], [b]) => a - b)) {
    const hasIds = [...sends, ...receives].every((row) => !Number.isNaN(at(id, row)));
    const numberOf = (row: number, turn: number): number => (hasIds ? at(id, row) : turn);
    const open = new Map(sends.map((row, turn) => [numberOf(row, turn), row]));
    for (const [turn, receive] of receives.entries()) {
      const send = open.get(numberOf(receive, turn));
      if (send === undefined) alone.push(receive);
      else messages.push({ send, receive });
      open.delete(numberOf(receive, turn));
    }
    alone.push(...open.values());
  }
  return { messages, alone: alone.sort((a, b) => a - b), strange };
}

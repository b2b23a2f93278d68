import { at } from '../../../base/lists.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';

/** Both ends of a message: rows of the trace's messages. */
export interface Message {
  readonly send: number;
  readonly receive: number;
}

/** The messages of a run by what ended where. */
export interface MessageEnds {
  readonly all: readonly Message[];
  /** Messages that a rank saw complete at an instant of its own clock. */
  arrived(rank: number, ns: number): readonly Message[];
  /** Messages whose buffer a rank saw free at an instant of its own clock. */
  released(rank: number, ns: number): readonly Message[];
  /** Ends without another one. */
  readonly unmatched: number;
}

export function messageEnds({ worker, kind, timeNs, id, doneNs }: CellTrace['messages']): MessageEnds {
  const open = new Map<number, number>();
  const all: Message[] = [];
  for (const [row, name] of kind.entries()) {
    const other = open.get(at(id, row));
    if (other === undefined) {
      open.set(at(id, row), row);
      continue;
    }
    open.delete(at(id, row));
    all.push(name === 'send' ? { send: row, receive: other } : { send: other, receive: row });
  }
  const [arrivals, releases] = [new Map<string, Message[]>(), new Map<string, Message[]>()];
  for (const message of all) {
    put(arrivals, `${worker[message.receive]} ${timeNs[message.receive]}`, message);
    put(releases, `${worker[message.send]} ${doneNs[message.send]}`, message);
  }
  return {
    all,
    arrived: (rank, ns) => arrivals.get(`${rank} ${ns}`) ?? [],
    released: (rank, ns) => releases.get(`${rank} ${ns}`) ?? [],
    unmatched: open.size,
  };
}

function put(into: Map<string, Message[]>, key: string, message: Message): void {
  const known = into.get(key);
  if (known === undefined) into.set(key, [message]);
  else known.push(message);
}

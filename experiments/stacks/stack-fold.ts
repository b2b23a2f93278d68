import type { StackProfile } from '../records.ts';
import type { PerfLine } from './perf-script.ts';
import { piecesOf, type Segment } from './segments.ts';
import type { StackKind, StackRow, StackTable } from './stack-columns.ts';

/** What of a recording could not be used. */
interface StackLosses {
  /** Events that perf had no room for. */
  lost: number;
  /** Stacks that do not reach the program's start. */
  cut: number;
  samples: number;
}

/** Sleep below this function of the lab's helper (agents/idle/govern.c) stands for a processor that the rank has not. */
const HELD = 'predict_idle_hold';
/** A thread that lets others go first waits for something. */
const YIELD = /^(__)?sched_yield$/;
/** Stacks that do not reach the program's start hang below it. */
const CUT = '[truncated]';
/** Time of which no stack is known. */
const UNSEEN = '[unrecorded]';

/**
 * Adds up what perf saw of the ranks of a run, host by host, as seconds of call stacks per search and phase. On a processor every
 * sample stands for 1 / hz seconds. Off it the time between two switches is exact; where only some switches have a stack, the
 * time of the others, told apart by rank, search, phase and whether the thread could have run, is shared out like theirs; where a search
 * has none, as in all searches together.
 */
export class StackFold {
  readonly losses: StackLosses = { lost: 0, cut: 0, samples: 0 };
  readonly #profile: StackProfile;
  readonly #segments: ReadonlyMap<number, readonly Segment[]>;
  readonly #stacks = new Map<string, number>();
  readonly #rows = new Map<string, Sum>();
  readonly #away = new Map<string, Away>();

  constructor(profile: StackProfile, segments: ReadonlyMap<number, readonly Segment[]>) {
    this.#profile = profile;
    this.#segments = segments;
  }

  /** The events of one host in their order. `ranks`: rank by process. */
  async take(host: string, ranks: ReadonlyMap<number, number>, events: AsyncIterable<PerfLine>): Promise<void> {
    const threads = new Map<number, Thread>();
    for await (const { pid, tid, timeNs, what } of events) {
      if (what.kind === 'lost') this.losses.lost += what.count;
      const rank = ranks.get(pid);
      if (rank === undefined || (this.#profile.kind === 'wall' && tid !== pid)) continue;
      const place = { host, rank };
      const thread = threads.get(tid) ?? {};
      threads.set(tid, thread);
      switch (what.kind) {
        case 'lost':
          break;
        case 'sample': {
          this.losses.samples += 1;
          if (what.isCut) this.losses.cut += 1;
          const seen = seenOf(what.isCut ? [CUT, ...what.frames] : what.frames);
          if (what.event.startsWith('cpu-clock')) this.#onProcessor(place, seen.stack, timeNs);
          else thread.leaving = seen;
          break;
        }
        case 'out':
          thread.out = { sinceNs: timeNs, preempted: what.preempted, seen: thread.leaving };
          delete thread.leaving;
          break;
        case 'in':
          if (thread.out !== undefined) this.#offProcessor(place, thread.out, timeNs);
          delete thread.out;
          break;
      }
    }
  }

  table(): StackTable {
    const pools = this.#pools();
    for (const [key, { totalNs, seenNs, parts, unseen }] of this.#away) {
      const pool = seenNs > 0 ? { seenNs, parts } : (pools.get(poolOf(key)) ?? { seenNs, parts });
      const factor = pool.seenNs > 0 ? totalNs / pool.seenNs : 0;
      for (const { row, samples, ns } of pool.parts.values()) {
        const counted = pool.parts === parts ? samples : 0;
        this.#add({ ...row, search: unseen.search }, { samples: counted, ns: ns * factor });
      }
      if (pool.seenNs === 0) this.#add(unseen, { samples: 0, ns: totalNs });
    }
    this.#away.clear();
    const rows = [...this.#rows.values()].map(({ samples, ns, ...row }) => ({ ...row, samples, seconds: ns / 1e9 }));
    return { stacks: [...this.#stacks.keys()], rows: rows.filter(({ seconds }) => seconds > 0) };
  }

  /** What was seen in all searches together. */
  #pools(): ReadonlyMap<string, Pick<Away, 'seenNs' | 'parts'>> {
    const pools = new Map<string, Pick<Away, 'seenNs' | 'parts'>>();
    for (const [key, { seenNs, parts }] of this.#away) {
      const pool = pools.get(poolOf(key)) ?? { seenNs: 0, parts: new Map() };
      pools.set(poolOf(key), pool);
      pool.seenNs += seenNs;
      for (const [stack, { row, samples, ns }] of parts) {
        const part = pool.parts.get(stack) ?? { row, samples: 0, ns: 0 };
        pool.parts.set(stack, { row, samples: part.samples + samples, ns: part.ns + ns });
      }
    }
    return pools;
  }

  #onProcessor(place: Place, stack: string, timeNs: number): void {
    const [piece] = piecesOf(this.#segments.get(place.rank), timeNs, timeNs);
    const { search = null, phase = null } = piece ?? {};
    const row = { ...place, search, phase, kind: 'cpu' as const, stack: this.#idOf(stack) };
    this.#add(row, { samples: 1, ns: 1e9 / this.#profile.hz });
  }

  #offProcessor(place: Place, { sinceNs, preempted, seen }: Out, timeNs: number): void {
    for (const { search, phase, ns } of piecesOf(this.#segments.get(place.rank), sinceNs, timeNs)) {
      if (ns <= 0) continue;
      const key = `${search}\t${place.host}\t${place.rank}\t${phase}\t${preempted}`;
      const kind = preempted ? 'queued' : 'wait';
      const unseen = { ...place, search, phase, kind, stack: this.#idOf(UNSEEN) } as const;
      const away = this.#away.get(key) ?? { totalNs: 0, seenNs: 0, parts: new Map(), unseen };
      this.#away.set(key, away);
      away.totalNs += ns;
      if (seen === undefined) continue;
      away.seenNs += ns;
      const row = { ...unseen, kind: seen.kind ?? kind, stack: this.#idOf(seen.stack) };
      const part = away.parts.get(row.stack) ?? { row, samples: 0, ns: 0 };
      away.parts.set(row.stack, { row, samples: part.samples + 1, ns: part.ns + ns });
    }
  }

  #add(row: Key, { samples, ns }: { readonly samples: number; readonly ns: number }): void {
    const key = `${row.host}\t${row.rank}\t${row.search}\t${row.phase}\t${row.kind}\t${row.stack}`;
    const sum = this.#rows.get(key);
    if (sum === undefined) this.#rows.set(key, { ...row, samples, ns });
    else {
      sum.samples += samples;
      sum.ns += ns;
    }
  }

  #idOf(stack: string): number {
    const known = this.#stacks.get(stack);
    if (known !== undefined) return known;
    this.#stacks.set(stack, this.#stacks.size);
    return this.#stacks.size - 1;
  }
}

type Place = Pick<StackRow, 'host' | 'rank'>;
type Key = Omit<StackRow, 'samples' | 'seconds'>;
type Sum = Key & { samples: number; ns: number };

/** `kind` where the stack itself tells it. */
interface Seen {
  readonly stack: string;
  readonly kind?: StackKind;
}

interface Out {
  readonly sinceNs: number;
  readonly preempted: boolean;
  readonly seen: Seen | undefined;
}

interface Thread {
  /** Of the switch that comes next. */
  leaving?: Seen;
  out?: Out;
}

/** Time off the processor in one place, and what of it has a stack. */
interface Away {
  totalNs: number;
  seenNs: number;
  readonly parts: Map<number, { readonly row: Key; readonly samples: number; readonly ns: number }>;
  /** What the time is put to where no stack is known. */
  readonly unseen: Key;
}

/** The same in any search. */
function poolOf(key: string): string {
  return key.slice(key.indexOf('\t'));
}

/** A rank that the lab's helper holds is where the helper's signal found it: the signal's own frame goes too. */
function seenOf(frames: readonly string[]): Seen {
  const held = frames.indexOf(HELD);
  if (held >= 0) return { stack: frames.slice(0, Math.max(1, held - 1)).join(';'), kind: 'queued' };
  const stack = frames.length === 0 ? UNSEEN : frames.join(';');
  return frames.some((name) => YIELD.test(name)) ? { stack, kind: 'wait' } : { stack };
}

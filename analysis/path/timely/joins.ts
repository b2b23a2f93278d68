// Sends joined with what is read (Sager 2016, section 4.3.2): data messages by channel, source, target and sequence number,
// progress messages by scope, source and sequence number, both over a network with the thread that received them as well.
import { ascending } from '../../../base/lists.ts';
import { GrowingColumns } from '../growing-columns.ts';
import { EVENT, NO_WIRE, type TimelyEvent } from './event.ts';
import { type Sequence, Sequences } from './sequence.ts';

/** `waits`: what is missing may still come, in the log of another worker or process. */
export type Joined = 'local' | 'network' | 'missing' | 'waits';

/** As many workers can be told apart in a key. */
export const MOST_WORKERS = 1 << 14;

/** Below the number of every process. */
const NO_PROCESS = -1;

/** Knows what was sent and what arrived; one for a whole trace. */
export class Joins {
  /** Joined messages between workers, by number; times by the clocks of their processes, ns. */
  readonly messages = new GrowingColumns({
    ...{ from: Int32Array, to: Int32Array, sentNs: Float64Array, arrivedNs: Float64Array },
    isProgress: Uint8Array,
  });
  /** Of all joined messages; those to oneself are no edges. */
  readonly counts = { data: 0, progress: 0, toOneself: 0, network: 0 };
  /** Of the last `join`: when the message was sent (sender's clock) and when it arrived (reader's clock), ns. */
  sent = Number.NaN;
  arrived = Number.NaN;
  /** Of the last `join`: it seemed to arrive before it was sent. */
  negative = false;
  /** Process of each worker, once a thread that sends or receives has named it. */
  readonly processOf: number[] = [];
  /** The last instant in each worker's log so far. */
  readonly reached: number[] = [];
  private readonly data = new Sequences();
  /** By scope and source: they have no target, all workers read them. */
  private readonly progress = new Sequences();
  private readonly wire = new Sequences();
  /** ns that a process's clock is ahead. */
  private readonly skew: ReadonlyMap<number, number>;
  /** No event follows: what is missing stays so. */
  private final = false;

  constructor(skew: ReadonlyMap<number, number>) {
    this.skew = skew;
  }

  /** The `id` of messages is that of a channel or scope over all workers. False where the sequence number is damaged. */
  send({ kind, id, source, target, sequence, t, line }: TimelyEvent): boolean {
    const sends =
      kind === EVENT.dataSend ? this.data.of(id, endsOf(source, target)) : this.progress.of(id, endsOf(source, 0));
    return sends.put(sequence, { time: t, line });
  }

  /** A thread has begun to send; that names the process of the source. */
  wireSend({ process, peer, source, target }: TimelyEvent): void {
    this.processOf[source] = process;
    this.processOf[target] ??= peer;
  }

  wireReceive({ process, peer, wire, source, target, sequence, t, line }: TimelyEvent): boolean {
    this.processOf[target] = process;
    this.processOf[source] ??= peer;
    return this.wire.of(wire, endsOf(source, target)).put(sequence, { time: t, line });
  }

  /** Joins what `reader` reads, and keeps it as an edge where it has a partner. */
  read(event: TimelyEvent, reader: number): Joined {
    const { id, source, sequence } = event;
    const isData = event.kind === EVENT.dataRead;
    const sends = isData ? this.data.get(id, endsOf(source, reader)) : this.progress.of(id, endsOf(source, 0));
    const joined = this.join(sends, event, reader);
    if (sends !== undefined && !isData && joined !== 'waits') sends.nextOf[reader] = sequence + 1;
    if (joined === 'waits' || joined === 'missing') return joined;
    if (isData) sends?.remove(sequence);
    this.counts[isData ? 'data' : 'progress'] += 1;
    if (joined === 'network') this.counts.network += 1;
    if (source === reader) this.counts.toOneself += 1;
    else {
      const { sent: sentNs, arrived: arrivedNs } = this;
      this.messages.addRow({ from: source, to: reader, sentNs, arrivedNs, isProgress: isData ? 0 : 1 });
    }
    return joined;
  }

  /** When the earliest message to `reader` was sent (ns, its clock) that is not read yet; infinite where all are. */
  unreadSince(reader: number): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const [ends, sends] of this.data.all()) {
      if (ends % MOST_WORKERS === reader)
        earliest = Math.min(earliest, this.inClockOf(reader, ends, sends.timeOf(sends.begin)));
    }
    for (const [ends, sends] of this.progress.all()) {
      const next = sends.nextOf[reader] ?? sends.begin;
      earliest = Math.min(earliest, this.inClockOf(reader, ends, sends.timeOf(next)));
    }
    return earliest;
  }

  /** Infinite for a time that is not known. */
  private inClockOf(reader: number, ends: number, sent: number): number {
    const source = Math.floor(ends / MOST_WORKERS);
    return Number.isNaN(sent) ? Number.POSITIVE_INFINITY : sent - this.skewOf(source) + this.skewOf(reader);
  }

  end(): void {
    this.final = true;
  }

  /**
   * Gives a process to workers that threads have not named: Timely numbers workers process by process, as many in each. The number
   * of those that have none: what is known does not fit that.
   */
  nameProcesses(workers: readonly number[]): number {
    const most = this.processOf.reduce((one, other) => Math.max(one, other), NO_PROCESS);
    const each = workers.length / (most + 1);
    const fits = (process: number | undefined, worker: number): boolean =>
      process === undefined || Math.floor(worker / each) === process;
    const isEven = most > NO_PROCESS && Number.isInteger(each) && this.processOf.every(fits);
    for (const worker of workers) {
      if (isEven) this.processOf[worker] ??= Math.floor(worker / each);
    }
    return workers.filter((worker) => this.processOf[worker] === undefined).length;
  }

  /** What is missing during `task` stays so. */
  whileFinal(task: () => void): void {
    this.final = true;
    task();
    this.final = false;
  }

  /** ns to take off the times of a worker. */
  skewOf(worker: number): number {
    const process = this.processOf[worker];
    return process === undefined ? 0 : this.skewOfProcess(process);
  }

  skewOfProcess(process: number): number {
    return this.skew.get(process) ?? 0;
  }

  /** Lines of data messages that nobody has read. */
  *unread(): Generator<number> {
    for (const [, sends] of this.data.all()) for (const number of sends.numbers()) yield sends.lineOf(number);
  }

  /** Lines of messages that a thread received and nobody has read. */
  *unreadFromWire(): Generator<number> {
    for (const [, arrivals] of this.wire.all()) for (const number of arrivals.numbers()) yield arrivals.lineOf(number);
  }

  /** Forgets what was sent before `t` (ns) and not read since; the lines of data messages among it, ascending. */
  forget(t: number): readonly number[] {
    const lines: number[] = [];
    for (const sequences of [this.data, this.progress, this.wire]) {
      for (const [, sequence] of sequences.all()) {
        while (sequence.begin <= sequence.last && sequence.timeOf(sequence.begin) < t) {
          if (sequences === this.data) lines.push(sequence.lineOf(sequence.begin));
          sequence.remove(sequence.begin);
        }
      }
    }
    return ascending(lines);
  }

  private join(sends: Sequence | undefined, event: TimelyEvent, reader: number): Joined {
    const { source, wire, sequence, t } = event;
    this.negative = false;
    const sent = sends?.timeOf(sequence) ?? Number.NaN;
    const isLocal = source === reader || wire === NO_WIRE || this.isSameProcess(source, reader);
    if (Number.isNaN(sent)) {
      const isLost = this.final || (sends?.last ?? -1) > sequence || (isLocal && (this.reached[source] ?? -1) > t);
      return isLost ? 'missing' : 'waits';
    }
    this.sent = sent;
    if (isLocal) {
      this.arrived = sent;
      this.negative = sent > t;
      return 'local';
    }
    const arrivals = this.wire.get(wire, endsOf(source, reader));
    const received = arrivals?.timeOf(sequence) ?? Number.NaN;
    if (Number.isNaN(received)) {
      if (!this.final && (arrivals?.last ?? -1) <= sequence) return 'waits';
      // Threads never named the process of one of them: no network lies between them.
      if (this.isNetwork(source, reader)) return 'missing';
      this.arrived = sent;
      return 'local';
    }
    arrivals?.remove(sequence);
    const sentHere = sent - this.skewOf(source) + this.skewOf(reader);
    this.negative = received < sentHere;
    this.arrived = Math.max(received, sentHere);
    return 'network';
  }

  /** Whether messages of one worker to another go over the network. */
  isNetwork(source: number, reader: number): boolean {
    const [one, other] = [this.processOf[source], this.processOf[reader]];
    return one !== undefined && other !== undefined && one !== other;
  }

  private isSameProcess(one: number, other: number): boolean {
    const process = this.processOf[one];
    return process !== undefined && process === this.processOf[other];
  }
}

function endsOf(source: number, target: number): number {
  return source * MOST_WORKERS + target;
}

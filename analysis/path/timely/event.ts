// One event of a Timely trace as a row of numbers: what the reader of lines and that of columns fill in, one after another.

/** Sorts of events; files of columns have these numbers. A stop of version 0.10 has no flag that says whether the operator did anything. */
export const EVENT = {
  scheduleStart: 0,
  stopActive: 1,
  stopIdle: 2,
  stopUnflagged: 3,
  dataSend: 4,
  dataRead: 5,
  progressSend: 6,
  progressRead: 7,
  push: 8,
  wireSend: 9,
  wireReceive: 10,
  applicationStart: 11,
  applicationStop: 12,
  park: 13,
  unpark: 14,
  shutdown: 15,
  operates: 16,
  channels: 17,
  guardedMessage: 18,
  guardedProgress: 19,
  commChannels: 20,
  /** A line that is no event of a kind that is known; it keeps its number. */
  unusable: 21,
} as const;

/** Channel of messages inside a process: it has no number on the wire. */
export const NO_WIRE = -1;

/** The one row that is filled again and again: whoever keeps an event copies it. */
export class TimelyEvent {
  kind: number = EVENT.unusable;
  /** ns since launch, by the clock of the worker's process. */
  t = 0;
  /** Worker; -1 for threads that send and receive. */
  worker = 0;
  /** Operator, channel of the dataflow, application activity; of progress its address (`Addresses`). */
  id = 0;
  /** Channel between processes, or `NO_WIRE`. */
  wire = NO_WIRE;
  source = 0;
  target = 0;
  sequence = 0;
  /** Process of a thread that sends or receives, and that at the other end. */
  process = -1;
  peer = -1;
  /** Records of a data message. */
  records = 0;
  /** Counted from 1. */
  line = 0;
  /** Of `operates` and `channels`. */
  declaration: Declaration | null = null;
}

/** What a line that declares an operator or a channel says beside its row. */
export interface Declaration {
  readonly name: string;
  /** Of an operator, its address; of a channel, that of its scope. */
  readonly address: readonly number[];
  /** Operator and port at both ends of a channel. */
  readonly source: readonly number[];
  readonly target: readonly number[];
}

/** Takes events in the order of the trace. */
export interface EventSink {
  /** What the `id` of progress messages is of. */
  readonly addresses: Addresses;
  event(event: TimelyEvent): void;
  /** A line that is no usable event: what is wrong with it. */
  problem(kind: string, line: number): void;
}

/** Copies of events in the order in which they came; taking one costs the same however many there are. */
export class EventQueue {
  private events: TimelyEvent[] = [];
  private taken = 0;

  get length(): number {
    return this.events.length - this.taken;
  }

  get first(): TimelyEvent | undefined {
    return this.events[this.taken];
  }

  push(event: TimelyEvent): void {
    this.events.push(Object.assign(new TimelyEvent(), event));
  }

  dropFirst(): void {
    this.taken += 1;
    if (this.taken * 2 < this.events.length) return;
    this.events = this.events.slice(this.taken);
    this.taken = 0;
  }
}

/**
 * Addresses of scopes (lists of small numbers) as one number each, so that messages are joined without texts: in the order in which
 * they are met, digit by digit down a tree.
 */
export class Addresses {
  private readonly children: Map<number, number>[] = [new Map()];
  private readonly paths: (readonly number[])[] = [[]];

  /** The address that continues `node` by `digit`; 0 is the empty one. */
  step(node: number, digit: number): number {
    const below = this.children[node];
    const known = below?.get(digit);
    if (known !== undefined) return known;
    const made = this.children.length;
    below?.set(digit, made);
    this.children.push(new Map());
    this.paths.push([...(this.paths[node] ?? []), digit]);
    return made;
  }

  number(address: readonly number[]): number {
    return address.reduce((node, digit) => this.step(node, digit), 0);
  }

  /** By number. */
  all(): readonly (readonly number[])[] {
    return this.paths;
  }

  path(node: number): readonly number[] {
    return this.paths[node] ?? [];
  }
}

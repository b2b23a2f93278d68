// One event of a Timely trace as a row of numbers: what the scanner of lines and the columns' reader fill in, one after another.

/** Sorts of events. A stop of version 0.10 has no flag that says whether the operator did anything. */
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

/** What the trace calls each sort, in the order of `EVENT`; null is no event. */
const TYPES = [
  ...['Schedule', 'Schedule', 'Schedule', 'Schedule', 'Messages', 'Messages', 'Progress', 'Progress', 'PushProgress'],
  ...[
    'Communication',
    'Communication',
    'Application',
    'Application',
    'Park',
    'Park',
    'Shutdown',
    'Operates',
    'Channels',
  ],
  ...['GuardedMessage', 'GuardedProgress', 'CommChannels', null],
] as const;

/** The name of an event's type in the trace; null where the line is none. */
export function typeOf(kind: number): string | null {
  return TYPES[kind] ?? null;
}

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
  event(event: TimelyEvent): void;
  declare(event: TimelyEvent, declaration: Declaration): void;
  /** A line that is no usable event: what is wrong with it. */
  problem(kind: string, line: number): void;
}

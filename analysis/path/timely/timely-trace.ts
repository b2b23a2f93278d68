// A Timely trace, event by event, to what its workers did, what they waited for and what they sent (Sager 2016, chapters 4, 5).

import { ascending } from '../../../base/lists.ts';
import { Problems } from '../../problems.ts';
import { Addresses, type Declaration, EVENT, EventQueue, type EventSink, type TimelyEvent } from './event.ts';
import { Joins, MOST_WORKERS } from './joins.ts';
import { typeOf } from './scan-line.ts';
import { ApplicationLog } from './stretches.ts';
import { WorkerLog } from './worker-log.ts';

export interface TraceOptions {
  /** ns that the clock of a process is ahead; it is taken off. */
  readonly skew: ReadonlyMap<number, number>;
  /** A wait begins with the first idle execution (`op`), or where useful work ended (`gap`). */
  readonly waitFrom: 'op' | 'gap';
  /** As many executions of a worker are held back before a first look at which are decided: results are the same for all. */
  readonly firstLook?: number;
}

/** A worker and what of its log waits for the partner of a message. */
export interface TracedWorker {
  readonly number: number;
  readonly log: WorkerLog;
  readonly applications: ApplicationLog;
  readonly channels: Map<number, number>;
  readonly stalled: EventQueue;
  readonly firstNs: number;
  lastNs: number;
}

/** Takes the events of a trace in the order of its lines; ask it for its results after `end`. */
export class TimelyTrace implements EventSink {
  readonly addresses = new Addresses();
  readonly problems = new Problems();
  readonly joins: Joins;
  readonly workers: TracedWorker[] = [];
  readonly events = new Float64Array(Object.keys(EVENT).length);
  private readonly options: TraceOptions;
  private readonly channelNumbers = new Map<string, number>();
  /** The first event of the threads of each process, ns. */
  private readonly threadsSince = new Map<number, number>();
  private stalls = 0;
  /** Addresses begin with the worker (before version 0.10); unknown before the first operator. */
  private isPrefixed: boolean | undefined;
  private readonly scopes: number[] = [];

  constructor(options: TraceOptions) {
    this.options = options;
    this.joins = new Joins(options.skew);
  }

  event(event: TimelyEvent): void {
    const { kind, worker } = event;
    this.events[kind] = (this.events[kind] ?? 0) + 1;
    if (worker < 0) {
      this.thread(event);
      return;
    }
    const traced = this.workers[worker] ?? this.addWorker(event);
    if (traced === undefined) return;
    if (event.t < traced.lastNs) {
      this.problems.add('time backwards', event.line);
      event.t = traced.lastNs;
    }
    traced.lastNs = event.t;
    if (event.declaration !== null) this.declare(event, event.declaration, traced);
    this.joins.reached[worker] = event.t;
    this.register(event, traced);
    if (traced.stalled.length > 0) traced.stalled.push(event);
    else if (!this.handle(traced, event)) {
      this.stalls += 1;
      traced.stalled.push(event);
    }
    if (this.stalls > 0) this.resume();
  }

  problem(kind: string, line: number): void {
    this.events[EVENT.unusable] = (this.events[EVENT.unusable] ?? 0) + 1;
    this.problems.add(kind, line);
  }

  /** No event follows. */
  end(): void {
    this.joins.end();
    const nameless = this.joins.nameProcesses(this.traced().map(({ number }) => number));
    if (nameless > 0 && this.processes().length > 0 && this.options.skew.size > 0) {
      this.problems.add('worker of no process that is named', 0, nameless);
    }
    if (this.stalls > 0) this.resume();
    for (const { log, applications, lastNs } of this.traced()) {
      log.end(lastNs);
      applications.end(lastNs);
    }
    for (const line of ascending(this.joins.unread())) this.problems.add('message without a receive', line);
    for (const line of ascending(this.joins.unreadFromWire())) this.problems.add('network message nobody read', line);
  }

  /** Goes on with a log that waits for the partner of a message: the message has none. */
  giveUp(traced: TracedWorker): void {
    const event = traced.stalled.first;
    if (event === undefined) return;
    traced.stalled.dropFirst();
    this.joins.whileFinal(() => this.handle(traced, event));
    if (traced.stalled.length === 0) this.stalls -= 1;
    else this.resume();
  }

  /** The workers that the trace has, in the order of their numbers. */
  traced(): readonly TracedWorker[] {
    return this.workers.filter((worker) => worker !== undefined);
  }

  /** Processes that threads or messages over the network have named. */
  processes(): readonly number[] {
    const named = new Set([...this.threadsSince.keys(), ...this.joins.processOf.filter((one) => one !== undefined)]);
    return [...named].sort((one, other) => one - other);
  }

  /** The first event of all, its skew taken off; ns. */
  bornNs(): number {
    const workers = this.traced().map(({ number, firstNs }) => firstNs - this.joins.skewOf(number));
    const threads = [...this.threadsSince].map(([process, t]) => t - (this.options.skew.get(process) ?? 0));
    return Math.min(...workers, ...threads);
  }

  /** Events by type, types in alphabetical order. */
  eventCounts(): Readonly<Record<string, number>> {
    const counts = new Map<string, number>();
    for (const [kind, count] of this.events.entries()) {
      const type = typeOf(kind);
      if (type !== null && count > 0) counts.set(type, (counts.get(type) ?? 0) + count);
    }
    return Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  private thread(event: TimelyEvent): void {
    const { kind, line, process, t } = event;
    if (t < (this.threadsSince.get(process) ?? Number.POSITIVE_INFINITY)) this.threadsSince.set(process, t);
    if (Math.max(event.source, event.target) >= MOST_WORKERS) this.problems.add('worker out of range', line);
    else if (kind === EVENT.wireSend) this.joins.wireSend(event);
    else if (kind === EVENT.wireReceive) {
      if (!this.joins.wireReceive(event)) this.problems.add('sequence number out of range', line);
    } else this.problems.add('event of no worker', line);
    if (this.stalls > 0) this.resume();
  }

  private declare({ kind, id, worker }: TimelyEvent, declaration: Declaration, { log, channels }: TracedWorker): void {
    const { address, source, target } = declaration;
    if (kind === EVENT.operates) {
      this.isPrefixed ??= address.length > 2 && address[0] === worker;
      log.operators.declare(id, declaration);
    } else channels.set(id, this.channelOf([this.withoutWorker(address), source, target].join('/')));
  }

  /** What a worker sends is known to all others before its own log comes to it. */
  private register(event: TimelyEvent, { number, channels }: TracedWorker): void {
    const { kind, line } = event;
    if (kind === EVENT.dataSend || kind === EVENT.dataRead) {
      let channel = channels.get(event.id);
      if (channel === undefined) {
        this.problems.add('message on an unknown channel', line);
        channel = this.channelOf(`#${event.id}`);
        channels.set(event.id, channel);
      }
      event.id = channel;
    } else if (kind === EVENT.progressSend || kind === EVENT.progressRead) event.id = this.scopeOf(event.id);
    if (kind !== EVENT.dataSend && kind !== EVENT.progressSend) return;
    event.source = number;
    if (!this.joins.send(event)) this.problems.add('sequence number out of range', line);
  }

  private handle(traced: TracedWorker, event: TimelyEvent): boolean {
    const { kind, line } = event;
    if (kind === EVENT.applicationStart) {
      traced.applications.start(event.id, event.t);
      return true;
    }
    if (kind === EVENT.applicationStop) {
      if (!traced.applications.stop(event.id, event.t)) this.problems.add('application activity not nested', line);
      return true;
    }
    return traced.log.handle(event);
  }

  /** Goes on with logs that stopped, as far as they come now. */
  private resume(): void {
    for (const traced of this.workers) {
      if (traced === undefined || traced.stalled.length === 0) continue;
      const { stalled } = traced;
      for (let event = stalled.first; event !== undefined && this.handle(traced, event); event = stalled.first) {
        stalled.dropFirst();
      }
      if (traced.stalled.length === 0) this.stalls -= 1;
    }
  }

  private addWorker({ worker, line, t }: TimelyEvent): TracedWorker | undefined {
    if (worker >= MOST_WORKERS) {
      this.problems.add('worker out of range', line);
      return undefined;
    }
    const { joins, problems } = this;
    const { firstLook } = this.options;
    const log = new WorkerLog({
      worker,
      joins,
      problems,
      bornNs: () => this.bornNs() + joins.skewOf(worker),
      fromGap: this.options.waitFrom === 'gap',
      ...(firstLook === undefined ? {} : { firstLook }),
    });
    const made = {
      ...{ number: worker, log, applications: new ApplicationLog(), channels: new Map(), stalled: new EventQueue() },
      ...{ firstNs: t, lastNs: Number.NEGATIVE_INFINITY },
    };
    this.workers[worker] = made;
    return made;
  }

  private scopeOf(address: number): number {
    const known = this.scopes[address];
    if (known !== undefined) return known;
    const made = this.channelOf(this.withoutWorker(this.addresses.path(address)).join('.'));
    this.scopes[address] = made;
    return made;
  }

  private channelOf(name: string): number {
    const number = this.channelNumbers.get(name) ?? this.channelNumbers.size;
    this.channelNumbers.set(name, number);
    return number;
  }

  private withoutWorker(address: readonly number[]): readonly number[] {
    return this.isPrefixed === false ? address : address.slice(1);
  }
}

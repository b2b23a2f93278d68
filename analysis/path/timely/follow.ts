// Slices of a Timely trace that is still being written, each as soon as it is complete (Sager 2016, sections 5.2.1 and 6.1).
// Memory is bounded: what lies before the last complete slice is forgotten, a spin that goes on is kept as its first execution.

import type { Problem } from '../../problems.ts';
import type { Activities, Slice } from '../activities.ts';
import type { ActivityPath } from '../graph/activity-path.ts';
import { criticalPath } from '../graph/critical-path.ts';
import type { Addresses, EventSink, TimelyEvent } from './event.ts';
import { EventLines } from './event-lines.ts';
import { TimelyTrace, type TracedWorker, type TraceOptions } from './timely-trace.ts';
import { toActivities } from './to-activities.ts';

/** A slice waits for a worker that is silent, spins or misses a message for as many slices at most. */
const PATIENCE_SLICES = 10;
/** More slices than this between two looks are no time that anybody measured: the clock jumped, and they are passed over. */
const MOST_AT_ONCE = 100_000;
/** Without this many new events nothing is looked at, unless there are no more for now. */
const EVENTS_PER_LOOK = 20_000;

export interface CompleteSlice {
  readonly slice: Slice;
  /** What was known of the slice; of a part of it, what it holds beyond. */
  readonly activities: Activities;
  readonly path: ActivityPath;
}

/** Takes the bytes of a trace as they come. */
export class FollowedTrace implements EventSink {
  readonly trace: TimelyTrace;
  readonly addresses: Addresses;
  private readonly reader: EventLines;
  private readonly sliceNs: number;
  /** The greatest instant so far, and where the next slice begins; ns on the one clock. */
  private latestNs = Number.NEGATIVE_INFINITY;
  private nextNs = Number.NaN;
  private unseen = 0;
  private shortened = 0;
  private hasSlices = false;

  constructor({ sliceNs, ...options }: TraceOptions & { readonly sliceNs: number }) {
    this.sliceNs = sliceNs;
    this.trace = new TimelyTrace(options);
    this.addresses = this.trace.addresses;
    this.reader = new EventLines(this);
  }

  /** Whether there were lines, and none was an event of a trace. */
  get isOther(): boolean {
    return this.reader.others > 0 && !this.reader.isTimely;
  }

  /** The slices that a piece of the trace completes. `isAll`: no more is there for now. */
  *feed(piece: Buffer, { isAll }: { readonly isAll: boolean }): Generator<CompleteSlice> {
    this.reader.feed(piece);
    if (!isAll && this.unseen < EVENTS_PER_LOOK) return;
    this.unseen = 0;
    yield* this.complete(this.settledNs());
  }

  /** The rest, after which no event follows. */
  *finish(): Generator<CompleteSlice> {
    this.reader.finish();
    const { trace } = this;
    trace.end();
    for (const { log, number } of trace.traced()) {
      if (this.shortened > 0 && log.waits.spinsSince < log.lastNs)
        trace.problems.add('spin at the end cut short', number);
    }
    const ends = trace.traced().map(({ number, lastNs }) => lastNs - trace.joins.skewOf(number));
    const end = Math.max(...ends);
    yield* this.complete(end);
    if (this.nextNs < end) yield this.sliceUpTo(end);
  }

  problems(): readonly Problem[] {
    return this.trace.problems.list();
  }

  event(event: TimelyEvent): void {
    const { t, worker, process, line } = event;
    this.unseen += 1;
    const { joins, problems } = this.trace;
    const onOneClock = t - (worker < 0 ? joins.skewOfProcess(process) : joins.skewOf(worker));
    if (this.hasSlices && onOneClock < this.nextNs) problems.add('late event', line);
    else if (onOneClock < this.latestNs) problems.add('event out of order', line);
    if (onOneClock > this.latestNs) this.latestNs = onOneClock;
    if (Number.isNaN(this.nextNs) || (!this.hasSlices && onOneClock < this.nextNs)) this.nextNs = onOneClock;
    this.trace.event(event);
  }

  problem(kind: string, line: number): void {
    this.trace.problem(kind, line);
  }

  /** Up to where (ns) all is decided that is not waited for in vain. */
  private settledNs(): number {
    const { trace, latestNs } = this;
    const patienceNs = PATIENCE_SLICES * this.sliceNs;
    let settled = latestNs;
    for (const traced of trace.traced()) {
      const skewNs = trace.joins.skewOf(traced.number);
      while ((traced.stalled.first?.t ?? Number.POSITIVE_INFINITY) - skewNs < latestNs - patienceNs)
        trace.giveUp(traced);
      this.shortened += traced.log.shorten(patienceNs);
      if (traced.lastNs - skewNs < latestNs - patienceNs) continue;
      settled = Math.min(settled, this.decidedOf(traced) - skewNs);
    }
    return settled;
  }

  /** Of one worker, by its clock. */
  private decidedOf({ log, lastNs }: TracedWorker): number {
    const decided = Math.min(log.waits.decidedTo, log.lastNs);
    const isLong = log.waits.spinsSince < lastNs - PATIENCE_SLICES * this.sliceNs;
    return isLong ? log.lastNs : decided;
  }

  private *complete(settledNs: number): Generator<CompleteSlice> {
    const slices = Math.floor((settledNs - this.nextNs) / this.sliceNs);
    if (slices > MOST_AT_ONCE) {
      this.trace.problems.add('jump in time', this.reader.lines);
      yield this.sliceUpTo(this.nextNs + this.sliceNs);
      this.nextNs += (slices - 2) * this.sliceNs;
    }
    while (this.nextNs + this.sliceNs <= settledNs) yield this.sliceUpTo(this.nextNs + this.sliceNs);
  }

  private sliceUpTo(endNs: number): CompleteSlice {
    const slice = { startNs: this.nextNs, endNs };
    for (const { applications, log } of this.trace.traced()) applications.upTo(log.lastNs);
    const activities = toActivities(this.trace, endNs);
    const found = { slice, activities, path: criticalPath(activities, slice) };
    this.nextNs = endNs;
    this.hasSlices = true;
    this.forget(endNs);
    return found;
  }

  private forget(endNs: number): void {
    const { trace } = this;
    const { joins, problems } = trace;
    for (const { number, log, applications } of trace.traced()) {
      const own = endNs + joins.skewOf(number);
      log.waits.forget(own);
      applications.forget(own);
    }
    const { messages } = joins;
    const { arrivedNs, to } = messages.of;
    messages.keep((row) => (arrivedNs[row] as number) - joins.skewOf(to[row] as number) >= endNs);
    for (const line of joins.forget(endNs - PATIENCE_SLICES * this.sliceNs)) {
      problems.add('message without a receive', line);
    }
  }
}

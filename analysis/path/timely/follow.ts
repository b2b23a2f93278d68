// Slices of a Timely trace that is still being written, each as soon as it is complete (Sager 2016, sections 5.2.1 and 6.1).
// Memory is bounded: what lies before the last complete slice is forgotten, a spin that goes on is kept as its first execution.

import type { Problem } from '../../problems.ts';
import { ACTIVITY_KINDS, type Activities, type Slice } from '../activities.ts';
import type { ActivityPath } from '../graph/activity-path.ts';
import { criticalPath } from '../graph/critical-path.ts';
import type { Declaration, EventSink, TimelyEvent } from './event.ts';
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
  private readonly reader = new EventLines();
  private readonly sliceNs: number;
  /** The greatest instant so far, and where the next slice begins; ns on the one clock. */
  private latestNs = Number.NEGATIVE_INFINITY;
  private nextNs = Number.NaN;
  private unseen = 0;
  private shortened = 0;
  private hasSlices = false;

  constructor({ sliceNs, ...options }: TraceOptions & { readonly sliceNs: number }) {
    this.sliceNs = sliceNs;
    this.trace = new TimelyTrace(options, this.reader.addresses);
    this.reader.to(this);
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
    this.note(event);
    this.trace.event(event);
  }

  declare(event: TimelyEvent, declaration: Declaration): void {
    this.note(event);
    this.trace.declare(event, declaration);
  }

  problem(kind: string, line: number): void {
    this.trace.problem(kind, line);
  }

  private note({ t, worker, process, line }: TimelyEvent): void {
    this.unseen += 1;
    const { joins, problems } = this.trace;
    const onOneClock = t - (worker < 0 ? joins.skewOfProcess(process) : joins.skewOf(worker));
    if (this.hasSlices && onOneClock < this.nextNs) problems.add('late event', line);
    else if (onOneClock < this.latestNs) problems.add('event out of order', line);
    if (onOneClock > this.latestNs) this.latestNs = onOneClock;
    if (Number.isNaN(this.nextNs) || (!this.hasSlices && onOneClock < this.nextNs)) this.nextNs = onOneClock;
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
    const activities = withOpenEnds(toActivities(this.trace), { trace: this.trace, endNs });
    const found = { slice, activities, path: criticalPath(activities, slice) };
    this.nextNs = endNs;
    this.hasSlices = true;
    this.forget(endNs);
    return found;
  }

  private forget(endNs: number): void {
    const { trace } = this;
    const { joins, messages, problems } = trace;
    for (const { number, log, applications } of trace.traced()) {
      const own = endNs + joins.skewOf(number);
      log.kept.forget(own);
      applications.forget(own);
    }
    messages.filter((row) => messages.arrivedNs.at(row) - joins.skewOf(messages.to.at(row)) >= endNs);
    for (const line of joins.forget(endNs - PATIENCE_SLICES * this.sliceNs)) {
      problems.add('message without a receive', line);
    }
  }
}

/** What goes on when a slice is over is said of it too: a spin is a wait, whatever ends it. */
function withOpenEnds(activities: Activities, { trace, endNs }: { trace: TimelyTrace; endNs: number }): Activities {
  const open = trace.traced().map(({ log, number }) => {
    const goesOn = log.goesOn();
    const since = (goesOn?.since ?? Number.POSITIVE_INFINITY) - trace.joins.skewOf(number);
    return goesOn === null || since >= endNs ? null : { ...goesOn, since };
  });
  if (open.every((one) => one === null)) return activities;
  const { work, goneNs, names } = activities;
  const [op, wait] = [ACTIVITY_KINDS.indexOf('op'), ACTIVITY_KINDS.indexOf('wait')];
  const named = [...names];
  const first = [0];
  const rows: { startNs: number; endNs: number; kind: number; name: number }[] = [];
  for (const [index, goesOn] of open.entries()) {
    for (let row = work.first[index] ?? 0; row < (work.first[index + 1] ?? 0); row += 1) {
      const [startNs = 0, until = 0, kind = 0, name = 0] = [
        work.startNs[row],
        work.endNs[row],
        work.kind[row],
        work.name[row],
      ];
      rows.push({ startNs, endNs: until, kind, name });
    }
    if (goesOn?.what === 'wait') rows.push({ startNs: goesOn.since, endNs, kind: wait, name: 0 });
    if (goesOn?.what === 'execution') {
      rows.push({ startNs: goesOn.since, endNs, kind: op, name: named.push(`op:${goesOn.operator}`) - 1 });
    }
    first.push(rows.length);
  }
  return {
    ...activities,
    names: named,
    goneNs: goneNs.map((gone, index) => (open[index] === null ? gone : Math.max(gone, endNs))),
    work: {
      first: Uint32Array.from(first),
      startNs: Float64Array.from(rows, ({ startNs }) => startNs),
      endNs: Float64Array.from(rows, ({ endNs: until }) => until),
      kind: Uint8Array.from(rows, ({ kind }) => kind),
      name: Int32Array.from(rows, ({ name }) => name),
    },
  };
}

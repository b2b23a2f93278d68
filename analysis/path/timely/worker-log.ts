// One worker's log, event by event, to executions and the direct causes of useful work (Sager 2016, section 5.1.2).

import type { Problems } from '../../problems.ts';
import { GrowingColumns } from '../growing-columns.ts';
import { EVENT, type TimelyEvent } from './event.ts';
import type { Joined, Joins } from './joins.ts';
import { Operators } from './operators.ts';
import { ENDED_BY, WaitAnalysis } from './wait-analysis.ts';

/** How a log stands to the whole trace. */
interface LogOptions {
  readonly worker: number;
  readonly joins: Joins;
  readonly problems: Problems;
  /** The first instant of the trace so far, by this worker's clock, ns. */
  readonly bornNs: () => number;
  readonly fromGap: boolean;
  /** As many executions are held back before a first look at which of them are decided. */
  readonly firstLook?: number;
}

const NONE = -1;
/** Of news that were seen by all, as many are kept before they are dropped together. */
const MOST_OLD_NEWS = 4096;

/** Executions and causes of one worker; `handle` takes its events in the order of its log. */
export class WorkerLog {
  readonly operators = new Operators();
  readonly waits: WaitAnalysis;
  readonly counts = { active: 0, idle: 0 };
  /** Up to here (ns) the log has been handled. */
  lastNs = Number.NEGATIVE_INFINITY;
  private readonly options: LogOptions;
  /** The operator that runs. */
  private running = NONE;
  private runningStart = 0;
  /** When progress was read or pushed first since the running operator's last start: that may have made it active. */
  private news = Number.NaN;
  private didSomething = false;
  private readWhileItArrived = false;
  /** Counts events: what came before what. */
  private position = 0;
  /** Instants at which progress was read or pushed; `newsBase` before them were dropped. */
  private readonly newsTimes = new GrowingColumns({ t: Float64Array });
  private newsBase = 0;
  /** Where progress was read last, and when. */
  private readPosition = NONE;
  private readTime = Number.NaN;
  /** Pushes since then. */
  private pushes: { readonly position: number; readonly t: number }[] = [];

  constructor(options: LogOptions) {
    this.options = options;
    this.waits = new WaitAnalysis(options);
  }

  /**
   * False where a message that is read needs a partner that may still come: the log stops before this event then. The `id` of
   * messages is that of a channel or scope over all workers.
   */
  handle(event: TimelyEvent): boolean {
    const { kind, t } = event;
    this.lastNs = t;
    if (kind === EVENT.scheduleStart) this.start(event, this.operators.find(event.id));
    else if (kind === EVENT.stopIdle) this.stop(event, false);
    else if (kind === EVENT.stopActive || kind === EVENT.stopUnflagged) this.stop(event, true);
    else if (kind === EVENT.dataRead || kind === EVENT.progressRead) {
      if (!this.readMessage(event)) return false;
    } else if (kind === EVENT.dataSend) this.sendData(t);
    else if (kind === EVENT.progressSend) this.sendProgress(t);
    else if (kind === EVENT.push) this.push(t);
    else if (kind === EVENT.park) this.start(event, this.operators.parking());
    else if (kind === EVENT.unpark && this.running === this.operators.parking()) this.finish(t, false);
    else if (kind === EVENT.shutdown) this.operators.shutDown(event.id);
    this.position += 1;
    if (this.waits.isFull) this.settle();
    return true;
  }

  /** What goes on at the end of the log so far: a spin or a sleep, an execution, or null; since when, ns. */
  goesOn(): { readonly what: 'wait' | 'execution'; readonly since: number; readonly operator: string } | null {
    const { running, runningStart, waits, operators } = this;
    const operator = operators.names[running] ?? '';
    if (waits.spinsSince < Number.POSITIVE_INFINITY) return { what: 'wait', since: waits.spinsSince, operator };
    if (running === NONE) return null;
    return { what: running === operators.parking() ? 'wait' : 'execution', since: runningStart, operator };
  }

  /**
   * Decides what can be decided, and up to where (ns): up to the earliest cause that work still to come may have. Causes that lie more
   * than `patienceNs` back are waited for no longer.
   */
  settle(patienceNs = Number.POSITIVE_INFINITY): number {
    const { joins, worker } = this.options;
    const cause = Math.min(this.earliestOwnCause(), joins.unreadSince(worker));
    const horizon = Math.min(this.lastNs, Math.max(cause, this.lastNs - patienceNs));
    this.waits.settle(horizon);
    this.dropOldNews();
    return horizon;
  }

  /** Settles, and lets go of what of a spin that goes on will be one wait; how many executions that are. */
  shorten(patienceNs: number): number {
    return this.waits.shorten(this.settle(patienceNs));
  }

  /** The log's end (ns): an execution still open ends there, and all is decided. */
  end(t: number): void {
    if (this.running !== NONE) this.finish(t, this.didSomething);
    this.waits.settle(Number.POSITIVE_INFINITY);
  }

  private start(event: TimelyEvent, operator: number): void {
    if (operator < 0) return;
    const { t, line } = event;
    if (this.running !== NONE) {
      this.options.problems.add('execution inside another', line);
      this.finish(t, this.didSomething);
    }
    const { operators, waits } = this;
    waits.begin(t, operator);
    this.news = this.newsSince(operator);
    operators.started(operator, { t, position: this.position, news: this.newsBase + this.newsTimes.length });
    this.running = operator;
    this.runningStart = t;
    this.didSomething = false;
    this.readWhileItArrived = false;
  }

  private stop(event: TimelyEvent, isActive: boolean): void {
    const operator = this.operators.find(event.id);
    if (operator < 0) return;
    if (operator === this.running) this.finish(event.t, isActive);
    else this.options.problems.add('stop without a start', event.line);
  }

  private finish(t: number, isActive: boolean): void {
    const { running, runningStart, waits, operators } = this;
    this.running = NONE;
    waits.finish(t, isActive);
    if (running === operators.parking()) return;
    if (!isActive) {
      this.counts.idle += 1;
      return;
    }
    this.counts.active += 1;
    waits.explain(t, {
      t: runningStart,
      endedBy: this.readWhileItArrived ? ENDED_BY.readWhileItArrived : ENDED_BY.activeWithoutCause,
      source: running,
      sent: runningStart,
      read: t,
    });
    if (!Number.isNaN(this.news)) this.input(t, { since: this.news, endedBy: ENDED_BY.pushWithoutCause });
    operators.activeByStart.toEnd(running);
  }

  /** False where its partner may still come. */
  private readMessage(event: TimelyEvent): boolean {
    const { joins, worker, problems } = this.options;
    const { t, line } = event;
    const joined: Joined = joins.read(event, worker);
    if (joined === 'waits') return false;
    const isData = event.kind === EVENT.dataRead;
    if (isData) this.didSomething = true;
    if (joined === 'missing') {
      problems.add('message without a send', line);
      if (!isData) this.input(t, { since: t, endedBy: ENDED_BY.readWithoutSend });
    } else {
      if (joins.negative) problems.add('negative transfer', line);
      if (isData && this.running !== NONE && joins.arrived > this.runningStart) this.readWhileItArrived = true;
      else this.explainByMessage(event, isData ? ENDED_BY.data : ENDED_BY.progress);
    }
    if (isData) return true;
    if (this.pushes.length > 0) this.pushes = [];
    this.readPosition = this.position;
    this.readTime = t;
    this.addNews(t);
    return true;
  }

  /** What a worker sends itself is no news from others: if nothing explains the sending, that was input. */
  private explainByMessage({ t, source }: TimelyEvent, message: number): void {
    const { joins, worker } = this.options;
    const { arrived, sent } = joins;
    const unexplained = message === ENDED_BY.data ? ENDED_BY.sendOutside : ENDED_BY.progressSentWithoutCause;
    const endedBy = source === worker ? unexplained : message;
    this.waits.explain(t, { t: Math.min(arrived, t), endedBy, source, sent, read: t });
  }

  /** A send outside operators is useful work of the main program (`Input` handles). */
  private sendData(t: number): void {
    this.didSomething = true;
    if (this.running === NONE) this.input(t, { since: t, endedBy: ENDED_BY.sendOutside });
  }

  /** Caused by operators that did something, until they run again. */
  private sendProgress(t: number): void {
    const { operators } = this;
    const { first } = operators.activeByStart;
    const since = first === NONE ? t : (operators.lastStart[first] ?? t);
    this.input(t, { since, endedBy: ENDED_BY.progressSentWithoutCause });
  }

  /** Caused by the last reading of progress, else by earlier pushes, as long as not every operator has started since. */
  private push(t: number): void {
    let since = t;
    if (this.isOpen(this.readPosition)) since = this.readTime;
    else {
      this.pushes = this.pushes.filter(({ position }) => this.isOpen(position));
      since = this.pushes[0]?.t ?? t;
    }
    this.input(t, { since, endedBy: ENDED_BY.pushWithoutCause });
    this.pushes.push({ position: this.position, t });
    this.addNews(t);
  }

  private isOpen(position: number): boolean {
    const { first } = this.operators.byStart;
    return position !== NONE && (first === NONE || (this.operators.lastPosition[first] ?? NONE) < position);
  }

  private input(t: number, { since, endedBy }: { since: number; endedBy: number }): void {
    this.waits.explain(t, { t: since, endedBy, source: NONE, sent: since, read: t });
  }

  /** The earliest instant that may still turn out to be the cause of useful work, messages apart; ns. */
  private earliestOwnCause(): number {
    const { operators } = this;
    let earliest = this.running === NONE ? Number.POSITIVE_INFINITY : this.runningStart;
    if (!Number.isNaN(this.news)) earliest = Math.min(earliest, this.news);
    const unseen = this.newsSince(operators.byStart.first);
    if (!Number.isNaN(unseen)) earliest = Math.min(earliest, unseen);
    const active = operators.activeByStart.first;
    if (active !== NONE) earliest = Math.min(earliest, operators.lastStart[active] ?? earliest);
    return earliest;
  }

  private addNews(t: number): void {
    const row = this.newsTimes.add();
    this.newsTimes.of.t[row] = t;
  }

  /** The first time since an operator's last start that progress was read or pushed, ns; NaN where there is none. */
  private newsSince(operator: number): number {
    const seen = Math.max(0, (this.operators.seenNews[operator] ?? 0) - this.newsBase);
    return operator !== NONE && seen < this.newsTimes.length ? (this.newsTimes.of.t[seen] as number) : Number.NaN;
  }

  private dropOldNews(): void {
    const oldest = this.operators.byStart.first;
    const unneeded = Math.min((this.operators.seenNews[oldest] ?? 0) - this.newsBase, this.newsTimes.length);
    if (unneeded < MOST_OLD_NEWS) return;
    this.newsTimes.remove(0, unneeded);
    this.newsBase += unneeded;
  }
}

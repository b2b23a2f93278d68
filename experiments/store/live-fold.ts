import { assertNever } from '../../base/errors.ts';
import { cellName } from '../cell-name.ts';
import type { Cell } from '../records.ts';
import type { SweepEvent } from './campaign-events.ts';
import { addedText, inParallelText, outcomeText, retriedText } from './event-text.ts';
import { configurationRows, type KnownCell, type LiveCell, type LiveState, type NewsLine } from './live-state.ts';
import { groupKey, Running, timeLeft } from './time-left.ts';

/** News that are kept. */
const MOST_NEWS = 12;

/** What a record says of its cell. */
export type StoredCell = Omit<KnownCell, 'cell' | 'isDone'>;

/**
 * Plan and events of a campaign, folded into what is to be shown of it. `cells` are those of the sweep until one is begun; an event may
 * come twice. What `take` does takes no longer in a large campaign.
 */
export class LiveFold {
  readonly #name: string;
  readonly #known = new Map<string, KnownCell>();
  readonly #counts = { planned: 0, done: 0, failed: 0, unmeasured: 0 };
  /** Cells of the sweep, in the order of its plan. */
  #sweep: Set<string>;
  /** What was just added to it. */
  #added: ReadonlySet<string> = new Set();
  /** Seconds that the last cell of each kind took. */
  readonly #measured = new Map<string, number>();
  readonly #running = new Running();
  #standing: LiveState['sweep'] = 'none';
  #reason: string | null = null;
  #at: string | null = null;
  /** ISO time from which what is left counts. */
  #leftFrom = '';
  #last: KnownCell | null = null;
  #news: readonly NewsLine[] = [];

  constructor(name: string, cells: readonly Cell[]) {
    this.#name = name;
    this.plan(cells);
    this.#sweep = new Set(this.#known.keys());
  }

  /** Cells that are planned now, those that are known among them. */
  plan(cells: readonly Cell[]): void {
    for (const cell of cells) {
      if (this.#known.has(cell.id)) continue;
      this.#known.set(cell.id, { cell, state: 'waiting', isDone: false, medianS: null, level: null, at: '' });
      this.#counts.planned += 1;
    }
  }

  /** A sweep is about to begin; its own events come once it has locked hosts and folder. */
  prepare(): void {
    this.#standing = 'preparing';
    this.#reason = null;
  }

  /** The process of a sweep without an end is gone. */
  lose(): void {
    if (this.#standing === 'running') this.#end('killed', 'The process of the sweep is gone.');
  }

  get isRunning(): boolean {
    return this.#standing === 'running';
  }

  get counts(): LiveState['cells'] {
    return { ...this.#counts };
  }

  /** Those that run, and those that ran last. */
  get running(): readonly string[] {
    return this.#running.ids;
  }

  nameOf(id: string): string {
    const known = this.#known.get(id);
    return known ? cellName(known.cell) : id;
  }

  isKnown(id: string): boolean {
    return this.#known.has(id);
  }

  /** Seconds for the cells of the sweep that are left; null while none tells it. */
  secondsLeft(): number | null {
    const left = [...this.#sweep].flatMap((id) => {
      const known = this.#known.get(id);
      return known === undefined || known.isDone ? [] : [known.cell];
    });
    return timeLeft(left, { measured: this.#measured, atOnce: this.#running.ids.length });
  }

  take(event: SweepEvent): void {
    this.#at = event.at;
    const known = 'id' in event ? this.#known.get(event.id) : undefined;
    if ('id' in event && this.#standing !== 'running') this.#standing = 'running';
    switch (event.kind) {
      case 'sweep-begun':
        this.#begin(event);
        break;
      case 'cell-started':
        if (known) this.#start(known, event.at);
        this.#running.start(event.id);
        break;
      case 'level-proved':
        if (known) known.level = levelOf(event);
        break;
      case 'cell-finished':
        this.#finish(event, known);
        break;
      case 'cell-retried':
        if (known) this.#wait(known);
        this.#running.end(event.id);
        this.#tell(event.at, 'warning', retriedText(event, this.nameOf(event.id)));
        break;
      case 'cell-given-up':
        if (known) this.#setState(known, { state: 'failed', isDone: false });
        this.#running.end(event.id);
        this.#tell(event.at, 'failed', `given up: ${this.nameOf(event.id)}: ${event.reason}`);
        break;
      case 'visits-added':
        this.plan(event.cells);
        this.#added = new Set(event.cells.map(({ id }) => id));
        for (const id of this.#added) this.#sweep.add(id);
        this.#tell(event.at, 'plain', addedText(event));
        break;
      case 'in-parallel':
        this.#tell(event.at, 'plain', inParallelText(event));
        break;
      case 'note':
        this.#tell(event.at, 'plain', event.text);
        break;
      case 'sweep-ended':
        this.#end(event.how, event.reason);
        break;
      default:
        assertNever(event);
    }
  }

  /** Makes cells what their records say: events may be missing, or be of a cell that was moved away since. */
  reconcile(records: ReadonlyMap<string, StoredCell>): void {
    for (const known of this.#known.values()) {
      const stored = records.get(known.cell.id);
      if (stored === undefined) {
        if (known.isDone) this.#wait(known);
        continue;
      }
      known.level ??= stored.level;
      if (known.isDone) continue;
      const { at, medianS } = stored;
      Object.assign(known, { at, medianS });
      this.#setState(known, { state: stored.state, isDone: true });
      if (this.#last === null || this.#last.at < at) this.#last = known;
    }
    if (this.#last?.isDone === false) this.#last = null;
  }

  /** All of it, as data. */
  state(): LiveState {
    const secondsLeft = this.#standing === 'running' ? this.secondsLeft() : null;
    const running = this.#standing === 'running' ? this.#running.now : [];
    return {
      ...{ name: this.#name, sweep: this.#standing, reason: this.#reason, at: this.#at, cells: this.counts },
      secondsLeft,
      endsAt: secondsLeft === null ? null : new Date(Date.parse(this.#leftFrom) + secondsLeft * 1000).toISOString(),
      ...configurationRows(this.#known.values()),
      running: running.flatMap((id) => this.#known.get(id) ?? []).map(shownCell),
      last: this.#last === null ? null : shownCell(this.#last),
      next: this.#next(),
      news: this.#news,
    };
  }

  #begin({ at, planned, done }: SweepEvent & { kind: 'sweep-begun' }): void {
    // Visits that are added begin anew, as a part of the same sweep.
    const isPart = this.#standing === 'running' && planned.every((id) => this.#added.has(id));
    if (!isPart) {
      this.#sweep = new Set(planned);
      this.#measured.clear();
      this.#news = [];
    }
    this.#running.clear();
    this.#standing = 'running';
    this.#reason = null;
    this.#leftFrom = at;
    const found = new Set(done);
    for (const id of planned) {
      const known = this.#known.get(id);
      if (known === undefined) continue;
      if (!found.has(id)) this.#wait(known);
      else if (!known.isDone) this.#setState(known, { state: 'done', isDone: true });
    }
  }

  #start(known: KnownCell, at: string): void {
    known.at = at;
    known.level = null;
    this.#setState(known, { state: 'running', isDone: false });
  }

  #wait(known: KnownCell): void {
    this.#setState(known, { state: 'waiting', isDone: false });
  }

  #finish(event: SweepEvent & { kind: 'cell-finished' }, known: KnownCell | undefined): void {
    const { id, status, marks, medianS, timing, at } = event;
    const name = this.nameOf(id);
    if (status === 'failed') this.#tell(at, 'failed', `${name}: ${outcomeText(event)}`);
    else if (marks.length > 0) this.#tell(at, 'warning', `${name} has a data-quality flag: ${marks.join(' ')}`);
    if (known) {
      const state = status === 'failed' ? 'failed' : marks.length > 0 ? 'flagged' : 'done';
      Object.assign(known, { medianS, at });
      this.#setState(known, { state, isDone: true });
      this.#measured.set(groupKey(known.cell), timing.totalMs / 1000);
      this.#last = known;
    }
    this.#leftFrom = at;
    this.#running.end(id);
  }

  #setState(known: KnownCell, { state, isDone }: Pick<KnownCell, 'state' | 'isDone'>): void {
    this.#count(known, -1);
    Object.assign(known, { state, isDone, ...(!isDone && { medianS: null }) });
    this.#count(known, 1);
  }

  #count({ state, isDone }: KnownCell, by: 1 | -1): void {
    if (isDone) this.#counts.done += by;
    if (state === 'failed') this.#counts[isDone ? 'failed' : 'unmeasured'] += by;
  }

  #end(how: LiveState['sweep'], reason: string | null): void {
    for (const id of this.#running.now) {
      const known = this.#known.get(id);
      if (known) this.#wait(known);
    }
    this.#running.clear();
    this.#standing = how;
    this.#reason = reason;
  }

  #next(): Cell | null {
    if (this.#standing !== 'running') return null;
    for (const id of this.#sweep) {
      const known = this.#known.get(id);
      if (known?.state === 'waiting') return known.cell;
    }
    return null;
  }

  #tell(at: string, tone: NewsLine['tone'], text: string): void {
    this.#news = [{ at, tone, text }, ...this.#news].slice(0, MOST_NEWS);
  }
}

function shownCell({ cell, at, level }: KnownCell): LiveCell {
  return { cell, at, level };
}

function levelOf(event: SweepEvent & { kind: 'level-proved' }): LiveCell['level'] {
  const { kind: _, at: __, id: ___, ...level } = event;
  return level;
}

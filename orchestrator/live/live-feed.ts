import type { ServerResponse } from 'node:http';
import { messageOf } from '../../base/errors.ts';
import type { SweepEvent } from '../../experiments/store/campaign-events.ts';
import { type CellUse, readCellUse } from '../../experiments/store/host-use.ts';
import type { LiveFold } from '../../experiments/store/live-fold.ts';
import { type LiveView, liveParts, renderLive } from '../../report/live/render-live.ts';

interface Source {
  /** The campaign's folder. */
  readonly dir: string;
  /** What is known now. */
  readonly fold: () => LiveFold;
  /** Where the report is. */
  readonly reportAt: (state: LiveView['state']) => LiveView['report'];
  /** Told once when the view fails, which costs nothing else. */
  readonly onFault: (sentence: string) => void;
}

/**
 * The live page of a campaign and those who look at it. It runs beside measurements: without viewers nothing is rendered, what changed is
 * rendered once for all of them, and hosts' samples are read at the end of a cell alone.
 */
export class LiveFeed {
  readonly #source: Source;
  readonly #viewers = new Viewers();
  /** What viewers have, by part. */
  #sent: ReadonlyMap<string, string> = new Map();
  #use: CellUse | null = null;
  #isReading = false;
  #waiting: NodeJS.Immediate | undefined;
  #hasFailed = false;

  constructor(source: Source) {
    this.#source = source;
  }

  /** What has changed is rendered once all that comes at a time is there. */
  changed(event: SweepEvent | null): void {
    if (this.#viewers.count === 0) return;
    this.#waiting ??= setImmediate(() => this.#flush());
    if (event?.kind === 'cell-finished') void this.readUse(event.id);
  }

  /** Reads what hosts used in the run of a cell, one at a time; by default the last one. */
  async readUse(id = this.#source.fold().state().last?.cell.id): Promise<void> {
    if (id === undefined || this.#isReading) return;
    this.#isReading = true;
    try {
      this.#use = await readCellUse(this.#source.dir, id);
      this.changed(null);
    } catch (error) {
      this.fail(error);
    } finally {
      this.#isReading = false;
    }
  }

  get isRunning(): boolean {
    return this.#source.fold().isRunning;
  }

  page(): string {
    return renderLive(this.#view());
  }

  watch(response: ServerResponse, head: Readonly<Record<string, string>>): void {
    this.#flush();
    const { title, parts } = liveParts(this.#view());
    if (this.#viewers.count === 0) this.#sent = new Map(parts);
    this.#viewers.add(response, JSON.stringify({ title, parts }), head);
  }

  /** Viewers get the last state, and hear that nothing more comes. */
  end(): void {
    this.#flush();
    this.#viewers.end();
  }

  #view(): LiveView {
    const { fold, reportAt } = this.#source;
    const state = fold().state();
    const use = this.#use === null ? null : { ...this.#use, name: fold().nameOf(this.#use.id) };
    return { state, use, report: reportAt(state) };
  }

  #flush(): void {
    clearImmediate(this.#waiting);
    this.#waiting = undefined;
    if (this.#viewers.count === 0) return;
    try {
      const { title, parts } = liveParts(this.#view());
      const changed = parts.filter(([id, content]) => this.#sent.get(id) !== content);
      this.#sent = new Map(parts);
      if (changed.length > 0) this.#viewers.send(JSON.stringify({ title, parts: changed }));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Says it once, and goes on as well as it can. */
  fail(error: unknown): void {
    if (!this.#hasFailed) this.#source.onFault(`the live view failed: ${messageOf(error)}`);
    this.#hasFailed = true;
  }
}

/** Of what a viewer has not read yet, bytes: one that is further behind is dropped, and may come again. */
const MOST_BEHIND = 2 ** 20;
const MOST_VIEWERS = 64;
/** Routers on the way forget a connection on which nothing passes. */
const PAUSE_MS = 25_000;

/**
 * Streams of events to browsers (https://html.spec.whatwg.org/multipage/server-sent-events.html). Nothing waits for a viewer, and none
 * takes more than a bounded memory.
 */
export class Viewers {
  readonly #open = new Set<ServerResponse>();
  #pauses: NodeJS.Timeout | undefined;

  get count(): number {
    return this.#open.size;
  }

  /** Begins a stream with its first message; `head` are headers of the answer. */
  add(response: ServerResponse, first: string, head: Readonly<Record<string, string>>): void {
    if (this.#open.size >= MOST_VIEWERS) {
      response.writeHead(503, head).end('Too many viewers.\n');
      return;
    }
    const type = 'text/event-stream; charset=utf-8';
    response.writeHead(200, { ...head, 'content-type': type, connection: 'close', 'x-accel-buffering': 'no' });
    response.on('close', () => this.#forget(response)).on('error', () => this.#forget(response));
    this.#open.add(response);
    this.#pauses ??= setInterval(() => this.#write(':\n\n'), PAUSE_MS).unref();
    response.write(message(first));
  }

  /** `data` is one line. */
  send(data: string): void {
    this.#write(message(data));
  }

  /** Says that nothing more comes. */
  end(): void {
    for (const response of this.#open) response.end('event: end\ndata:\n\n');
  }

  #write(text: string): void {
    for (const response of this.#open) {
      if (response.writableLength > MOST_BEHIND) response.destroy();
      else response.write(text);
    }
  }

  #forget(response: ServerResponse): void {
    this.#open.delete(response);
    if (this.#open.size > 0) return;
    clearInterval(this.#pauses);
    this.#pauses = undefined;
  }
}

function message(data: string): string {
  return `data: ${data}\n\n`;
}

import type { ServerResponse } from 'node:http';

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

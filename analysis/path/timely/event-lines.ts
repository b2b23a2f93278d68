// Chunks of a Timely trace (JSON lines, README of this room) to events: whole lines are scanned where they lie, the piece at the
// end of a chunk waits for the next one.
import { LONGEST_LINE } from '../source/lines.ts';
import { Addresses } from './addresses.ts';
import { type EventSink, TimelyEvent } from './event.ts';
import { parseLine } from './parse-line.ts';
import { LineScanner } from './scan-line.ts';

const [NEWLINE, RETURN, SPACE, TAB] = [10, 13, 32, 9];

const NOBODY: EventSink = { event: () => {}, declare: () => {}, problem: () => {} };

/** Feed it chunks, then `finish`: the sink gets every event in the file's order, and every line that is none as a problem. */
export class EventLines {
  readonly addresses = new Addresses();
  /** Lines so far. */
  lines = 0;
  private sink: EventSink = NOBODY;
  private readonly event = new TimelyEvent();
  private readonly scanner: LineScanner;
  /** Of the line at the end of the last chunk. */
  private rest: Buffer[] = [];
  private restBytes = 0;
  private tooLong = false;

  constructor() {
    this.scanner = new LineScanner(this.addresses);
  }

  /** Who gets the events; it may need the reader's addresses first. */
  to(sink: EventSink): void {
    this.sink = sink;
  }

  feed(chunk: Buffer): void {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last < 0) {
      this.keep(chunk);
      return;
    }
    let from = 0;
    if (this.restBytes > 0 || this.tooLong) {
      from = chunk.indexOf(NEWLINE) + 1;
      const line = Buffer.concat([...this.takeRest(), chunk.subarray(0, from)]);
      if (this.tooLong) this.skipLine();
      else this.scan(line, { from: 0, end: line.length });
    }
    this.scan(chunk, { from, end: last + 1 });
    this.keep(Buffer.from(chunk.subarray(last + 1)));
  }

  /** The end of the trace: what has no end of line is an event if it can be read as one, else `truncated line`. */
  finish(): void {
    const rest = Buffer.concat(this.takeRest());
    if (rest.length === 0) return;
    const { sink, event, addresses } = this;
    this.lines += 1;
    event.line = this.lines;
    const text = rest.toString('utf8');
    if (text.trim() === '') return;
    const cut = { ...rename(sink, { from: 'unreadable line', to: 'truncated line' }) };
    parseLine(text, { event, sink: cut, addresses });
  }

  private keep(piece: Buffer): void {
    if (piece.length === 0 || this.tooLong) return;
    this.rest.push(piece);
    this.restBytes += piece.length;
    if (this.restBytes <= LONGEST_LINE) return;
    this.takeRest();
    this.tooLong = true;
  }

  private takeRest(): readonly Buffer[] {
    const { rest } = this;
    this.rest = [];
    this.restBytes = 0;
    return rest;
  }

  private skipLine(): void {
    this.tooLong = false;
    this.lines += 1;
    this.sink.problem('unreadable line', this.lines);
  }

  private scan(buffer: Buffer, { from, end }: { from: number; end: number }): void {
    const { scanner, event, sink } = this;
    scanner.use(buffer);
    let at = from;
    let line = this.lines;
    while (at < end) {
      line += 1;
      event.line = line;
      if (scanner.scan(at, event)) {
        at = scanner.next;
        sink.event(event);
      } else {
        const newline = buffer.indexOf(NEWLINE, at);
        if (!isBlank(buffer, at, newline)) {
          parseLine(buffer.toString('utf8', at, newline), { event, sink, addresses: this.addresses });
        }
        at = newline + 1;
      }
    }
    this.lines = line;
  }
}

function isBlank(buffer: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = buffer[at];
    if (byte !== SPACE && byte !== TAB && byte !== RETURN) return false;
  }
  return true;
}

function rename(sink: EventSink, { from, to }: { from: string; to: string }): EventSink {
  return {
    event: (event) => sink.event(event),
    declare: (event, declaration) => sink.declare(event, declaration),
    problem: (kind, line) => sink.problem(kind === from ? to : kind, line),
  };
}

import { StringDecoder } from 'node:string_decoder';

interface Options {
  /** Called with each whole line, without its `\n`. */
  readonly onLine: (line: string) => void;
  /** The longest line, in bytes of UTF-8. */
  readonly mostLineBytes: number;
  /**
   * Called once in place of a line that is longer, with its beginning, as soon as that is known: its end may never come. Without it
   * such a line is passed over, so that what was cut off is never taken for what was said.
   */
  readonly onTooLong?: (beginning: string) => void;
}

/** The lines of a text that comes in pieces from a host, a socket or a child, in bounded memory and in time linear in the text. */
export class LineReader {
  readonly #options: Options;
  /** Of the line whose end has not come. */
  #pieces: string[] = [];
  #bytes = 0;
  #isTooLong = false;

  constructor(options: Options) {
    this.#options = options;
  }

  add(text: string): void {
    const first = text.indexOf('\n');
    if (first < 0) {
      this.#keep(text);
      return;
    }
    this.#keep(text.slice(0, first));
    this.#finish();
    const lines = text.slice(first + 1).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      if (this.#fits(line)) this.#options.onLine(line);
      else this.#tell(line);
    }
    this.#keep(rest);
  }

  /** Nothing more comes: what has no line end is a line too. */
  end(): void {
    if (this.#bytes > 0 || this.#isTooLong) this.#finish();
  }

  #fits(line: string): boolean {
    const { mostLineBytes } = this.#options;
    // A UTF-16 unit takes three bytes at most.
    return line.length * 3 <= mostLineBytes || Buffer.byteLength(line) <= mostLineBytes;
  }

  #keep(piece: string): void {
    if (piece === '' || this.#isTooLong) return;
    this.#pieces.push(piece);
    this.#bytes += Buffer.byteLength(piece);
    if (this.#bytes <= this.#options.mostLineBytes) return;
    this.#isTooLong = true;
    this.#tell(this.#takeLine());
  }

  #finish(): void {
    const line = this.#takeLine();
    if (!this.#isTooLong) this.#options.onLine(line);
    this.#isTooLong = false;
  }

  #takeLine(): string {
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }

  #tell(line: string): void {
    const { mostLineBytes, onTooLong } = this.#options;
    // The decoder leaves out a character that is cut in the middle.
    onTooLong?.(new StringDecoder('utf8').write(Buffer.from(line.slice(0, mostLineBytes)).subarray(0, mostLineBytes)));
  }
}

/** Takes text in pieces and hands on its whole lines; one that is too long is passed over. */
export function byLine(onLine: (line: string) => void, mostLineBytes: number): (text: string) => void {
  const reader = new LineReader({ onLine, mostLineBytes });
  return (text) => reader.add(text);
}

/**
 * The lines of pieces of text, as many at once as a piece ends; the last may lack its end. Of a line that is too long its beginning
 * is there.
 */
export async function* linesIn(
  pieces: Iterable<string | Buffer> | AsyncIterable<string | Buffer>,
  mostLineBytes: number,
): AsyncGenerator<readonly string[]> {
  const lines: string[] = [];
  const onLine = (line: string): void => void lines.push(line);
  const reader = new LineReader({ onLine, onTooLong: onLine, mostLineBytes });
  const decoder = new StringDecoder('utf8');
  for await (const piece of pieces) {
    reader.add(typeof piece === 'string' ? piece : decoder.write(piece));
    yield lines.splice(0);
  }
  reader.add(decoder.end());
  reader.end();
  yield lines.splice(0);
}

/** The fields of one line of comma-separated values (RFC 4180, without line breaks in fields); null where a quote is not closed or doubled. */
export function csvFields(line: string): string[] | null {
  return line.includes('"') ? quotedFields(line) : plainFields(line);
}

/** Three times as quick as split: files have a million lines. */
function plainFields(line: string): string[] {
  const fields: string[] = [];
  let from = 0;
  for (let comma = line.indexOf(','); comma >= 0; comma = line.indexOf(',', from)) {
    fields.push(line.slice(from, comma));
    from = comma + 1;
  }
  fields.push(line.slice(from));
  return fields;
}

/** Blanks around quotes do not count. */
function quotedFields(line: string): string[] | null {
  const fields: string[] = [];
  for (let from = 0; ; ) {
    const start = from + blanksAt(line, from);
    const isQuoted = line[start] === '"';
    const end = isQuoted ? closingQuote(line, start + 1) : commaAt(line, from);
    if (end < 0) return null;
    const field = isQuoted ? line.slice(start + 1, end).replaceAll('""', '"') : line.slice(from, end);
    const next = isQuoted ? end + 1 + blanksAt(line, end + 1) : end;
    if ((!isQuoted && field.includes('"')) || (next < line.length && line[next] !== ',')) return null;
    fields.push(field);
    if (next >= line.length) return fields;
    from = next + 1;
  }
}

/** How many blanks there are from a place on. */
function blanksAt(line: string, from: number): number {
  let end = from;
  while (end < line.length && /\s/.test(line.charAt(end))) end += 1;
  return end - from;
}

function commaAt(line: string, from: number): number {
  const comma = line.indexOf(',', from);
  return comma < 0 ? line.length : comma;
}

/** The next quote that no other follows; -1 without one. */
function closingQuote(line: string, from: number): number {
  let quote = line.indexOf('"', from);
  while (quote >= 0 && line[quote + 1] === '"') quote = line.indexOf('"', quote + 2);
  return quote;
}

// What `otf2-print` of the OTF2 tools says of an archive: definitions, then events in order of time. https://doi.org/10.5281/zenodo.1240731
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { badInput, infrastructure, messageOf } from '../../../../base/errors.ts';
import { LineReader } from '../../../../base/line-reader.ts';
import { linesOf } from '../open-bytes.ts';

/** A definition or an event; texts in it may hold ends of lines. */
export interface Otf2Record {
  readonly event: boolean;
  /** `ENTER`, `MPI_SEND`, `REGION`, ... */
  readonly keyword: string;
  /** Of an event its location, else the definition's id. */
  readonly id: number;
  /** Ticks since the trace's offset; 0 of a definition. */
  readonly ticks: number;
  readonly text: string;
  /** In what is printed, from 1. */
  readonly line: number;
}

const EVENT = /^([A-Z][A-Z0-9_]*) +(\d+) +(\d+) {2}(.*)$/;
/** Bytes of its first line. */
const LONGEST_COMPLAINT = 4096;
const DEFINITION = /^([A-Z][A-Z0-9_]*)(?: +(\d+) {2} *| {3} *)(\S.*)$/s;

/** Errors: infrastructure where otf2-print is missing; badInput, after what it could read, with what it says went wrong. */
export async function* printRecords(anchor: string): AsyncGenerator<readonly Otf2Record[]> {
  const child = spawn('otf2-print', ['-A', '--timestamps=offset', '--', anchor], { stdio: ['ignore', 'pipe', 'pipe'] });
  const failed = once(child, 'error').then(([error]) => error as NodeJS.ErrnoException);
  const started = await Promise.race([once(child, 'spawn').then(() => null), failed]);
  if (started !== null) {
    throw infrastructure(`otf2-print cannot be started (${messageOf(started)}): install Debian's otf2-tools.`);
  }
  let complaint = '';
  const onLine = (line: string): void => {
    complaint ||= line;
  };
  const reader = new LineReader({ onLine, onTooLong: onLine, mostLineBytes: LONGEST_COMPLAINT });
  child.stderr.setEncoding('utf8').on('data', (text: string) => reader.add(text));
  const closed = once(child, 'close');
  try {
    yield* recordsOf(linesOf(child.stdout));
  } finally {
    child.stdout.destroy();
    child.kill();
  }
  const [code] = (await closed) as [number | null];
  if (code === 0) return;
  reader.end();
  const said = complaint.replace(/^.*error: /, '');
  throw badInput(
    `${anchor} cannot be read as OTF2 (${said || `otf2-print ended with ${code}`}): check that the archive is complete.`,
  );
}

async function* recordsOf(pieces: AsyncIterable<readonly string[]>): AsyncGenerator<readonly Otf2Record[]> {
  const reader = new RecordReader();
  for await (const lines of pieces) yield lines.flatMap((line) => reader.add(line));
  yield reader.finish();
}

/** Puts lines together to records: texts in them may hold ends of lines. */
class RecordReader {
  #events = false;
  #line = 0;
  #open: { readonly found: Omit<Otf2Record, 'text'>; text: string } | null = null;

  /** The record that this line shows to be over, if it does. */
  add(line: string): readonly Otf2Record[] {
    this.#line += 1;
    const heading = line.startsWith('=== ');
    const match = heading ? null : (this.#events ? EVENT : DEFINITION).exec(line);
    if (match === null && !heading) {
      // A text that goes on; attributes of events are no part of one.
      if (this.#open !== null && !/^ +ADDITIONAL ATTRIBUTES: /.test(line)) this.#open.text += `\n${line}`;
      return [];
    }
    const done = this.finish();
    if (heading) this.#events = line.startsWith('=== Events');
    if (match === null) return done;
    const [, keyword = '', id = '0', third = '', rest = ''] = match;
    const event = this.#events;
    const found = { event, keyword, id: Number(id), ticks: event ? Number(third) : 0, line: this.#line };
    this.#open = { found, text: event ? rest : third };
    return done;
  }

  finish(): readonly Otf2Record[] {
    const done = this.#open === null ? [] : [{ ...this.#open.found, text: this.#open.text }];
    this.#open = null;
    return done;
  }
}

import { z } from 'zod';
import { badInput } from '../../../base/errors.ts';
import { UNKNOWN_FRAME } from '../../../experiments/stacks/perf-script.ts';
import { ProfileBuilder, type ReadOptions, type ReadProfile } from './profile-builder.ts';
import type { ProfileFile } from './profile-file.ts';

// What `jfr print --json --stack-depth 64 --events jdk.ExecutionSample` prints. https://docs.oracle.com/en/java/javase/17/docs/specs/man/jfr.html

const HEAD = /^\s*\{\s*"recording"\s*:\s*\{\s*"events"\s*:\s*\[/;
const TAIL = /^\]\s*\}\s*\}\s*$/;
/** `jfr print` cuts stacks to so many frames where it is not told otherwise. */
const PRINTED_DEPTH = 5;

const frameSchema = z.object({
  method: z.object({ type: z.object({ name: z.string() }).nullish(), name: z.string().nullish() }).nullish(),
});
const sampleSchema = z.object({
  startTime: z.string().nullish(),
  stackTrace: z.object({ truncated: z.boolean().nullish(), frames: z.array(frameSchema) }).nullish(),
});
/** What an entry of the list is. */
const EVENT = 'an event of a Java recording';
const eventSchema = z.object({ type: z.string(), values: z.unknown() });

/** Execution samples, by type and method: each counts 1. */
export function readJfr(file: ProfileFile, options: ReadOptions): ReadProfile | null {
  const head = HEAD.exec(file.bytes.toString('latin1', 0, 4096));
  if (head === null) return null;
  const builder = new ProfileBuilder(options);
  let [first, end]: [bigint | null, bigint] = [null, 0n];
  const cut = { deepest: 0, stacks: 0 };
  const events = jsonElements(file, head[0].length);
  let number = 0;
  let next = events.next();
  for (; !next.done; next = events.next()) {
    number += 1;
    const where = `, event ${number}:`;
    const event = file.parsed(eventSchema, next.value, EVENT, where);
    if (event.type !== 'jdk.ExecutionSample') continue;
    const { startTime, stackTrace } = file.parsed(sampleSchema, event.values, EVENT, where);
    const timeNs = parseIsoNs(startTime);
    if (timeNs !== null && (first === null || timeNs < first)) first = timeNs;
    if (timeNs !== null && timeNs > end) end = timeNs;
    const frames = (stackTrace?.frames ?? []).map(nameOf).reverse();
    if (stackTrace?.truncated === true) builder.truncated += 1;
    cut.deepest = Math.max(cut.deepest, frames.length);
    if (frames.length === PRINTED_DEPTH) cut.stacks += 1;
    builder.add(frames, 1);
  }
  if (!TAIL.test(file.bytes.toString('latin1', next.value))) {
    throw file.refuse(
      file.lineAt(next.value),
      'the list of events is not the end of the recording: it is truncated or damaged',
    );
  }
  if (builder.isEmpty)
    throw badInput(`${file.path} has no event jdk.ExecutionSample: record with -XX:StartFlightRecording.`);
  if (cut.deepest === PRINTED_DEPTH) {
    builder.problems.add('stack of five frames, as jfr print cuts them without --stack-depth', 0, cut.stacks);
  }
  const durationNs = first === null ? null : Number(end - first);
  return builder.build(file.path, 'samples', { startedAtNs: first, durationNs });
}

function nameOf({ method }: z.infer<typeof frameSchema>): string {
  if (!method?.name) return UNKNOWN_FRAME;
  return method.type ? `${method.type.name}.${method.name}` : method.name;
}

/** ISO 8601 with up to nine decimals as ns since 1970; null for another text, and for none. */
function parseIsoNs(text: string | null | undefined): bigint | null {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text ?? '');
  const ms = Date.parse(`${match?.[1]}${match?.[3]}`);
  if (match === null || Number.isNaN(ms)) return null;
  return BigInt(ms) * 1_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}

const [QUOTE, ESCAPE, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: readonly number[] = [0x5b, 0x7b];
const CLOSING: readonly number[] = [0x5d, 0x7d];

/**
 * The values of a list in JSON one after another, so that a file may be longer than any text. `from` is where its `[` ends; returns
 * where its `]` stands. Errors: badInput with the line where a value is damaged or the file cut off.
 */
function* jsonElements(file: ProfileFile, from: number): Generator<unknown, number> {
  const { bytes } = file;
  let start = from;
  let depth = 0;
  for (let place = from; place < bytes.length; place += 1) {
    const byte = bytes[place] as number;
    if (byte === QUOTE) place = endOfText(bytes, place);
    else if (OPENING.includes(byte)) depth += 1;
    else if (CLOSING.includes(byte)) {
      depth -= 1;
      if (depth >= 0) continue;
      if (start !== from || !isBlank(bytes, start, place)) yield file.jsonBetween(start, place);
      return place;
    } else if (byte === COMMA && depth === 0) {
      yield file.jsonBetween(start, place);
      start = place + 1;
    }
  }
  throw file.refuse(file.lineAt(bytes.length - 1), 'the file is truncated there');
}

/** Where the text that begins at a quote ends. */
function endOfText(bytes: Buffer, quote: number): number {
  for (let place = quote + 1; place < bytes.length; place += 1) {
    if (bytes[place] === ESCAPE) place += 1;
    else if (bytes[place] === QUOTE) return place;
  }
  return bytes.length;
}

function isBlank(bytes: Buffer, from: number, to: number): boolean {
  for (let place = from; place < to; place += 1) if ((bytes[place] as number) > 0x20) return false;
  return true;
}

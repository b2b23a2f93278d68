import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { appendEvents, readEvents, type SweepEvent } from '../../experiments/store/campaign-events.ts';
import { tempFolder } from './make.ts';

const at = '2024-05-01T10:00:00.000Z';
const id = '00000000000000ab';
const timing = { totalMs: 1200, throttleMs: 100, workloadMs: 1000, collectMs: 100 };

const EVERY_KIND: readonly SweepEvent[] = [
  { kind: 'sweep-begun', at, planned: [id], done: [] },
  { kind: 'cell-started', at, id, attempt: 1 },
  { kind: 'cell-retried', at, id, attempt: 1, reason: 'the link of node02 is gone.' },
  { kind: 'cell-finished', at, id, status: 'ok', reason: null, timing, runs: 4, medianS: 0.25, marks: [] },
  { kind: 'cell-finished', at, id, status: 'failed', reason: 'It said no.', timing, runs: 0, medianS: null, marks: [] },
  { kind: 'cell-given-up', at, id, reason: 'two\nlines — and “quotes”' },
  { kind: 'note', at, text: 'nothing much' },
  { kind: 'sweep-ended', at, how: 'complete', reason: null },
];
const note = (text: string): SweepEvent => ({ kind: 'note', at, text });

function fileOf(dir: string): string {
  return join(dir, 'events.jsonl');
}

function written(events: readonly SweepEvent[]): string {
  const dir = tempFolder();
  const append = appendEvents(dir);
  for (const event of events) append(event);
  return dir;
}

describe('events.jsonl', () => {
  test('gives back what was appended, one line each', () => {
    const dir = written(EVERY_KIND);
    expect(readEvents(dir)).toEqual(EVERY_KIND);
    expect(readFileSync(fileOf(dir), 'utf8').split('\n')).toHaveLength(EVERY_KIND.length + 1);
  });

  test('is none where no sweep has written', () => {
    expect(readEvents(tempFolder())).toEqual([]);
  });

  test('grows by what later sweeps append', () => {
    const dir = written(EVERY_KIND);
    const [one, two] = [appendEvents(dir), appendEvents(dir)];
    one(note('first'));
    two(note('second'));
    one(note('third'));
    expect(readEvents(dir)).toEqual([...EVERY_KIND, note('first'), note('second'), note('third')]);
  });

  test('may be cut anywhere: whole lines count, and the next sweep goes on behind the cut', () => {
    const whole = readFileSync(fileOf(written(EVERY_KIND)));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length }), (length) => {
        const dir = written([]);
        writeFileSync(fileOf(dir), whole.subarray(0, length));
        const before = readEvents(dir);
        expect(before).toEqual(EVERY_KIND.slice(0, before.length));
        expect(whole.subarray(0, length).toString().split('\n').length).toBeLessThanOrEqual(before.length + 1);
        const append = appendEvents(dir);
        append(note('again'));
        append(note('and again'));
        expect(readEvents(dir)).toEqual([...before, note('again'), note('and again')]);
        rmSync(dir, { recursive: true });
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['is no JSON', 'garbage'],
    ['is of an unknown kind', JSON.stringify({ kind: 'party', at })],
    ['lacks its time', JSON.stringify({ kind: 'note', text: 'when?' })],
    ['is half a line in the middle', '{"kind":"note","at"'],
  ])('names the line that %s', (_, line) => {
    const dir = written([note('before')]);
    appendFileSync(fileOf(dir), `${line}\n${JSON.stringify(note('after'))}\n`);
    expect(() => readEvents(dir)).toThrow(/events\.jsonl is damaged in line 2: /);
  });

  test('with a damaged last line that has its line break is damaged', () => {
    const dir = written([note('before')]);
    appendFileSync(fileOf(dir), 'garbage\n');
    expect(() => readEvents(dir)).toThrow(/events\.jsonl is damaged in line 2: /);
  });

  test('from an editor that writes CRLF reads the same', () => {
    const dir = written(EVERY_KIND);
    writeFileSync(fileOf(dir), readFileSync(fileOf(dir), 'utf8').replaceAll('\n', '\r\n'));
    expect(readEvents(dir)).toEqual(EVERY_KIND);
  });

  test('that cannot be written is an error of the file system, and a later event is tried again', () => {
    const dir = join(tempFolder(), 'not there');
    const append = appendEvents(dir);
    expect(() => append(note('one'))).toThrow('ENOENT');
    expect(() => append(note('two'))).toThrow('ENOENT');
    expect(readEvents(dir)).toEqual([]);
  });

  test.each(['FIFO', 'link'])('is neither waited for nor followed where a %s lies in its place', (kind) => {
    const dir = tempFolder();
    const elsewhere = join(dir, 'elsewhere');
    writeFileSync(elsewhere, '');
    if (kind === 'FIFO') execFileSync('mkfifo', [fileOf(dir)]);
    else symlinkSync(elsewhere, fileOf(dir));
    expect(() => readEvents(dir)).toThrow(`events.jsonl is a ${kind}, not a file`);
    expect(() => appendEvents(dir)(note('one'))).toThrow();
    expect(readFileSync(elsewhere, 'utf8')).toBe('');
  });
});

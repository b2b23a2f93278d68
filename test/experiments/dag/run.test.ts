import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { DagLine } from '../../../experiments/dag/dag-records.ts';
import { readDagRun } from '../../../experiments/dag/read-run.ts';
import { createDagRun } from '../../../experiments/dag/write-run.ts';
import { paperJob } from '../../analysis/dag/paper-job.ts';
import { simulateJob } from '../../analysis/dag/simulate-job.ts';

const parent = mkdtempSync(join(tmpdir(), 'dag-run-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
const { run, lines } = simulateJob(paperJob(1, 1), { periodS: 60, mostS: 300 });
let [count, folder] = [0, ''];
beforeEach(() => {
  folder = join(parent, String(count++));
});

function write(all: readonly DagLine[]): void {
  const writer = createDagRun(folder, run);
  for (const line of all) writer.append(line);
  writer.close();
}

async function read() {
  const { lines: found, problems, run: job } = await readDagRun(folder);
  const all: DagLine[] = [];
  for await (const line of found) all.push(line);
  return { all, problems, job };
}

it('a run is read as it was written', async () => {
  const others: DagLine[] = [
    { kind: 'vertex-gone', atNs: 5, id: 'ocr', why: 'exit 1' },
    { kind: 'note', atNs: 6, text: 'a sentence' },
  ];
  write([...lines, ...others]);
  const { all, problems, job } = await read();
  expect(all).toEqual([...lines, ...others]);
  expect(problems).toEqual([]);
  expect(job).toEqual({ schema: 1, ...run });
});

it('a last line that is not whole is passed over and told', async () => {
  write(lines);
  appendFileSync(join(folder, 'periods.jsonl'), JSON.stringify(lines[0]).slice(0, 100));
  const { all, problems } = await read();
  expect(all).toEqual(lines);
  expect(problems).toEqual([expect.stringContaining(`line ${lines.length + 1} is incomplete`)]);
});

it('a damaged line before the last is refused with its number', async () => {
  write(lines);
  const path = join(folder, 'periods.jsonl');
  const text = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [text[0], '{"kind":"period"}', ...text.slice(1)].join('\n'));
  await expect(read()).rejects.toThrow(/line 2 is damaged/);
});

it('periods that overlap are refused', async () => {
  write([...lines, ...lines.slice(0, 1)]);
  await expect(read()).rejects.toThrow(/starts before the one before it ends/);
});

it('a folder that holds a run is not written over', () => {
  write(lines);
  expect(() => createDagRun(folder, run)).toThrow(/already exists: choose another folder/);
});

it('a folder without a run is refused', async () => {
  await expect(readDagRun(join(parent, 'nothing'))).rejects.toThrow(/run.json is missing/);
});

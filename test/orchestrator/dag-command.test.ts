import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createDagRun } from '../../experiments/dag/write-run.ts';
import { dagOfRuns } from '../../orchestrator/cli/dag/dag-of-runs.ts';
import { paperJob } from '../analysis/dag/paper-job.ts';
import { simulateJob } from '../analysis/dag/simulate-job.ts';
import { runPredict } from '../run-predict.ts';

const run = (...args: string[]) => runPredict(['dag', ...args]);
const folder = mkdtempSync(join(tmpdir(), 'dag-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, ocr: number, pdf: number, command = 'paper'): string {
  const { run: job, lines } = simulateJob(paperJob(ocr, pdf), { periodS: 60, mostS: 1200 });
  const writer = createDagRun(join(folder, name), { ...job, command });
  for (const line of lines) writer.append(line);
  writer.close();
  return join(folder, name);
}

test('runs are compared, advised on, drawn and traced', async () => {
  const folders = [write('a', 1, 1), write('d', 16, 5, 'a\u001b[2Jb')];
  const [page, trace] = [join(folder, 'job.html'), join(folder, 'job.json')];
  const flags = ['--price', '0.10', '--size', '4000', '--target', '2.5/s', '--out', page, '--trace', trace];
  const { stdout, exitCode } = await run(...folders, ...flags);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/Edge file-reader → ocr is the bottleneck/);
  expect(stdout).toMatch(/For 2\.5\/s: 1 of 'file-reader', 1[12] of 'ocr', 3 of 'pdf-creator'/);
  expect(stdout).toMatch(/2\.30 {2}Edge file-reader → ocr/);
  expect(stdout).not.toContain('\u001b');
  expect(statSync(page).size).toBeGreaterThan(5000);
  expect(JSON.parse(readFileSync(trace, 'utf8')).traceEvents.length).toBeGreaterThan(100);
});

test.each([
  [['nowhere'], {}, /run.json is missing: name the folder of a run/],
  [['nowhere'], { target: '5' }, /--target: '5' is not a rate: write for example 500\/s/],
  [['nowhere'], { alpha: '2' }, /--alpha: '2' is outside its range, 0 to 1/],
  [['nowhere'], { saturation: 'x' }, /--saturation: 'x' is unknown: write buffer, writer, pressure/],
])('%j with %j is refused', async (runs, flags, message) => {
  await expect(dagOfRuns(runs, flags)).rejects.toThrow(message);
});

test('a target in bytes is none for a job whose records were counted', async () => {
  await expect(dagOfRuns([write('e', 1, 1)], { target: '5MB/s' })).rejects.toThrow(
    /--target: these runs counted records/,
  );
});

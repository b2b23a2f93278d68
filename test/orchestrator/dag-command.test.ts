import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createDagRun } from '../../experiments/dag/write-run.ts';
import { dagOfRuns } from '../../orchestrator/cli/dag/dag-of-runs.ts';
import { paperJob } from '../analysis/dag/paper-job.ts';
import { simulateJob } from '../analysis/dag/simulate-job.ts';
import { runPredict, runPredictJson } from '../run-predict.ts';
import { printedTable } from './printed-table.ts';

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
  expect(stdout).toContain('\n\nRuns, and their rates predicted from the first one:\n');
  expect(stdout).toContain('\nEach added instance has its own machine.\n\nFor 2.5/s: ');
  expect(stdout).toMatch(/\nFor 2\.5\/s.*\n(With .*\n)?\nNotes:\n/);
  expect(stdout).not.toContain('\u001b');
  expect(statSync(page).size).toBeGreaterThan(5000);
  expect(JSON.parse(readFileSync(trace, 'utf8')).traceEvents.length).toBeGreaterThan(100);
});

interface Explained {
  readonly unit: string | null;
  readonly size: number | null;
  readonly runs: readonly {
    readonly folder: string;
    readonly seconds: number;
    readonly rate: number | null;
    readonly verdict: string;
    readonly cautions: readonly string[];
    readonly summary: { readonly timeline: readonly { readonly id: string; readonly startNs: number }[] };
  }[];
  readonly tasks: readonly { readonly label: string; readonly instances: number; readonly busy: number | null }[];
  readonly edges: readonly { readonly label: string }[];
  readonly steps: readonly { readonly instances: readonly number[]; readonly by: { readonly kind: string } }[];
  readonly notes: readonly string[];
}

/** What is printed of runs, and its JSON. */
async function bothOf(...words: string[]): Promise<{ text: string; lines: string[]; json: Explained }> {
  const { exitCode, stdout } = await runPredict(['dag', ...words], { env: { COLUMNS: undefined } });
  expect(exitCode).toBe(0);
  // One empty line divides parts, also where one is left out.
  expect(stdout).not.toContain('\n\n\n');
  return { text: stdout, lines: stdout.split('\n'), json: await runPredictJson<Explained>(['dag', ...words]) };
}

test('what is printed of a run has the figures of its JSON, and what does not apply is left out', async () => {
  const folder = write('one', 1, 1);
  const { text, lines, json } = await bothOf(folder);
  const [run] = json.runs;
  // Periods of a minute.
  expect(run?.seconds).toBe(19 * 60);
  const [, said, rate] = /: (.*), watched by simulation, ([\d.]+)\/s$/.exec(lines[0] ?? '') ?? [];
  expect([said, Number(rate)]).toEqual(['19 min 00 s in 19 periods', expect.closeTo(run?.rate ?? Number.NaN, 2)]);
  expect(lines[1]).toBe(run?.verdict);
  const tasks = printedTable(text, ['task']);
  expect(tasks.map(({ task }) => task)).toEqual(json.tasks.map(({ label }) => label));
  expect(printedTable(text, ['edge']).map(({ edge }) => edge)).toEqual(json.edges.map(({ label }) => label));
  expect(run?.summary.timeline).toHaveLength(1);
  expect(text).toMatch(/\n\n0 s to 19 min 00 s: Task 'ocr'\n\n/);
  expect(json.steps.at(-1)?.by.kind).toBe('cpu');
  expect(text).toContain(`Steps (no limit of an edge is known); whole job: ${json.size} records.`);
  const notes = [...(run?.cautions ?? []), ...json.notes].map((note) => `- ${note}`);
  expect(lines.slice(lines.indexOf('Notes:'))).toEqual(['Notes:', ...notes]);
  const { text: asked } = await bothOf(folder, '--target', '0.1/s');
  expect(asked).toMatch(/\nFor 0\.1\/s: .*\n\nNotes:\n/);
  for (const words of ['Runs, and their rates', 'more (--json', 'For ']) expect(text).not.toContain(words);
});

test.each([
  [['nowhere'], {}, /run.json is missing: name the folder of a run/],
  [['nowhere'], { target: '5' }, /--target: '5' is not a rate: write for example 500\/s/],
  [['nowhere'], { alpha: '2' }, /--alpha: '2' is outside its range, 0 to 1/],
  [['nowhere'], { saturation: 'x' }, /--saturation: 'x' is unknown: write buffer, writer, pressure/],
])('%j with %j is refused', async (runs, flags, message) => {
  await expect(dagOfRuns(runs, flags)).rejects.toThrow(message);
});

test('runs that counted no work have no rate, and so no steps', async () => {
  const { run: job, lines } = simulateJob(paperJob(1, 1), { periodS: 60, mostS: 600 });
  const writer = createDagRun(join(folder, 'uncounted'), { ...job, command: null });
  const none = (one: object) =>
    Object.fromEntries(Object.entries(one).map(([id, did]) => [id, { ...did, records: null }]));
  for (const line of lines)
    writer.append(line.kind === 'period' ? { ...line, vertices: none(line.vertices), edges: none(line.edges) } : line);
  writer.close();
  const { text, lines: printed, json } = await bothOf(join(folder, 'uncounted'));
  expect([json.unit, json.runs[0]?.rate, json.steps]).toEqual([null, null, []]);
  expect(printed[0]).toMatch(/: 9 min 00 s in 9 periods, watched by simulation$/);
  expect(text).not.toContain('Steps');
  await expect(dagOfRuns([join(folder, 'uncounted')], { size: '5' })).rejects.toThrow(
    '--size: these runs counted neither records nor bytes, so no rate is known.',
  );
});

test.each([20, 21, 24])(
  'of a timeline of %i bottlenecks the first twenty are printed, in the order of time',
  async (count) => {
    const { run: job, lines } = simulateJob(paperJob(1, 1), { periodS: 60, mostS: 60 * 50 });
    const writer = createDagRun(join(folder, `turns-${count}`), { ...job, command: null });
    for (const [turn, line] of lines.slice(0, count).entries()) {
      if (line.kind !== 'period') throw new Error('only periods');
      // In every second period the task does nothing: then it is its full channel.
      const ocr = line.vertices.ocr ?? expect.fail();
      writer.append(
        turn % 2 === 0 ? line : { ...line, vertices: { ...line.vertices, ocr: { ...ocr, processing: [0] } } },
      );
    }
    writer.close();
    const { lines: printed, json } = await bothOf(join(folder, `turns-${count}`));
    const stretches = json.runs[0]?.summary.timeline ?? [];
    expect(stretches).toHaveLength(count);
    const ordered = stretches.toSorted((a, b) => a.startNs - b.startNs).slice(0, 20);
    expect(ordered).not.toEqual(stretches.slice(0, 20));
    const told = printed.filter((line) => / to .*: (Task|Edge) /.test(line) && !line.startsWith('-'));
    const starts = ordered.map(({ startNs }) => (startNs === 0 ? '0 s' : `${Math.round(startNs / 60e9)} min 00 s`));
    expect(told.map((line) => line.split(' to ')[0])).toEqual(starts);
    const more = count === 20 ? [] : [`... and ${count - 20} more (--json has all)`];
    expect(printed.filter((line) => line.includes('--json has'))).toEqual(more);
  },
);

test('of a job on one host without bottlenecks neither times nor machines are told', async () => {
  const paper = paperJob(1, 1);
  const here = { ...paper, tasks: paper.tasks.map((task) => ({ ...task, hosts: ['here'] })) };
  const { run: job, lines } = simulateJob(here, { periodS: 60, mostS: 600 });
  const [busy, idle] = ['busy', 'idle'].map((name) => createDagRun(join(folder, name), { ...job, command: null }));
  const still = (one: object) =>
    Object.fromEntries(Object.entries(one).map(([id, did]) => [id, { ...did, processing: [0] }]));
  const empty = (one: object) =>
    Object.fromEntries(
      Object.entries(one).map(([id, did]) => [id, { ...did, buffer: [0], writer: null, pressure: null }]),
    );
  for (const line of lines) {
    busy?.append(line);
    if (line.kind === 'period') idle?.append({ ...line, vertices: still(line.vertices), edges: empty(line.edges) });
  }
  for (const each of [busy, idle]) each?.close();
  const [working, waiting] = [await bothOf(join(folder, 'busy')), await bothOf(join(folder, 'idle'))];
  expect(working.text).toContain("\n0 s to 9 min 00 s: Task 'ocr'\n");
  expect(working.text).toContain('\nSteps ');
  expect(working.text).not.toContain('Each added instance');
  expect(waiting.json.runs[0]?.summary.timeline).toEqual([]);
  expect(waiting.text).not.toMatch(/^\d+ .* to .*: /m);
});

test('a target in bytes is none for a job whose records were counted', async () => {
  await expect(dagOfRuns([write('e', 1, 1)], { target: '5MB/s' })).rejects.toThrow(
    /--target: these runs counted records/,
  );
});

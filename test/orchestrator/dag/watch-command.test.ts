import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { explainJobs } from '../../../analysis/dag/explain/explain-jobs.ts';
import { readWatchedJob, WatchedJob } from '../../../analysis/dag/job/watched-job.ts';
import { DEFAULT_THRESHOLDS } from '../../../analysis/dag/judge/judge.ts';
import { summaryOfHistory } from '../../../analysis/dag/judge/summarise-job.ts';
import { DAG_RUN_SCHEMA } from '../../../experiments/dag/dag-records.ts';
import { createLiveScreen, liveFrame } from '../../../orchestrator/cli/dag/live-screen.ts';
import { dagWatchCommand } from '../../../orchestrator/cli/dag/watch.ts';
import { pipesSource } from '../../../orchestrator/dag/pipes/pipes-source.ts';
import { compiledStage } from '../../compiled.ts';

const folder = mkdtempSync(join(tmpdir(), 'dag-watch-'));
const stage = compiledStage();
afterAll(() => rmSync(folder, { recursive: true }));

const FLAGS = { period: '0.8s', hz: '50', capacity: '100' };

describe('predict dag watch', () => {
  it('names a planted slow stage, counts its records, keeps the run, and ends with the command', async () => {
    const out = join(folder, 'slow');
    // So much more for a record than a busy machine makes a stage wait for a processor.
    const command = [`${stage} 0 source 160 | ${stage} 100 | ${stage} 20000 workers 2 | ${stage} 100 sink`];
    await dagWatchCommand({ ...FLAGS, period: '0.5s', command, record: '4096B', out });
    const { job, problems } = await readWatchedJob(out, { thresholds: DEFAULT_THRESHOLDS });
    expect(problems).toEqual([]);
    expect(job.vertices.map(({ id, instances }) => `${id} ${instances}`)).toEqual([
      'stage 1',
      'stage-2 1',
      'stage-3 2',
      'stage-4 1',
    ]);
    expect(summaryOfHistory(job.judge).dominant).toMatchObject({ kind: 'cpu', id: 'stage-3' });
    const records = job.work.reduce((sum, one) => sum + (one.records ?? Number.NaN), 0);
    expect(records).toBeGreaterThan(80);
    expect(records).toBeLessThanOrEqual(160);
  });

  it('a task that limits its rate by a timer in select is the bottleneck, not the full pipe before it', async () => {
    const out = join(folder, 'timer');
    const command = [`${stage} 0 source 120 | ${stage} 20000 timer | ${stage} 100 sink`];
    await dagWatchCommand({ ...FLAGS, period: '0.5s', command, out });
    const { job } = await readWatchedJob(out, { thresholds: DEFAULT_THRESHOLDS });
    expect(summaryOfHistory(job.judge).dominant).toMatchObject({ kind: 'cpu', id: 'stage-2' });
    const { notes } = explainJobs([{ folder: out, job, problems: [] }], {
      ...{ level: 0.9, target: null, size: null, price: null },
    });
    expect(notes.join(' ')).toMatch(/'stage 20000 timer' sleeps in \d+ % of the time though no channel makes it wait/);
  });

  it('ends a command that goes on, with all that it started, after --for', async () => {
    const out = join(folder, 'for');
    await dagWatchCommand({ ...FLAGS, command: [`sleep 61.25 | sh -c 'sleep 61.25; cat'`], for: '1.2s', out });
    const { stdout } = await execa('pgrep', ['-fx', 'sleep 61.25'], { reject: false });
    expect(stdout).toBe('');
    const { job } = await readWatchedJob(out, { thresholds: DEFAULT_THRESHOLDS });
    expect(job.judge.periods.length).toBeGreaterThan(0);
  });

  it('refuses a folder with a run, several jobs at once, and a command of which nothing is seen', async () => {
    await expect(dagWatchCommand({ ...FLAGS, command: ['sleep 1 | cat'], out: join(folder, 'for') })).rejects.toThrow(
      /already contains a run/,
    );
    await expect(dagWatchCommand({ ...FLAGS, command: ['true'], flink: 'http://x' })).rejects.toThrow(
      /Name one job to watch/,
    );
    await expect(dagWatchCommand({ ...FLAGS, pids: '0' })).rejects.toThrow(/'0' is not a process id/);
    await expect(dagWatchCommand({ ...FLAGS, pids: '999999999' })).rejects.toThrow(/there is no process 999999999/);
  });

  it('ends at once, with its command, where what was seen cannot be kept', async () => {
    const source = pipesSource({
      ...{ periodS: 0.5, hz: 50, recordBytes: null, remote: null, link: null },
      local: { command: "sleep 62.75 | sh -c 'sleep 62.75; cat'", pids: [] },
    });
    const onLine = (): void => {
      throw new Error('the disk is full');
    };
    const listener = { onBegin: () => undefined, onLine, onPrinted: () => undefined };
    await expect(source.watch(listener, new AbortController().signal)).rejects.toThrow('the disk is full');
    expect((await execa('pgrep', ['-fx', 'sleep 62.75'], { reject: false })).stdout).toBe('');
  });

  it('fails with a command that fails, once what was seen is told', async () => {
    await expect(dagWatchCommand({ ...FLAGS, command: ['sleep 1 | cat; exit 3'] })).rejects.toMatchObject({
      ...{ kind: 'workload', message: 'The command ended with exit code 3.' },
    });
    await expect(
      dagWatchCommand({ ...FLAGS, command: [`sleep 1.2 | sh -c 'sleep 1; exit 7' | cat`] }),
    ).rejects.toMatchObject({
      ...{ kind: 'workload', message: "'sh' (command 2 of 3 of the pipeline) ended with exit code 7." },
    });
  });
});

function watchedJob() {
  const run = {
    ...{
      schema: DAG_RUN_SCHEMA,
      source: 'pipes',
      startedAt: '2026-01-01T00:00:00Z',
      periodS: 5,
      hz: 50,
      command: null,
      bw: null,
    },
    vertices: Array.from({ length: 12 }, (_, id) => ({
      id: `t${id}`,
      label: `task \u001b[31m ${id}`,
      hosts: ['h'],
      instances: 1,
    })),
    edges: Array.from({ length: 11 }, (_, id) => ({
      id: `e${id}`,
      from: `t${id}`,
      to: `t${id + 1}`,
      capacity: 1,
      unit: 'bytes' as const,
      linkBps: null,
    })),
    notes: [],
  } as const;
  const job = new WatchedJob({ ...run, vertices: [...run.vertices], edges: [...run.edges], notes: [] } as never, {
    thresholds: DEFAULT_THRESHOLDS,
  });
  const vertices = Object.fromEntries(
    run.vertices.map(({ id }, place) => [
      id,
      { processing: [place === 7 ? 0.99 : place / 20], cpu: null, disk: null, records: null },
    ]),
  );
  const edges = Object.fromEntries(
    run.edges.map(({ id }) => [id, { buffer: [0.5], writer: null, pressure: null, bytes: 1e6, records: null }]),
  );
  const period = job.add({ kind: 'period', startNs: 0, endNs: 5e9, vertices, edges });
  if (period === null) throw new Error('no verdict');
  return { job, period, detail: null, said: ['a line \u0007 of the command'] };
}

describe('the terminal view', () => {
  it.each([
    [100, 40],
    [100, 24],
    [40, 20],
  ])('fits into %i by %i, keeps the bottleneck, and lets no text move the cursor', (columns, rows) => {
    const frame = liveFrame(watchedJob(), { columns, rows });
    expect(frame.length).toBeLessThanOrEqual(rows);
    for (const { text } of frame) {
      expect(text.length).toBeLessThanOrEqual(columns);
      expect(text).not.toMatch(/[\u0000-\u001f]/);
    }
    expect(frame.some(({ text, hot }) => hot && text.includes('busy  99 %'))).toBe(true);
  });

  it('draws no bar for a task of which nothing is known', () => {
    const { job, period, ...rest } = watchedJob();
    const unknown = { ...period, pt: Float64Array.from(period.pt, () => Number.NaN) };
    const frame = liveFrame({ ...rest, job, period: unknown }, { columns: 100, rows: 40, ascii: true });
    const rows = (lines: readonly { readonly text: string }[], said: string): string[] =>
      lines.flatMap(({ text }) => (text.includes(said) ? [text] : []));
    const known = rows(liveFrame(watchedJob(), { columns: 100, rows: 40, ascii: true }), '  waits ');
    expect(known.length).toBeGreaterThan(0);
    for (const text of known) expect(text).toMatch(/ [#.]{10,} busy/);
    expect(rows(frame, '  waits ')).toEqual([]);
    for (const text of rows(frame, 'unknown')) expect(text).toMatch(/ {12,}unknown/);
    expect(rows(frame, 'unknown')).toHaveLength(known.length);
  });

  it('is drawn over itself on a terminal, and is lines elsewhere', () => {
    const written: string[] = [];
    const write = (text: string): boolean => written.push(text) > 0;
    const screen = createLiveScreen({ write, isTTY: true, columns: 100, rows: 30 } as never, {
      TERM: 'xterm',
      LANG: 'C.UTF-8',
    });
    screen.show(watchedJob());
    const lines = written.length;
    screen.show(watchedJob());
    expect(written[lines]).toBe(`\u001b[${lines}A\r\u001b[J`);
    written.length = 0;
    const plain = createLiveScreen({ write, isTTY: false } as never, {});
    plain.printed('hello\nworld');
    plain.show(watchedJob());
    plain.end();
    expect(written[0]).toBe('| hello\n');
    expect(written[1]).toMatch(/^5 s: task 'task .* 7' \(works: t0 {3}0 %, /);
    expect(written[2]).toBe('| world\n');
  });
});

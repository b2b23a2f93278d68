import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../../agents/build.ts';
import { parseRepetitions } from '../../../experiments/workloads/graphalytics.ts';
import { startJob } from '../run-by-orders.ts';
import { readValues, writeGraph } from './run-graphalytics.ts';

const VERTICES = Array.from({ length: 40 }, (_, index) => index + 1);

describe.skipIf(!existsSync('/usr/bin/mpirun'))('the bundled Graphalytics by orders (needs mpirun)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'predict-ga-orders-'));
  const edges = VERTICES.slice(1).map((id) => `${id - 1} ${id}\n`);
  const graph = writeGraph(folder, 'path', `${VERTICES.join('\n')}\n`, edges.join(''));
  const start = (ranks: number, source = '1', ...more: readonly string[]) =>
    startJob(
      ...([folder, 'graphalytics', ranks, '--algorithm', 'bfs', '--directed', 'false', '--source', source] as const),
      ...['--vertices', graph.vertices, '--edges', graph.edges, '--output', 'result', '--runs-out', 'runs.csv'],
      ...more,
    );
  beforeAll(() => buildHostPrograms());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('runs whenever it is told to measure, on the graph that it loaded, and writes what the last runs left', async () => {
    const job = await start(3, '1', '--repetitions', '2', '--warm-up', '1');
    const [ready] = await job.said('Ready.');
    expect(ready).toBe('Ready.\n');
    const loads = new Set<unknown>();
    for (const name of ['first', 'second']) {
      const out = join(folder, name);
      mkdirSync(out);
      job.tell('measure');
      const [stdout] = await job.said('Measured.');
      const printed = (key: string) =>
        [...stdout.matchAll(new RegExp(`^${key}: +(\\S+)$`, 'gm'))].map(([, value]) => Number(value));
      expect([printed('repetitions'), printed('vertices')]).toEqual([[2], [40]]);
      expect(stdout.match(/^Processing starts at \d+$/gm)).toHaveLength(2);
      // Of a job that wrote its output, which this one has not yet.
      expect([printed('makespan'), printed('output_time')]).toEqual([[], []]);
      expect(printed('reference_time')).toEqual([expect.any(Number)]);
      job.tell(`write ${out}`);
      await job.said('Written.');
      const { runs, summary } = parseRepetitions(readFileSync(join(out, 'runs.csv'), 'utf8'));
      expect(runs.map(({ ct }) => ct)).toEqual(printed('processing_time').map((ct) => expect.closeTo(ct, 6)));
      expect(summary).toMatchObject({ vertices: 40, edges: 39, iterations: 39 });
      expect(Number(summary.makespan)).toBeGreaterThan(Number(summary.load_time) + (runs.at(-1)?.ct ?? 0));
      loads.add(summary.load_time);
      expect([...readValues(join(out, 'result'))]).toEqual(VERTICES.map((id) => [`${id}`, `${id - 1}`]));
      // The runs of this order alone, on each rank.
      const [, ...rows] = readFileSync(join(out, 'phases.csv'), 'utf8').trim().split('\n');
      const processed = rows.map((row) => row.split(',')).filter((row) => row[1] === 'process');
      expect(processed.map((row) => `${row[0]} ${row[7]}`).sort()).toEqual(['0 0', '0 1', '1 0', '1 1', '2 0', '2 1']);
      expect(rows.filter((row) => /load|construct/.test(row))).toEqual([]);
      const messages = readFileSync(join(out, 'messages.csv'), 'utf8').trim().split('\n').slice(1);
      const stamps = rows.map((row) => BigInt(row.split(',')[2] ?? ''));
      const first = stamps.reduce((least, each) => (each < least ? each : least));
      expect(messages.length).toBeGreaterThan(5);
      expect(messages.every((row) => BigInt(row.split(',')[2] ?? '') >= first)).toBe(true);
    }
    expect(loads.size).toBe(1);
    job.tell('end');
    expect(await job.ended()).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    job.close();
  });

  it('is never ready on a graph without its source', async () => {
    const job = await start(1, '41');
    const { exitCode, stdout, stderr } = await job.ended();
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--source 41 is not a vertex of');
    job.close();
  });

  it('ends where a file cannot be written, with a sentence', async () => {
    const job = await start(1);
    await job.said('Ready.');
    job.tell('write /nowhere/at/all');
    const { exitCode, stderr } = await job.ended();
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('cannot write /nowhere/at/all/result')]);
    job.close();
  });
});

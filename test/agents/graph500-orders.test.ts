import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { parseGraph500 } from '../../experiments/parse-graph500.ts';
import { parseRunsCsv } from '../../experiments/workloads/graph500.ts';
import { startJob } from './run-by-orders.ts';

/** Seconds of processor time of a process and its children, as far as they live. */
function usedS(pid: number): number {
  const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  const [, own = ''] = /\) (.*)/s.exec(read(`/proc/${pid}/stat`)) ?? [];
  const ticks = own.split(' ').slice(11, 13).map(Number);
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return ticks.reduce((sum, count) => sum + count / 100, 0) + children.reduce((sum, each) => sum + usedS(each), 0);
}

const ROOTS = ['--roots-out', 'roots.csv'];

describe.skipIf(!existsSync('/usr/bin/mpirun'))('the bundled Graph500 by orders (needs mpirun)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'predict-orders-'));
  beforeAll(() => buildHostPrograms());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('searches whenever it is told to measure, writes what the last searches left, and sleeps between', async () => {
    const job = await startJob(folder, 'graph500', 4, '--scale', '11', '--roots', '5', '--seed', '5', ...ROOTS);
    const [, built] = await job.said('Ready.');
    const seen: (readonly (number | null)[])[] = [];
    for (const name of ['first', 'second']) {
      const out = join(folder, name);
      mkdirSync(out);
      job.tell('measure');
      const [stdout, stderr] = await job.said('Measured.');
      const parsed = parseGraph500([stdout, built + stderr], { exitCode: 0 });
      expect([parsed.reason, parsed.validated, parsed.searches.length]).toEqual([null, true, 5]);
      // A step is a multiplication and an addition that wait for each other: some cycles, on ranks that may share a core.
      expect(parsed.fields.reference_time).toBeGreaterThan(0.0003);
      expect(parsed.fields.reference_time).toBeLessThan(0.2);
      const before = usedS(job.pid);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(usedS(job.pid) - before).toBeLessThan(0.1);
      job.tell(`write ${out}`);
      await job.said('Written.');
      const runs = parseRunsCsv(readFileSync(join(out, 'roots.csv'), 'utf8'));
      expect(runs.map(({ ct }) => ct)).toEqual(parsed.searches.map(({ ct }) => expect.closeTo(ct, 6)));
      expect(runs.every(({ validateS }) => (validateS ?? 0) > 0)).toBe(true);
      seen.push(runs.map(({ nedge }) => nedge));
      // The searches of this order alone, on each rank, and nothing of what came before them.
      const [, ...rows] = readFileSync(join(out, 'phases.csv'), 'utf8').trim().split('\n');
      const searches = rows.map((row) => row.split(',')).filter((row) => row[1] === 'bfs');
      expect(searches.map((row) => `${row[0]} ${row[7]}`).sort()).toEqual(
        [0, 1, 2, 3].flatMap((rank) => [0, 1, 2, 3, 4].map((root) => `${rank} ${root}`)),
      );
      expect(rows.filter((row) => /generate|construct|validate/.test(row))).toEqual([]);
      expect(readFileSync(join(out, 'messages.csv'), 'utf8').split('\n').length).toBeGreaterThan(5);
    }
    expect(seen[0]).toEqual(seen[1]);
    job.tell('end');
    expect(await job.ended()).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    job.close();
  });

  it('ends with its orders', async () => {
    const job = await startJob(folder, 'graph500', 1, '--scale', '8', '--roots', '2', ...ROOTS);
    await job.said('Ready.');
    job.close();
    expect((await job.ended()).exitCode).toBe(0);
  });

  it('is never ready where a validation fails', async () => {
    const job = await startJob(folder, 'graph500', 1, '--scale', '8', '--roots', '2', '--corrupt', '1');
    const { exitCode, stdout, stderr } = await job.ended();
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toContain('Validation failed for BFS 0: rule 1');
    job.close();
  });

  it.each([
    ['write /nowhere/at/all', 2, /cannot write \/nowhere\/at\/all\/roots\.csv/],
    ['dance', 0, /there is no order 'dance'/],
  ])('%s ends it with %i and a sentence', async (order, status, sentence) => {
    const job = await startJob(folder, 'graph500', 1, '--scale', '8', '--roots', '2', ...ROOTS);
    await job.said('Ready.');
    job.tell(order);
    const { exitCode, stderr } = await job.ended();
    expect([exitCode, stderr]).toEqual([status, expect.stringMatching(sentence)]);
    job.close();
  });
});

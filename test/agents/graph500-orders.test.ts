import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { parseGraph500 } from '../../experiments/parse-graph500.ts';
import { parseRunsCsv } from '../../experiments/workloads/graph500.ts';
import { ranksCommand } from './run-ranks.ts';

/** A program that follows orders, and both ends of what it is told and says. */
async function startJob(folder: string, ranks: number, ...args: readonly string[]) {
  const fifo = join(mkdtempSync(join(folder, 'job-')), 'orders');
  execaSync('mkfifo', [fifo]);
  const files = ['--phases', 'phases.csv', '--messages', 'messages.csv', '--roots-out', 'roots.csv'];
  const { command, words, options } = await ranksCommand('graph500', ranks, [...args, ...files, '--orders', fifo]);
  const child = execa(command, words, options);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => {
    stdout += String(data);
  });
  child.stderr.on('data', (data) => {
    stderr += String(data);
  });
  // Open at both ends, so that opening waits for nobody; the program sees the end once this is closed.
  const orders = openSync(fifo, 'r+');
  /** Both streams end with the mark; what they said since the last one. */
  const said = async (mark: string): Promise<[string, string]> => {
    for (let turns = 0; !(stdout.endsWith(`${mark}\n`) && stderr.endsWith(`${mark}\n`)); turns += 1) {
      if (turns > 3000 || child.exitCode !== null) throw new Error(`it never said ${mark}: ${stdout}${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const both: [string, string] = [stdout, stderr];
    [stdout, stderr] = ['', ''];
    return both;
  };
  return {
    pid: child.pid ?? 0,
    said,
    tell: (line: string) => void writeSync(orders, `${line}\n`),
    close: () => closeSync(orders),
    ended: async () => {
      const { exitCode } = await child;
      return { exitCode, stdout, stderr };
    },
  };
}

/** Seconds of processor time of a process and its children, as far as they live. */
function usedS(pid: number): number {
  const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  const [, own = ''] = /\) (.*)/s.exec(read(`/proc/${pid}/stat`)) ?? [];
  const ticks = own.split(' ').slice(11, 13).map(Number);
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return ticks.reduce((sum, count) => sum + count / 100, 0) + children.reduce((sum, each) => sum + usedS(each), 0);
}

describe.skipIf(!existsSync('/usr/bin/mpirun'))('the bundled Graph500 by orders (needs mpirun)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'predict-orders-'));
  beforeAll(buildHostPrograms);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('searches whenever it is told to, writes what the last searches left, and sleeps between', async () => {
    const job = await startJob(folder, 4, '--scale', '11', '--roots', '5', '--seed', '5', '--warm-up', '1');
    const [, built] = await job.said('Ready.');
    const seen: (readonly (number | null)[])[] = [];
    for (const name of ['first', 'second']) {
      const out = join(folder, name);
      mkdirSync(out);
      job.tell('search');
      const [stdout, stderr] = await job.said('Measured.');
      const parsed = parseGraph500([stdout, built + stderr], { exitCode: 0 });
      expect([parsed.reason, parsed.validated, parsed.searches.length]).toEqual([null, true, 5]);
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
    const job = await startJob(folder, 1, '--scale', '8', '--roots', '2');
    await job.said('Ready.');
    job.close();
    expect((await job.ended()).exitCode).toBe(0);
  });

  it('is never ready where a validation fails', async () => {
    const job = await startJob(folder, 1, '--scale', '8', '--roots', '2', '--corrupt', '1');
    const { exitCode, stdout, stderr } = await job.ended();
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toContain('Validation failed for BFS 0: rule 1');
    job.close();
  });

  it.each([
    ['write /nowhere/at/all', 2, /cannot write \/nowhere\/at\/all\/roots\.csv/],
    ['dance', 0, /there is no order 'dance'/],
  ])('%s ends it with %i and a sentence', async (order, status, sentence) => {
    const job = await startJob(folder, 1, '--scale', '8', '--roots', '2');
    await job.said('Ready.');
    job.tell(order);
    const { exitCode, stderr } = await job.ended();
    expect([exitCode, stderr]).toEqual([status, expect.stringMatching(sentence)]);
    job.close();
  });
});

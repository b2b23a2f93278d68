import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { readCampaign } from '../../experiments/store/campaign.ts';
import { readEvents } from '../../experiments/store/campaign-events.ts';
import { readRecord } from '../../experiments/store/cells.ts';
import { isLong } from '../times.ts';
import { NEEDS, noLab, predict, predictJson, showLinks, until, useLab } from './fixture.ts';

interface Explained {
  readonly focus: string;
  readonly count: number;
  readonly seconds: number;
  readonly components: readonly { readonly seconds: number }[];
  readonly phases: readonly { readonly name: string; readonly seconds: number }[];
}

interface Status {
  readonly cells: { readonly planned: number; readonly done: number; readonly failed: number };
}

describe.skipIf(noLab)(`a sweep ${NEEDS}`, () => {
  const lab = useLab({ name: 'test-sweep', hosts: 4, cpu: '20%', linkMbit: 50 });
  const sweep = (out: string, ...flags: string[]): string[] => [
    ...['sweep', '--inventory', lab.inventory(), '--scales', '12', '--bw', '20,60', '--roots', '4'],
    // The machine of a test is never quiet.
    ...['--repeats', '0', '--out', join(lab.folder, out), '--json', ...flags],
  ];
  const campaignFile = (text: string): string => {
    const path = join(lab.folder, 'campaign.yaml');
    writeFileSync(path, text);
    return path;
  };
  const status = (out: string): Promise<Status> => predictJson(['status', join(lab.folder, out), '--json']);
  const cellsOf = (out: string): string[] =>
    existsSync(join(lab.folder, out, 'cells'))
      ? readdirSync(join(lab.folder, out, 'cells')).filter((name) => !name.startsWith('.'))
      : [];
  const startedIn = (out: string): number =>
    existsSync(join(lab.folder, out))
      ? readEvents(join(lab.folder, out)).filter(({ kind }) => kind === 'cell-started').length
      : 0;
  const allFree = async (seconds: number): Promise<string[]> => {
    const free = (rows: readonly { state: string }[]): boolean => rows.every(({ state }) => state === 'free');
    return (await until(() => showLinks(lab.inventory()), free, seconds)).map(({ state }) => state);
  };
  const FREE = Array(4).fill('free');

  if (isLong)
    it('is asked by a file, which the campaign keeps; the same file goes on', { timeout: 300_000 }, async () => {
      const text = `# two hosts\ninventory: ${lab.inventory()}\nnodes: [1, 4]\nscales: 12\nbw: 100\nroots: 4\nrepeats: 0\nout: asked\n`;
      const path = campaignFile(text);
      const first = await predict(['sweep', path, '--nodes', '1', '--json']);
      expect([first.exitCode, JSON.parse(first.stdout)]).toMatchObject([0, { planned: 2, done: 2, failed: [] }]);
      expect(first.stderr).toContain(`Flags take the place of nodes in ${path}.`);
      const out = join(lab.folder, 'asked');
      const before = cellsOf('asked');
      const again = await predict(['sweep', path, '--json']);
      expect(JSON.parse(again.stdout)).toMatchObject({ planned: 4, done: 4, out });
      expect(cellsOf('asked')).toEqual(expect.arrayContaining(before));
      const once = readFileSync(join(out, 'campaign.json'), 'utf8');
      expect((await readCampaign(out)).files).toEqual([
        { path, text, flags: { nodes: [1] } },
        { path, text, flags: {} },
      ]);
      expect((await predict(['sweep', path])).stdout).toMatch(/^4 of 4 cells measured, 0 failed/);
      expect(readFileSync(join(out, 'campaign.json'), 'utf8')).toBe(once);
      expect((await predict(['campaign', 'check', out])).stdout).toContain('is intact');
    });

  it('measures, fits, projects and reports; the same command again measures nothing', async () => {
    // Searches that last for some readings of the samplers.
    const flags = ['--nodes', '1,4', '--scales', '14', '--bw', '20', '--roots', '24', '--validate', '1'];
    const command = sweep('whole', ...flags);
    const result = await predictJson<{ planned: number; done: number; failed: unknown[] }>(command);
    expect(result).toMatchObject({ planned: 6, done: 6, failed: [], unmeasured: [] });
    expect(await allFree(0)).toEqual(FREE);
    const dir = join(lab.folder, 'whole');
    const records = await Promise.all(cellsOf('whole').map((id) => readRecord(dir, id)));
    expect(records).toHaveLength(6);
    const events = readEvents(dir).map(({ kind }) => kind);
    expect([events[0], events.filter((kind) => kind === 'cell-finished').length, events.at(-1)]).toEqual([
      ...['sweep-begun', 6, 'sweep-ended'],
    ]);
    for (const { cell, status: state, runs, summary, proof, samplers } of records) {
      expect([state, runs.length]).toEqual(['ok', 24]);
      const share = Number(summary.communication_share);
      expect(share).toBeGreaterThan(cell.nodes === 1 ? 0 : 0.1);
      expect(share).toBeLessThan(1);
      // On one host they take milliseconds: one reading before and one after.
      expect(samplers.every(({ samples }) => samples > (cell.nodes === 4 ? 5 : 1))).toBe(true);
      expect(proof?.rateBps).toBe(0.5e6 * cell.bw);
      if (cell.nodes === 4) {
        expect(proof?.probes).toHaveLength(4);
        expect(proof?.classes.every(({ bytes }) => bytes > 0)).toBe(true);
      }
    }
    // All levels of a size by one start, the baseline at the end by another.
    const startsOf = (nodes: number) => records.filter(({ cell }) => cell.nodes === nodes);
    const sharesOf = (nodes: number) => startsOf(nodes).map(({ summary }) => Number(summary.communication_share));
    expect(Math.max(...sharesOf(1))).toBeLessThan(Math.min(...sharesOf(4)));
    for (const nodes of [1, 4]) {
      const measured = startsOf(nodes).filter(({ cell }) => cell.role === 'measure');
      expect([measured.length, new Set(measured.map(({ command: words }) => words)).size]).toEqual([2, 1]);
      expect(measured.filter(({ timing }) => timing.startMs !== 0)).toHaveLength(1);
      expect(new Set(startsOf(nodes).map(({ command: words }) => words)).size).toBe(2);
    }
    const connection = await (await DuckDBInstance.create()).connect();
    const rows = await connection.runAndReadAll(
      `SELECT count(*)::INT AS n, count(DISTINCT cell)::INT AS cells, bool_and(ct > 0 AND teps > 0 AND nedge > 0) AS good
       FROM (SELECT cell, scale, nodes, ranks, bw, rep, root, ct, teps, nedge FROM '${dir}/cells/*/roots.parquet')`,
    );
    expect(rows.getRowObjectsJS()).toEqual([{ n: 144, cells: 6, good: true }]);
    const phases = await connection.runAndReadAll(
      `SELECT DISTINCT phase FROM '${dir}/cells/*/phases.parquet' WHERE level >= 0 AND start_ns <= end_ns ORDER BY 1`,
    );
    expect(phases.getRowsJS().flat()).toEqual(['compute', 'expand', 'fold', 'synchronise']);
    const metrics = await connection.runAndReadAll(`SELECT DISTINCT metric FROM '${dir}/cells/*/samples.parquet'`);
    expect(metrics.getRowsJS().flat()).toEqual(
      expect.arrayContaining(['cpu.busy_ns', 'net.tx_bytes', 'net.rx_bytes', 'rank.cpu_ns']),
    );

    const { overhead } = await predictJson<{ overhead: { perCellS: number; samplerCpuPercent: number } }>([
      ...['status', dir, '--json'],
    ]);
    expect(overhead.perCellS).toBeGreaterThan(0);
    expect(overhead.samplerCpuPercent).toBeLessThan(2);

    const why = await predictJson<{ model: string; cells: (Explained & { nodes: number })[]; sentences: string[] }>([
      ...['grade10', dir, '--json'],
    ]);
    expect([why.model, why.cells.length]).toEqual(['graph500', 4]);
    for (const { focus, count, seconds, components, phases } of why.cells) {
      expect([focus, count]).toEqual(['/Search/Bfs', 24]);
      expect(components.reduce((sum, part) => sum + part.seconds, 0)).toBeCloseTo(seconds, 9);
      expect(phases.reduce((sum, part) => sum + part.seconds, 0)).toBeCloseTo(seconds, 9);
    }
    const [trace, tables] = [join(lab.folder, 'trace.json'), join(lab.folder, 'tables')];
    const one = await predictJson<{
      issues: { impact: number }[];
      differences: { kind: string }[];
      sampling: unknown[];
    }>([
      ...[
        'grade10',
        dir,
        '--cell',
        '4:14:20',
        '--against',
        '4:14:100',
        '--sampling',
        '--trace',
        trace,
        '--export',
        tables,
        '--json',
      ],
    ]);
    expect(one.issues.every(({ impact }) => impact > 0)).toBe(true);
    expect(one.differences[0]?.kind).toBe('total');
    expect(one.sampling.length).toBeGreaterThan(0);
    expect(JSON.parse(readFileSync(trace, 'utf8')).traceEvents.length).toBeGreaterThan(100);
    const attributed = await connection.runAndReadAll(
      `SELECT count(*)::INT, bool_and(usage >= 0 AND usage <= capacity * 1.000001) FROM '${tables}/attribution.parquet'`,
    );
    expect(attributed.getRowsJS()).toEqual([[expect.any(Number), true]]);

    const again = await predict(command);
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining('6 of 6 cells are already measured')]);
    const fit = await predictJson<{ model: string; rows: number }>(['fit', dir, '--model', 'volume', '--json']);
    // Of 96 searches; what lies far off the others, a search or a whole cell, is left out.
    expect(fit.model).toBe('volume');
    expect(fit.rows).toBeGreaterThanOrEqual(64);
    expect(fit.rows).toBeLessThanOrEqual(96);
    const projected = await predictJson<{ projections: { nodes: number }[]; dominance: unknown[] }>([
      ...['project', dir, '--nodes', '9..40', '--bw', '20,100', '--json'],
    ]);
    expect([...new Set(projected.projections.map(({ nodes }) => nodes))]).toEqual([9, 16, 25, 36]);
    expect(projected.dominance).toHaveLength(2);
    const { report } = await predictJson<{ report: string }>(['report', dir, '--json']);
    const page = readFileSync(report, 'utf8');
    expect(page).not.toMatch(/(src|href)="https?:/);
    expect(page).toContain('<section id="why"');
  });

  it('refuses a node count that the program cannot run, naming the nearest', async () => {
    const result = await predict(sweep('refused', '--nodes', '3'));
    expect([result.exitCode, result.stderr]).toEqual([
      2,
      expect.stringMatching(/3 nodes cannot run \(nearest: 1 or 4\)/),
    ]);
    expect(existsSync(join(lab.folder, 'refused'))).toBe(false);
  });

  it('ends at Ctrl-C with links restored and finished cells kept', async () => {
    const child = execa(join(projectRoot(), 'predict'), sweep('stopped', '--nodes', '4'), { reject: false });
    // The third cell is throttled, and one is measured.
    await until(
      async () => startedIn('stopped'),
      (count) => count >= 3,
      60,
    );
    child.kill('SIGINT');
    const result = await child;
    expect([result.exitCode, result.stderr]).toEqual([130, expect.stringContaining('restoring the links')]);
    expect(await allFree(0)).toEqual(FREE);
    const { cells } = await status('stopped');
    expect(cells.done).toBeGreaterThanOrEqual(1);
    expect(cells.done).toBeLessThan(4);
  });

  it('keeps a second controller off its hosts, and survives SIGKILL: links come back within the lease, the same command completes, each cell once', async () => {
    // Runs that last until a throttled link was seen; the baseline is left when the last throttled one is killed.
    const command = sweep('killed', '--nodes', '4', '--roots', '100', '--validate', '1', '--lease', '5s');
    const child = execa(join(projectRoot(), 'predict'), command, { reject: false });
    await until(
      async () => startedIn('killed'),
      (count) => count >= 1,
      60,
    );
    const second = await predict(sweep('second', '--nodes', '4'));
    expect([second.exitCode, second.stderr]).toEqual([5, expect.stringContaining('in use by another controller')]);
    const throttled = await predict(['throttle', 'set', '--inventory', lab.inventory(), '--bw', '50']);
    expect(throttled.exitCode).toBe(5);
    await until(
      async () => cellsOf('killed').length,
      (count) => count >= 1,
      60,
    );
    await until(
      () => showLinks(lab.inventory()),
      (rows) => rows.some(({ state }) => state === 'throttled'),
      30,
    );
    child.kill('SIGKILL');
    await child;
    expect(await allFree(8)).toEqual(FREE);
    const { planned, done } = (await status('killed')).cells;
    expect(done).toBeLessThan(planned);
    expect((await predict(command)).exitCode).toBe(0);
    expect((await status('killed')).cells).toEqual({ planned, done: planned, failed: 0 });
    expect(cellsOf('killed')).toHaveLength(planned);
  });
});

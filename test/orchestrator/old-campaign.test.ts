import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkCampaign } from '../../experiments/store/check-campaign.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { runPredict, runPredictJson } from '../run-predict.ts';

// A campaign of the lab as schema 1 stored it (runs twice, phases by rank, root and level), and what the program of that time
// said about it.
const campaign = fileURLToPath(new URL('../fixtures/campaigns/schema-1', import.meta.url));
const answers = JSON.parse(
  readFileSync(fileURLToPath(new URL('../fixtures/campaigns/schema-1.answers.json', import.meta.url)), 'utf8'),
);

const ask = (...args: string[]) => runPredictJson<unknown>(args);

describe('a campaign that an older program measured', () => {
  test('has the same status', async () => {
    // Marks and failures are younger than these answers; this campaign has none.
    // What samplers cost was then the mean of their shares, and is weighed by time now: a third of a percent apart.
    const { samplerCpuPercent, ...overhead } = answers.status.overhead;
    expect(await ask('status', campaign)).toEqual({
      ...{
        ...answers.status,
        marks: [],
        careful: null,
        failures: [],
        live: expect.objectContaining({ sweep: 'none', running: [] }),
        inParallel: [],
      },
      overhead: { ...overhead, samplerCpuPercent: expect.closeTo(samplerCpuPercent, 2) },
    });
  });

  test('gives the rows of the same fit, and its form', async () => {
    const { stdout } = await runPredict(['export', campaign, '--format', 'csv']);
    const [header = '', ...lines] = stdout.trim().split('\n');
    const names = header.split(',');
    const rows = lines.map((line) => Object.fromEntries(line.split(',').map((text, index) => [names[index], text])));
    // Eq 7 with the coefficients of that time must leave what it left then.
    const { coefficients, alpha, baseScale, mse, r2 } = answers.fit;
    const times = rows.filter(({ metric }) => metric === 'ct').map(({ value }) => Number(value));
    const left = rows.flatMap(({ metric, scale, nodes, bw, value }) => {
      if (metric !== 'ct') return [];
      const size = 2 ** (Number(scale) - baseScale);
      const told = (coefficients.C2 * size * alpha ** (100 / Number(bw))) / Math.sqrt(Number(nodes));
      return [(Number(value) - told) ** 2];
    });
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    const total = times.reduce((sum, time) => sum + (time - mean) ** 2, 0);
    const squares = left.reduce((sum, one) => sum + one, 0);
    expect(coefficients.C1).toBe(0);
    expect(squares / left.length / mse).toBeCloseTo(1, 9);
    expect(1 - squares / total).toBeCloseTo(r2, 9);
    expect(await ask('compare', campaign)).toMatchObject({ chosen: answers.compare.chosen });
  });

  test('is explained the same', async () => {
    const { cells } = (await ask('grade10', campaign)) as { cells: unknown[] };
    expect(cells).toHaveLength(answers.grade10.length);
    expect(cells).toMatchObject(answers.grade10);
  });
});

describe('a campaign with a cell that is not whole', () => {
  /** A copy of the campaign, and the folder of one of its cells. */
  function copied(): { dir: string; cell: string } {
    const folder = mkdtempSync(join(tmpdir(), 'predict-campaign-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const dir = join(folder, 'c');
    cpSync(campaign, dir, { recursive: true });
    return { dir, cell: join(dir, 'cells', readdirSync(join(dir, 'cells')).sort()[3] ?? '') };
  }

  const COMMANDS: readonly ((dir: string) => string[])[] = [
    (dir) => ['status', dir],
    (dir) => ['fit', dir],
    (dir) => ['compare', dir],
    (dir) => ['project', dir, '--nodes', '16'],
    (dir) => ['plan', dir, '--nodes', '16'],
    (dir) => ['advise', dir, '--target', 'nodes=16,scale=13', '--budget', '1'],
    (dir) => ['export', dir, '--format', 'csv'],
    (dir) => ['grade10', dir],
    (dir) => ['report', dir],
  ];

  // damaged-campaign.test.ts holds all their readers to the same words; here it is what the program makes of one error.
  test.each<[string, typeof COMMANDS, (cell: string) => unknown, (cell: string) => string]>([
    [
      'a missing file of runs',
      COMMANDS,
      (cell) => rmSync(join(cell, 'roots.parquet')),
      (cell) => `The cell in ${cell} is damaged (roots.parquet is missing)`,
    ],
    [
      'half a record',
      COMMANDS.slice(0, 1),
      (cell) => truncateSync(join(cell, 'record.json'), 900),
      (cell) => `The cell in ${cell} is damaged (record.json is not valid JSON (`,
    ],
    [
      'a copy of a cell',
      COMMANDS.slice(0, 1),
      (cell) => cpSync(cell, `${cell}.bak`, { recursive: true }),
      (cell) => `${cell}.bak is not a cell of this campaign`,
    ],
    [
      'a FIFO in place of the runs',
      COMMANDS.slice(0, 1),
      (cell) => {
        rmSync(join(cell, 'roots.parquet'));
        execFileSync('mkfifo', [join(cell, 'roots.parquet')]);
      },
      (cell) => `The cell in ${cell} is damaged (roots.parquet is a FIFO, not a file)`,
    ],
  ])('is named with exit code 2: %s', async (_, commands, damage, problem) => {
    const { dir, cell } = copied();
    damage(cell);
    const said: { exitCode: number | undefined; stderr: string }[] = [];
    for (const args of commands) {
      const { exitCode, stderr } = await runPredict(args(dir));
      said.push({ exitCode, stderr });
    }
    expect(said).toEqual(commands.map(() => ({ exitCode: 2, stderr: said[0]?.stderr })));
    expect(said[0]?.stderr).toContain(`predict: ${problem(cell)}`);
    expect(said[0]?.stderr).toContain(`'predict status ${dir} --repair' moves it aside`);
  });

  test.each(['roots.parquet', 'phases.parquet', 'samples.parquet'])(
    'has no digest of its %s, so that only those who read it see that it is cut; the check is one of them',
    async (name) => {
      const { dir, cell } = copied();
      expect((await checkCampaign(dir)).problems).toEqual([]);
      truncateSync(join(cell, name), 300);
      const { problems } = await checkCampaign(dir);
      const problem = expect.stringMatching(
        /^cannot be read as a table \(.*too small to be a Parquet file|No magic bytes/,
      );
      expect(problems).toEqual([{ path: join(cell, name), cell: basename(cell), problem, part: cell }]);
      const read = async (): Promise<unknown> => {
        const open = await openCampaign(dir);
        return name === 'roots.parquet' ? open : await open.traffic();
      };
      await expect(read()).rejects.toThrow(
        `The cell in ${cell} is damaged (${name} ${problems[0]?.problem}): 'predict status`,
      );
    },
  );
});

import { expect, test } from 'vitest';
import { plan } from '../../experiments/plan.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { parseSweep, withChoices } from '../../experiments/sweep.ts';
import { loadWorkload } from '../../experiments/workloads/load-workload.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { pathDataset } from '../experiments/graphalytics/dataset.ts';
import { campaignPlan, goodRecord, tempFolder } from '../experiments/make.ts';
import { runPredict, runPredictJson } from '../run-predict.ts';

/** Seconds of a kernel whose ranks do a tenth of their work on one thread, and send to each other. */
function secondsOf(nodes: number, threads: number): number {
  return (8 * (0.1 + 0.9 / threads)) / nodes + (0.6 * (nodes - 1)) / nodes ** 1.5;
}

/** Two kernels on 1 to 8 nodes with so many threads of each rank. */
async function measured(threads: string): Promise<string> {
  const root = tempFolder();
  const graphs = [pathDataset(root, { name: 'web', family: 'web', vertices: 81 })];
  const workload = await loadWorkload('graphalytics', { graphs, algorithms: ['bfs', 'pr'] });
  const flags = { nodes: '1,2,4,8', bw: '100', roots: '3', param: [`threads=${threads}`] };
  const sweep = withChoices(parseSweep(flags), workload);
  const cells = plan(sweep, { workload, ranksPerNode: 1, hosts: 9 });
  const dir = `${root}/campaign`;
  await createOrOpenCampaign(dir, { ...campaignPlan(), sweep, workload: workload.definition, cells });
  const random = createRandom(7);
  for (const cell of cells) {
    const seconds = secondsOf(cell.nodes, Number(cell.params?.threads));
    const times = [1, 2, 3].map(() => seconds * Math.exp(0.02 * random.normal()));
    await writeCell(dir, goodRecord(cell, times), { stdout: '', stderr: '' });
  }
  return dir;
}

interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

interface Told {
  readonly program: string;
  readonly model: { readonly rows: number; readonly trainedOn: { readonly threads?: readonly number[] } };
  readonly threads: { readonly threads: number; readonly serialPercent: Estimate } | null;
  readonly decisions: { readonly options: readonly { readonly nodes: number; readonly ct: Estimate }[] };
}

const holds = ({ low, high }: Estimate, truth: number): boolean => truth >= low && truth <= high;

test('runs with several numbers of threads are one model, asked for more nodes and threads than were measured', async () => {
  const dir = await measured('1,2,4');
  const words = ['model', dir, '--nodes', '4,16'];
  const { programs } = await runPredictJson<{ programs: readonly Told[] }>([...words, '--threads', '8']);
  expect(programs.map(({ program }) => program)).toEqual(['bfs on web', 'pr on web']);
  for (const { model, threads, decisions } of programs) {
    expect(model).toMatchObject({ rows: 36, trainedOn: { threads: [1, 2, 4] } });
    expect(threads?.threads).toBe(8);
    expect(threads && holds(threads.serialPercent, 10)).toBe(true);
    for (const { nodes, ct } of decisions.options) expect(holds(ct, secondsOf(nodes, 8))).toBe(true);
  }
  // Of one, with other threads, in words.
  const { stdout } = await runPredict([...words, '--program', 'pr', '--threads', '1']);
  expect(stdout).toContain('t = 1 thread of each rank');
  expect(stdout).toContain('Runs with 1, 2 and 4 threads of each rank were fitted together');
  expect(stdout).toMatch(
    /For twice the cores on 8 nodes at 100 % bandwidth.*: 2 threads take .* and 16 nodes with 1 take/,
  );
  // Without it each number of threads is a program of its own, as before.
  const apart = await runPredictJson<{ programs: readonly Told[] }>(words);
  expect(apart.programs.map(({ program }) => program)).toHaveLength(6);
  expect(apart.programs[0]).toMatchObject({ program: 'bfs on web, threads=1', threads: null });
});

test('an export has them as a column, which a file brings back', async () => {
  const dir = await measured('1,2');
  const rows = await runPredict([
    'export',
    dir,
    '--program',
    'pr',
    '--metric',
    'ct',
    '--format',
    'csv',
    '--out',
    `${dir}/rows.csv`,
  ]);
  expect(rows.exitCode).toBe(0);
  const told = await runPredictJson<Told>([
    'model',
    '--data',
    `${dir}/rows.csv`,
    '--ranks-rule',
    'any',
    '--nodes',
    '16',
  ]);
  expect(told.model).toMatchObject({ rows: 24, trainedOn: { threads: [1, 2] } });
  // Asked for the most that were measured where nobody says.
  expect(told.threads?.threads).toBe(2);
  const page = await runPredict(['report', '--data', `${dir}/rows.csv`]);
  expect(page).toMatchObject({ exitCode: 2 });
  expect(page.stderr).toContain('has runs with 1 and 2 threads of each rank, which this report cannot tell apart');
  const one = await runPredict([
    'export',
    dir,
    '--program',
    'pr on web, threads=1',
    '--metric',
    'ct',
    '--format',
    'csv',
  ]);
  expect(one.stdout.split('\n')[0]).toBe('scale,n,bw,rep,ct');
});

test('threads that no run varies, and given coefficients, are refused in one sentence', async () => {
  const dir = await measured('2');
  const alike = await runPredict(['model', dir, '--program', 'pr', '--threads', '4']);
  expect(alike).toMatchObject({ exitCode: 2 });
  expect(alike.stderr).toContain(
    '--threads asks for 4, but all runs have 2 threads of each rank: measure a second number',
  );
  const given = ['--coefficients', 'C1=1,C2=1', '--model', 'eq2', '--scale', '20', '--nodes', '4'];
  const refused = await runPredict(['model', ...given, '--threads', '2']);
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain('--threads is about rows: leave it out with --coefficients');
});

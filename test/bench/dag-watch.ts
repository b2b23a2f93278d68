// npm run bench -- dag-watch: what the watching of pipes costs, and how well one run of a real pipeline predicts other set-ups of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/build.ts';
import { explainJobs } from '../../analysis/dag/explain/explain-jobs.ts';
import { rangedText } from '../../analysis/dag/explain/job-words.ts';
import { readWatchedJob } from '../../analysis/dag/job/watched-job.ts';
import { DEFAULT_THRESHOLDS } from '../../analysis/dag/judge/judge.ts';
import { at } from '../../base/lists.ts';
import { projectRoot } from '../../base/paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'bench-dag-'));
const stage = join(folder, 'stage');
const main = join(projectRoot(), 'dist/program/main.cjs');
/** For each instance of the slow stage, so many seconds of work that its sampled share of them is known to some percent. */
const RECORDS = 2400;
/** Stages sleep for their time, ms/1000 for a record, so that they share no core. */
const [QUICK_US, SLOW_US] = [2000, 5000];
const OPTIONS = { level: 0.9, target: null, size: null, price: null };

try {
  await execa('cc', ['-O2', '-o', stage, join(projectRoot(), 'test/fixtures/dag/stage.c')]);
  await cost();
  await predictions();
} finally {
  rmSync(folder, { recursive: true });
}

/** Ten processes in a row for 10 s at 50 Hz. */
async function cost(): Promise<void> {
  const { agent } = await buildHostPrograms();
  const middle = Array.from({ length: 8 }, () => `${stage} 200`).join(' | ');
  const command = `${stage} 100 source 25000 | ${middle} | ${stage} 400 sink`;
  const { stdout } = await execa(agent, ['pipes', '--', 'sh', '-c', command], { stdin: 'pipe' });
  const slices = stdout.split('\n').filter((line) => line.startsWith('slice\t'));
  const seconds = (Number(slices.at(-1)?.split('\t')[2]) - Number(slices[0]?.split('\t')[1])) / 1e9;
  const cpuS = Number(/cpu_ns=(\d+)/.exec(stdout)?.[1]) / 1e9;
  console.log(`10 processes at 50 Hz for ${seconds.toFixed(1)} s: ${((cpuS / seconds) * 100).toFixed(2)} % of a core`);
}

interface Stages {
  readonly name: string;
  /** Of the two stages in the middle: ms/1000 for a record, and how many share the work. */
  readonly first: { readonly us: number; readonly workers: number };
  readonly second: { readonly us: number; readonly workers: number };
}

/** Every set-up is watched and measured; what one run says of another is held against it. */
async function predictions(): Promise<void> {
  const slow = await watched({
    name: 'slow second',
    first: { us: QUICK_US, workers: 1 },
    second: { us: SLOW_US, workers: 1 },
  });
  await watched({ name: 'swapped', first: { us: SLOW_US, workers: 1 }, second: { us: QUICK_US, workers: 1 } });
  const { advice } = at(slow.explained.runs, 0);
  if (advice.action !== 'scale-out') throw new Error(`the advice is ${advice.action}`);
  console.log(`advice: ${advice.instances.next}, or ${advice.instances.level} at which the next task limits as much`);
  for (const workers of [advice.instances.next, advice.instances.level ?? 1]) {
    const raised = await watched({
      name: `${workers} of the second`,
      first: { us: QUICK_US, workers: 1 },
      second: { us: SLOW_US, workers },
    });
    const both = explainJobs([slow.read, raised.read], OPTIONS);
    const [, row] = both.runs;
    const error = ((row?.rate ?? Number.NaN) / (row?.predicted?.value ?? Number.NaN) - 1) * 100;
    console.log(
      `  predicted ${rangedText(row?.predicted ?? null, (rate) => `${rate.toFixed(0)}/s`)}, measured ${row?.rate?.toFixed(0)}/s (${error.toFixed(1)} %)`,
    );
  }
}

async function watched({ name, first, second }: Stages) {
  const out = join(folder, name.replaceAll(' ', '-'));
  const middle = [first, second].map(({ us, workers }) => `${stage} ${us} workers ${workers}`).join(' | ');
  const command = `${stage} 50 source ${RECORDS * Math.max(first.workers, second.workers)} | ${middle} | ${stage} 50 sink`;
  await execa(process.execPath, [
    main,
    'dag',
    'watch',
    '--command',
    command,
    '--period',
    '1s',
    '--record',
    '4096B',
    '--out',
    out,
  ]);
  const read = await readWatchedJob(out, { thresholds: DEFAULT_THRESHOLDS });
  const explained = explainJobs([read], OPTIONS);
  const { rate, verdict } = at(explained.runs, 0);
  console.log(`${name}: ${rate?.toFixed(0)}/s. ${verdict}`);
  return { read, explained };
}

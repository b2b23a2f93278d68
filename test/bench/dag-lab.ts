// npm run bench -- dag-lab: a pipeline over three emulated hosts, swept over bandwidths. What the run at 100 % says of the others is held against them. Needs root.
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { explainJobs } from '../../analysis/dag/explain/explain-jobs.ts';
import { rangedText } from '../../analysis/dag/explain/job-words.ts';
import { readWatchedJob } from '../../analysis/dag/job/watched-job.ts';
import { DEFAULT_THRESHOLDS } from '../../analysis/dag/judge/judge.ts';
import { at } from '../../base/lists.ts';
import { projectRoot } from '../../base/paths.ts';
import { readRecord } from '../../experiments/store/cells.ts';

const NAME = 'bench-dag';
const folder = mkdtempSync(join(tmpdir(), 'bench-dag-lab-'));
chmodSync(folder, 0o755);
const stage = join(folder, 'stage');
const main = join(projectRoot(), 'dist/program/main.cjs');
const [RECORDS, BANDWIDTHS] = [5000, '20,30,60'];
const OPTIONS = { level: 0.9, target: null, size: null, price: null };

try {
  await execa('cc', ['-O2', '-o', stage, join(projectRoot(), 'test/fixtures/dag/stage.c')]);
  const { inventory } = JSON.parse(
    await predict('lab', 'up', '--name', NAME, '--hosts', '3', '--cpu', '30%', '--link', '40mbit', '--json'),
  );
  await compare(await swept(inventory));
} finally {
  await predict('lab', 'down', '--name', NAME).catch(() => undefined);
  rmSync(folder, { recursive: true });
}

/** Stages sleep for their time, so they share no core: 2 ms for a record in the middle, 4 KiB each. */
async function swept(inventory: string): Promise<string> {
  const workload = join(folder, 'pipeline.yaml');
  writeFileSync(
    workload,
    [
      ...['kind: pipeline', 'name: three-hosts', 'record: 4096B', 'periodS: 1', 'commands:'],
      `  - ${stage} 50 source ${RECORDS} connect {host.2} 9001`,
      `  - ${stage} 2000 listen 9001 connect {host.3} 9002`,
      `  - ${stage} 50 sink listen 9002`,
    ].join('\n'),
  );
  const out = join(folder, 'campaign');
  const flags = ['--inventory', inventory, '--workload', workload, '--nodes', '3', '--bw', BANDWIDTHS];
  await predict('sweep', ...flags, '--repeats', '0', '--out', out);
  return out;
}

async function compare(campaign: string): Promise<void> {
  const ids = readdirSync(join(campaign, 'cells')).filter((name) => !name.startsWith('.'));
  const records = (await Promise.all(ids.map((id) => readRecord(campaign, id)))).sort((a, b) => b.cell.bw - a.cell.bw);
  const reads = [];
  for (const { cell } of records) {
    reads.push(await readWatchedJob(join(campaign, 'cells', cell.id), { thresholds: DEFAULT_THRESHOLDS }));
  }
  const { runs } = explainJobs(reads, OPTIONS);
  const alone = explainJobs(reads.slice(0, 1), OPTIONS);
  for (const { label, crossingBw } of alone.edges) {
    console.log(`${label} crossover below ${crossingBw?.value.toFixed(1)} % by the first run alone`);
  }
  for (const [place, { rate, predicted, predictedBy, verdict }] of runs.entries()) {
    const { cell } = at(records, place);
    const error = predicted === null ? '' : ` (${(((rate ?? Number.NaN) / predicted.value - 1) * 100).toFixed(1)} %)`;
    const said =
      predicted === null
        ? ''
        : `, predicted ${rangedText(predicted, (value) => `${value.toFixed(0)}/s`)} by ${predictedBy?.id}${error}`;
    console.log(`${cell.bw} %: ${rate?.toFixed(0)}/s${said}. ${verdict}`);
  }
}

async function predict(...words: string[]): Promise<string> {
  const { stdout } = await execa(process.execPath, [main, ...words], { stderr: 'inherit' });
  return stdout;
}

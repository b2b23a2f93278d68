// What is asked of a campaign of several programs is answered for each of them, as if it were asked for alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOrOpenCampaign } from '../../../experiments/store/create-campaign.ts';
import { writeCell } from '../../../experiments/store/write-cell.ts';
import { workloadOf } from '../../../experiments/workloads/adapters.ts';
import { campaignPlan, goodRecord, tempFolder } from '../../experiments/make.ts';
import { runPredict, runPredictJson } from '../../run-predict.ts';

const PROGRAMS = ['algorithm=bfs', 'algorithm=pr'];

/** A second of bfs on one node is two of pr; both are divided among nodes, and wait for links. */
async function twoPrograms(): Promise<string> {
  const dir = tempFolder();
  const solver = workloadOf({
    ...{ kind: 'command', name: 'solver', command: ['solve', '{param.algorithm}'], ranks: 'any' },
    ...{ time: { pattern: 'took ([0-9.]+) ms', unit: 'ms' }, failure: [] },
  });
  const flags = { nodes: '1,4,9', bw: '20', param: ['algorithm=bfs,pr'] };
  const { cells } = await createOrOpenCampaign(dir, campaignPlan(flags, solver));
  for (const cell of cells) {
    const { nodes, bw, rep, params } = cell;
    const seconds = (params?.algorithm === 'pr' ? 2 : 1) * (1 / nodes + 5 / bw / Math.sqrt(nodes)) * (1 + rep / 100);
    await writeCell(dir, goodRecord(cell, [seconds, 1.02 * seconds]), { stdout: '', stderr: '' });
  }
  return dir;
}

test.each([
  ['model', '--rank'],
  ['why', ''],
])('%s %s', async (verb, ...flags) => {
  const dir = await twoPrograms();
  const words = [verb, dir, ...flags.filter((flag) => flag !== '')];
  const of = async (program: string) => await runPredict([...words, '--program', program]);
  const alone = await Promise.all(PROGRAMS.map(of));
  for (const { exitCode, stdout } of alone) expect([exitCode, stdout.length > 50]).toEqual([0, true]);
  const { exitCode, stdout } = await runPredict(words);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(PROGRAMS.map((program, index) => `${program}\n${alone[index]?.stdout}`).join('\n\n'));
  const { programs } = await runPredictJson<{ readonly programs: readonly { readonly program: string }[] }>(words);
  const each = PROGRAMS.map(async (program) => ({
    program,
    ...(await runPredictJson<object>([...words, '--program', program])),
  }));
  expect(programs).toEqual(await Promise.all(each));
});

test('a report of both has a part for each, and its sentences are printed', async () => {
  const dir = await twoPrograms();
  const { exitCode, stdout } = await runPredict(['report', dir]);
  expect([exitCode, stdout.split('\n').at(-1)]).toEqual([0, `Report: ${join(dir, 'report.html')}`]);
  const page = readFileSync(join(dir, 'report.html'), 'utf8');
  for (const program of PROGRAMS) {
    const [, sentence = ''] = new RegExp(`^${program}\n  (.*)$`, 'm').exec(stdout) ?? [];
    expect(sentence).not.toBe('');
    expect([page.includes(program), page.includes(sentence)]).toEqual([true, true]);
  }
});

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { goodRuns } from '../../../../analysis/explain-campaign.ts';
import { pathCampaign } from '../../../../analysis/path/across/path-campaign.ts';
import { type RecordedPath, recordedPath } from '../../../../analysis/path/mpi/recorded-path.ts';
import { explainCell } from '../../../../analysis/sources/runs/explain-cell.ts';
import { createOrOpenCampaign } from '../../../../experiments/store/create-campaign.ts';
import { openCampaign } from '../../../../experiments/store/open-campaign.ts';
import { writeCell } from '../../../../experiments/store/write-cell.ts';
import { workloadOf } from '../../../../experiments/workloads/adapters.ts';
import { hasCompiler, programFor, runTraced } from '../../../agents/run-traced.ts';
import { campaignPlan, goodRecord, nth, tempFolder } from '../../../experiments/make.ts';

type Part = { readonly from?: string; readonly to?: string };

/** A campaign of one run of kernels, recorded on two ranks. */
async function recorded(words: readonly string[], part?: Part): Promise<string> {
  const workload = workloadOf({
    ...{ kind: 'command', name: 'ring', command: ['kernels'], trace: 'mpi', failure: [], ranks: 'any' },
    ...(part === undefined ? {} : { part }),
    time: { pattern: 'took (.*) s', unit: 's' },
  });
  const { trace } = await runTraced('openmpi', [programFor('openmpi', 'kernels'), ...words], { ranks: 2 });
  const dir = join(tempFolder(), 'campaign');
  const { cells } = await createOrOpenCampaign(dir, campaignPlan({ nodes: '2', reps: '1' }, workload));
  const cell = nth(cells, 0);
  const hosts = ['node0', 'node1'];
  const clocks = hosts.map((host) => ({ host, offsetNs: 0, errorNs: 1000 }));
  const [firstNs = '0'] = trace.phases
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[2] ?? '');
  const samples = hosts.map((host) => ({
    host,
    text: [0, 1, 2].map(
      (second) => `${BigInt(firstNs) + BigInt(second) * 1_000_000_000n}\tcpu.busy_ns\t-\t${second * 5e8}`,
    ),
  }));
  await writeCell(
    dir,
    // Nothing in it lasts as long as this time.
    { ...goodRecord(cell, [1000]), hosts, clocks, samplers: [], summary: { ...trace.summary } },
    {
      stdout: '',
      stderr: '',
      samples: samples.map(({ host, text }) => ({ host, text: samplesOf(host, text) })),
      ...trace,
    },
  );
  return dir;
}

/** Its path, and what Grade10 says of it. */
async function explained(dir: string, whole = false) {
  const good = await goodRuns(await openCampaign(dir), { whole });
  const [record] = good.records;
  if (record === undefined) throw new Error('no record');
  return {
    good,
    found: await recordedPath(good, record, good.options),
    grade10: await explainCell(good, record, good.options),
    campaign: await pathCampaign(good),
  };
}

describe.skipIf(!hasCompiler('openmpi'))('a recorded run', () => {
  test('is stored, explained by Grade10, and its path followed', async () => {
    const { good, found, grade10, campaign } = await explained(await recorded(['20', '1000', 'ring']));
    expect(good.options.platform.name).toBe('mpi-calls');
    const { length = 0, ...keys } = found.meanNs;
    expect(Object.values(keys).reduce((sum, ns) => sum + ns, 0)).toBeCloseTo(length, 0);
    expect(found.problems).toEqual([]);
    // A rank that others keep off the processor finds some of its 40 messages there already: it waited for none of these.
    expect(found.hops).toBeGreaterThan(20);
    expect(keys.compute).toBeGreaterThan(0);
    const { summary, warnings } = grade10;
    expect(warnings.filter((text) => text.includes('lacks phases'))).toEqual([]);
    // Without marks it is what lies between MPI_Init and MPI_Finalize.
    const types = summary.phases.map(({ name }) => name);
    expect(types).toEqual(expect.arrayContaining(['/Rank/Compute', '/Rank/Exchange']));
    expect(types).not.toContain('/Rank/Start');
    expect([found.part.by, campaign?.noun, campaign?.parts]).toEqual(['run', 'run', ['from MPI_Init to MPI_Finalize']]);
  });

  test('of a program with marks is explained between them, all of it on request', async () => {
    const dir = await recorded(['4', '4000', 'marks']);
    const { found, grade10, campaign } = await explained(dir);
    const { by, stretches, words } = found.part;
    expect([by, stretches.length, words]).toEqual(['marks', 4, 'in its 4 parts between marks (MPI_Pcontrol)']);
    const { length = 0 } = found.meanNs;
    const ns = stretches.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
    expect(length).toBe(ns);
    // Rank 1 computes 30 times as long there as rank 0, which does so outside.
    expect(ranksNs(found)[1]).toBeGreaterThan(2 * (ranksNs(found)[0] ?? 0));
    expect(grade10.summary.seconds).toBeCloseTo(ns / 1e9, 1);
    expect(grade10.platform.noun).toBe('run between its marks');
    expect(campaign?.noun).toBe('run between its marks');
    const whole = await explained(dir, true);
    const [{ startNs, endNs } = { startNs: 0, endNs: 0 }] = whole.found.part.stretches;
    expect([whole.found.part.by, whole.found.part.stretches.length]).toEqual(['run', 1]);
    expect(whole.found.meanNs.length).toBe(endNs - startNs);
    expect(endNs - startNs).toBeGreaterThan(ns);
    expect(ranksNs(whole.found)[0]).toBeGreaterThan(0.2 * (ranksNs(whole.found)[1] ?? 0));
  });

  test('is explained between the calls that its workload names', async () => {
    // The third barrier begins the second part, the fourth ends it.
    const dir = await recorded(['4', '4000', 'marks'], { from: 'MPI_Barrier 3', to: 'MPI_Barrier 4' });
    const { found, campaign } = await explained(dir);
    expect(found.part).toMatchObject({ by: 'calls', words: 'from MPI_Barrier 3 to MPI_Barrier 4', warnings: [] });
    expect(ranksNs(found)[1]).toBeGreaterThan(2 * (ranksNs(found)[0] ?? 0));
    expect(campaign?.noun).toBe('run from MPI_Barrier 3 to MPI_Barrier 4');
    const lacks = await explained(await recorded(['1', '1000', 'marks'], { from: 'MPI_Barrier 9' }));
    expect(lacks.found.part.by).toBe('run');
    expect(lacks.grade10.warnings.join(' ')).toContain('No rank has the part from MPI_Barrier 9 to MPI_Finalize');
  });
});

function ranksNs({ searches }: RecordedPath): Readonly<Record<string, number>> {
  return searches[0]?.ranksNs ?? {};
}

function samplesOf(host: string, lines: readonly string[]): string {
  const head = `#predict-samples 1 host=${host} clock=realtime hz=1 cores=1`;
  return [head, ...lines, `#end samples=${lines.length} missed=0 cpu_ns=1`, ''].join('\n');
}

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { explainCell, goodRuns, recordedPath } from '../../../../analysis/index.ts';
import { createOrOpenCampaign, openCampaign, workloadOf, writeCell } from '../../../../experiments/index.ts';
import { hasCompiler, programFor, runTraced } from '../../../agents/run-traced.ts';
import { campaignPlan, goodRecord, nth, tempFolder } from '../../../experiments/make.ts';

const workload = workloadOf({
  ...{ kind: 'command', name: 'ring', command: ['kernels'], trace: 'mpi', failure: [], ranks: 'any' },
  time: { pattern: 'took (.*) s', unit: 's' },
});

test.skipIf(!hasCompiler('openmpi'))(
  'a recorded run is stored, explained by Grade10, and its path followed',
  async () => {
    const { trace } = await runTraced('openmpi', [programFor('openmpi', 'kernels'), '20', '1000', 'ring'], {
      ranks: 2,
    });
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
      { ...goodRecord(cell, [0.1]), hosts, clocks, samplers: [], summary: { ...trace.summary } },
      {
        stdout: '',
        stderr: '',
        samples: samples.map(({ host, text }) => ({ host, text: samplesOf(host, text) })),
        ...trace,
      },
    );
    const good = await goodRuns(await openCampaign(dir), {});
    expect(good.options.platform.name).toBe('mpi-calls');
    const [record] = good.records;
    if (record === undefined) throw new Error('no record');
    const found = await recordedPath(good, record, good.options);
    const { length = 0, ...keys } = found.meanNs;
    expect(Object.values(keys).reduce((sum, ns) => sum + ns, 0)).toBeCloseTo(length, 0);
    expect(found.problems).toEqual([]);
    // A rank that others keep off the processor finds some of its 40 messages there already: it waited for none of these.
    expect(found.path.hops).toBeGreaterThan(20);
    expect(keys.compute).toBeGreaterThan(0);
    const { summary, warnings } = await explainCell(good, record, good.options);
    expect(warnings.filter((text) => text.includes('lacks phases'))).toEqual([]);
    expect(summary.phases.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['/Rank/Compute', '/Rank/Exchange', '/Rank/Start', '/Rank/End']),
    );
  },
);

function samplesOf(host: string, lines: readonly string[]): string {
  const head = `#predict-samples 1 host=${host} clock=realtime hz=1 cores=1`;
  return [head, ...lines, `#end samples=${lines.length} missed=0 cpu_ns=1`, ''].join('\n');
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { expect, test } from 'vitest';
import { programFile } from '../../../agents/host-programs.ts';
import { recordedPath } from '../../../analysis/path/mpi/recorded-path.ts';
import { cellPaths } from '../../../analysis/path/phases/cell-paths.ts';
import { rankPath } from '../../../analysis/path/run-graph.ts';
import { dividedBy, searchSummary } from '../../../analysis/path/run-paths.ts';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import { createOrOpenCampaign } from '../../../experiments/store/create-campaign.ts';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';
import { writeCell } from '../../../experiments/store/write-cell.ts';
import { workloadOf } from '../../../experiments/workloads/adapters.ts';
import { hasCompiler, runTraced } from '../../agents/run-traced.ts';
import { campaignPlan, cellWith, goodRecord, newCampaign, nth, tempFolder } from '../../experiments/make.ts';

const [RANKS, SEARCHES] = [4, 32];

test.skipIf(!hasCompiler('openmpi') || !existsSync(programFile('graph500')))(
  'a run that traces itself and has its calls recorded has the same paths by both',
  async () => {
    // Of most paths the same ranks have the same time; less where others keep ranks off the processors, which each way sees elsewhere.
    let most = 0;
    for (let runs = 0; runs < 3 && most < 0.9; runs += 1) {
      const shared = median(await sharedByBoth());
      expect(shared).toBeGreaterThan(0.7);
      most = Math.max(most, shared);
    }
    expect(most).toBeGreaterThan(0.9);
  },
);

/** Of each search of a run the share of its path on the same ranks by both ways; its length is the same. */
async function sharedByBoth(): Promise<readonly number[]> {
  const folder = tempFolder();
  const file = (name: string): string => join(folder, name);
  const size = ['--scale', '16', '--roots', String(SEARCHES), '--skip-validation'];
  const words = [programFile('graph500'), ...size, '--phases', file('p.csv'), '--messages', file('m.csv')];
  const { trace, exitCode } = await runTraced('openmpi', words, { ranks: RANKS });
  expect(exitCode).toBe(0);
  const text = (name: string): string => readFileSync(file(name), 'utf8');
  const lineRateBps = 1e11;

  const own = await newCampaign({ bw: '100' });
  const ownRecord = goodRecord(cellWith(own.cells, { nodes: RANKS }));
  await writeCell(own.dir, ownRecord, { stdout: '', stderr: '', phases: text('p.csv'), messages: text('m.csv') });
  const platform = await loadPlatform('graph500');
  const paths = await cellPaths(await openCampaign(own.dir), ownRecord, { platform, lineRateBps });

  const workload = workloadOf({
    kind: 'command',
    name: 'search',
    command: ['graph500'],
    trace: 'mpi',
    failure: [],
    ranks: 'any',
    time: { pattern: 'took (.*) s', unit: 's' },
  });
  const dir = join(folder, 'recorded');
  const { cells } = await createOrOpenCampaign(dir, campaignPlan({ nodes: '4', bw: '100', reps: '1' }, workload));
  const record = goodRecord(nth(cells, 0));
  const first = earliest(trace.phases);
  const samples = record.hosts.map((host) => ({ host, text: sampleOf(host, first) }));
  await writeCell(dir, record, { stdout: '', stderr: '', samples, ...trace });
  const found = await recordedPath(await openCampaign(dir), record, { lineRateBps });

  const aheadNs = Number(earliest(text('p.csv')) - first);
  const shared: number[] = [];
  for (const search of paths.searches) {
    const slice = { startNs: search.startNs + aheadNs, endNs: search.endNs + aheadNs };
    const path = rankPath({ ...found, slice });
    expect(searchSummary(path).lengthNs).toBeCloseTo(search.lengthNs, 0);
    const recorded = new Map(dividedBy({ ...found, searches: [path] }, 'rank'));
    const traced = dividedBy({ ...paths, searches: [search] }, 'rank');
    shared.push(traced.reduce((sum, [rank, ns]) => sum + Math.min(ns, recorded.get(rank) ?? 0), 0) / search.lengthNs);
  }
  return shared;
}

/** The first stamp of a trace, ns. */
function earliest(csv: string): bigint {
  const [header = '', ...lines] = csv.trim().split('\n');
  const column = header.split(',').indexOf('start_ns');
  return lines.reduce((least, line) => {
    const ns = BigInt(line.split(',')[column] ?? '0');
    return ns < least ? ns : least;
  }, 2n ** 63n);
}

/** What a host's sampler left that looked once, at the first stamp. */
function sampleOf(host: string, ns: bigint): string {
  const head = `#predict-samples 1 host=${host} clock=realtime hz=1 cores=1`;
  return [head, `${ns}\tcpu.busy_ns\t-\t0`, '#end samples=1 missed=0 cpu_ns=1', ''].join('\n');
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { plan } from '../../experiments/plan.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import { type CampaignPlan, createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { type AskedSweep, parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';

/** A folder that goes with its test; its name has characters that patterns and SQL treat specially. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "it's [a] * test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function campaignPlan(
  flags: Partial<AskedSweep> = {},
  workload = workloadOf({ kind: 'graph500', name: 'graph500' }),
): CampaignPlan {
  const sweep = parseSweep({ nodes: '1,4', scales: '10', bw: '50', roots: '2', ...flags });
  return {
    name: 'trial',
    createdAt: '2024-05-01T10:00:00.000Z',
    sweep,
    workload: workload.definition,
    inventory: {
      cluster: 'lab',
      hosts: Array.from({ length: 9 }, (_, index) => ({ name: `node${index}`, facts: { cores: 2, kernel: '6.1' } })),
      lineRateBps: 1e9,
      ranksPerNode: 1,
      launcher: 'openmpi',
    },
    cells: plan(sweep, { workload, ranksPerNode: 1, hosts: 9 }),
  };
}

/** A new campaign folder with the cells of `campaignPlan`. */
export async function newCampaign(flags: Partial<AskedSweep> = {}): Promise<{ dir: string; cells: Cell[] }> {
  const dir = join(tempFolder(), 'campaign');
  const { cells } = await createOrOpenCampaign(dir, campaignPlan(flags));
  return { dir, cells };
}

/** The n-th of the cells; a test that asks for one that is not there is wrong. */
export function nth(cells: readonly Cell[], index: number): Cell {
  const cell = cells[index];
  if (cell === undefined) throw new Error(`no cell ${index}`);
  return cell;
}

/** The first of the cells that has these coordinates. */
export function cellWith(cells: readonly Cell[], coordinates: Partial<Cell>): Cell {
  const found = cells.find((cell) =>
    Object.entries({ ...cell, ...coordinates }).every(([key, value]) => cell[key as keyof Cell] === value),
  );
  if (found === undefined) throw new Error(`no cell with ${JSON.stringify(coordinates)}`);
  return found;
}

/** A good record with the given times in seconds, one per root, of 1000 edges each. */
export function goodRecord(cell: Cell, times: readonly number[] = [0.5, 0.25]): CellRecord {
  return {
    cell,
    status: 'ok',
    reason: null,
    outputTail: [],
    exitCode: 0,
    command: 'mpirun -n 4 predict-graph500',
    hosts: ['node0'],
    startedAt: '2024-05-01T10:00:01.000Z',
    timing: { totalMs: 100, throttleMs: 10, workloadMs: 80, collectMs: 10 },
    summary: { SCALE: cell.scale, NBFS: times.length },
    proof: null,
    runs: times.map((ct, index) => ({ index, ct, teps: 1000 / ct, nedge: 1000, validateS: null })),
    clocks: [{ host: 'node0', offsetNs: 12, errorNs: 900 }],
    samplers: [{ host: 'node0', samples: 3, missed: 0, cpuNs: 1e6 }],
    marks: [],
  };
}

export function failedRecord(cell: Cell): CellRecord {
  const reason = 'The program ended with exit status 1.';
  return { ...goodRecord(cell, []), status: 'failed', reason, exitCode: 1, outputTail: ['boom'] };
}

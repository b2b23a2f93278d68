import { median } from 'simple-statistics';
import { describeMarks, withMarks } from '../marks.ts';
import type { Cell, CellRecord, Mark } from '../records.ts';
import type { Campaign } from './campaign.ts';
import { type InParallel, inspectEvents, readInParallel } from './campaign-events.ts';
import { cellFolder } from './campaign-folders.ts';
import type { LiveState } from './live-state.ts';
import { foldCampaign } from './read-live.ts';
import { readVerified } from './verified-cells.ts';
import { readLastAttempts } from './write-cell.ts';

/** `done` counts cells with a record; `failed` those of them whose run failed. */
interface CellCounts {
  readonly planned: number;
  readonly done: number;
  readonly failed: number;
}

interface CampaignStatus {
  readonly name: string;
  readonly cells: CellCounts;
  /** What a sweep is at, and every configuration. */
  readonly live: LiveState;
  /** What measuring cost beside the workload; null before the first cell is done. */
  readonly overhead: {
    /** Median over cells of the time beyond the workload's own run, seconds. */
    readonly perCellS: number;
    /** Mean CPU use of a host's sampler, percent of one core. */
    readonly samplerCpuPercent: number;
  } | null;
  /** Every cell whose run failed, and every one that could not be measured yet, with why and the folder of what it printed. */
  readonly failures: readonly {
    readonly cell: Cell;
    readonly kind: 'failed' | 'not measured';
    readonly reason: string;
    readonly folder: string;
  }[];
  /** Every cell with a mark, in the order of the plan, and what `describeMarks` says of all; null without any. */
  readonly marks: readonly { readonly cell: Cell; readonly marks: readonly Mark[] }[];
  readonly careful: string | null;
  /** What runs of a size took beside others, where that was measured. */
  readonly inParallel: readonly InParallel[];
  /** One per (nodes, scale), in their order. */
  readonly groups: readonly (CellCounts & { readonly nodes: number; readonly scale: number })[];
}

/** How far a campaign is; may be asked while another process writes. */
export async function readStatus(dir: string): Promise<CampaignStatus> {
  const { events } = inspectEvents(dir);
  const verified = await readVerified(dir, { runs: false });
  const { campaign, cells } = verified;
  const live = (await foldCampaign(dir, verified, events)).state();
  const records = new Map([...cells].map(([id, { record }]) => [id, record]));
  const done = new Map([...records].map(([id, { status: state }]) => [id, state]));
  const groups = new Map<string, Campaign['cells']>();
  for (const cell of [...campaign.cells].sort((a, b) => a.nodes - b.nodes || a.scale - b.scale)) {
    const key = `${cell.nodes} ${cell.scale}`;
    const own = groups.get(key) ?? [];
    groups.set(key, own);
    own.push(cell);
  }
  const attempts = await readLastAttempts(dir);
  const measured = withMarks([...records.values()]);
  const marks = new Map(measured.map((record) => [record.cell.id, record.marks]));
  return {
    name: campaign.name,
    cells: count(campaign.cells, done),
    live,
    overhead: overheadOf([...records.values()]),
    failures: campaign.cells.flatMap((cell): CampaignStatus['failures'] => {
      const record = records.get(cell.id);
      if (record?.status === 'failed') {
        return [{ cell, kind: 'failed', reason: record.reason ?? '', folder: cellFolder(dir, cell.id) }];
      }
      const tried = record === undefined ? attempts.get(cell.id) : undefined;
      return tried === undefined ? [] : [{ cell, kind: 'not measured', reason: tried.reason, folder: tried.folder }];
    }),
    marks: campaign.cells.flatMap((cell) => {
      const own = marks.get(cell.id) ?? [];
      return own.length === 0 ? [] : [{ cell, marks: own }];
    }),
    careful: describeMarks(measured),
    inParallel: readInParallel(dir),
    groups: [...groups.values()].map((cells) => {
      const { nodes = 0, scale = 0 } = cells[0] ?? {};
      return { nodes, scale, ...count(cells, done) };
    }),
  };
}

function overheadOf(records: readonly Pick<CellRecord, 'samplers' | 'timing'>[]): CampaignStatus['overhead'] {
  const [first] = records;
  if (!first) return null;
  // Weighed by time: a sampler's own start is no small part of a run of milliseconds, and precedes its searches.
  const costs = records.flatMap(({ samplers, timing }) =>
    samplers.flatMap(({ cpuNs }) => (cpuNs === null ? [] : [{ cpuNs, ns: timing.workloadMs * 1e6 }])),
  );
  const total = (of: 'cpuNs' | 'ns'): number => costs.reduce((sum, cost) => sum + cost[of], 0);
  return {
    perCellS: median(records.map(({ timing }) => (timing.totalMs - timing.workloadMs) / 1000)),
    samplerCpuPercent: total('ns') === 0 ? 0 : (total('cpuNs') / total('ns')) * 100,
  };
}

function count(cells: Campaign['cells'], done: ReadonlyMap<string, 'ok' | 'failed'>): CellCounts {
  const states = cells.map((cell) => done.get(cell.id));
  return {
    planned: cells.length,
    done: states.filter((state) => state !== undefined).length,
    failed: states.filter((state) => state === 'failed').length,
  };
}

import { at, groupBy, mulberry32 } from '../../base/lists.ts';
import { plan } from '../../experiments/plan.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { settingOf } from '../../modeling/questions/steady.ts';

/** What a comparison needs of a campaign. */
export type Told = Pick<OpenCampaign, 'dir' | 'campaign' | 'records'>;

/** How many cells, and how often each is visited beside its repeated baselines. */
export interface Size {
  readonly nodes: string;
  readonly bw: string;
  readonly reps: string;
}

/** Sizes that programs for any, a square, and a power of two ranks allow. */
export const SIZES = {
  12: { nodes: '1,4,16', bw: '10,20,50,100' },
  48: { nodes: '1,4,16', bw: '8,10,12,15,20,25,30,35,40,45,50,60,70,80,90,100' },
} as const;

export interface Machine {
  readonly seed: number;
  /** When the first visit starts, seconds; each takes `STEP_S`. */
  readonly startS?: number;
  /** ln of the slowness of the machine at a time. */
  readonly drift?: (seconds: number) => number;
}

const STEP_S = 10;

/**
 * Makes campaigns of any size whose times scatter as those of a stored one did. Every made cell has a stored cell behind it: its typical
 * time, how far its visits lay from each other (of cells that were visited once: any cell's), and how far timed runs lay from the median
 * of their visit. Both are drawn with replacement; visits keep the size of what they were off, its sign is drawn.
 */
export function resampler({ campaign, records }: Told, { nodes, bw, reps }: Size) {
  const donors = groupBy(
    records.filter(({ status }) => status === 'ok'),
    ({ cell }) => settingOf(cell),
  ).map(donorOf);
  const pooled = donors.flatMap(({ off }) => off);
  const workload = workloadOf(campaign.workload);
  const roots = String(at(donors, 0).runs.length);
  const sweep = parseSweep({ nodes, bw, reps, scales: String(at(campaign.sweep.scales, 0)), roots });
  const hosts = Math.max(...sweep.nodes);
  const { ranksPerNode } = campaign.inventory;
  const cells = plan(sweep, { workload, ranksPerNode, hosts });
  const settings = [...new Set(cells.map(settingOf))].sort();
  const donorFor = new Map(settings.map((setting, place) => [setting, at(donors, place % donors.length)]));
  const made = { ...campaign, sweep, addedSweeps: [], cells };
  return (dir: string, { seed, startS = 0, drift = () => 0 }: Machine): Told => {
    const random = mulberry32(seed);
    const oneOf = <T>(values: readonly T[]): T => at(values, Math.floor(random() * values.length));
    const visits = cells.map((cell, place): CellRecord => {
      const donor = donorFor.get(settingOf(cell)) ?? at(donors, 0);
      const seconds = startS + STEP_S * place;
      const sign = random() < 0.5 ? -1 : 1;
      const visit = donor.log + sign * oneOf(donor.off.length > 0 ? donor.off : pooled) + drift(seconds);
      const runs = donor.runs.map((run, index) => ({
        ...run,
        index,
        ct: Math.exp(visit + oneOf(donor.scatter)),
        teps: null,
      }));
      return {
        ...donor.record,
        cell,
        runs,
        marks: [],
        startedAt: new Date(Date.UTC(2024, 4) + 1000 * seconds).toISOString(),
      };
    });
    return { dir, campaign: made, records: visits };
  };
}

interface Donor {
  readonly record: CellRecord;
  readonly runs: CellRecord['runs'];
  /** ln of its typical time. */
  readonly log: number;
  /** How far its visits were off (ln), as they would scatter around a mean that is known. */
  readonly off: readonly number[];
  /** How far the timed runs of all its visits were off from the medians of their visits (ln). */
  readonly scatter: readonly number[];
}

function donorOf(visits: readonly CellRecord[]): Donor {
  const logs = visits.map(({ runs }) => runs.map(({ ct }) => Math.log(ct)));
  const medians = logs.map(medianOf);
  const log = meanOf(medians);
  const share = visits.length / (visits.length - 1);
  return {
    ...{ record: at(visits, 0), runs: at(visits, 0).runs, log },
    off: visits.length < 2 ? [] : medians.map((each) => Math.abs(each - log) * Math.sqrt(share)),
    scatter: logs.flatMap((own, visit) => own.map((each) => each - at(medians, visit))),
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return (at(sorted, Math.floor(half)) + at(sorted, Math.ceil(half))) / 2;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Writes it as a campaign folder with digests of its own. */
export async function store({ campaign, records }: Told, dir: string): Promise<void> {
  const { name, createdAt, sweep, workload, inventory, cells } = campaign;
  await createOrOpenCampaign(dir, { name, createdAt, sweep, workload, inventory, cells });
  for (const record of records) await writeCell(dir, record, { stdout: '', stderr: '' });
}

/** The same campaign of a program that takes so many times as long in some cells. */
export function slowed(told: Told, factor: (cell: Cell) => number): Told {
  const records = told.records.map((record) => ({
    ...record,
    runs: record.runs.map((run) => ({ ...run, ct: run.ct * factor(record.cell) })),
  }));
  return { ...told, records };
}

/** A machine whose speed wanders for good: ln of an Ornstein-Uhlenbeck process of this deviation that lasts so many seconds. */
export function wandering({ sd, lastsS, seed }: Readonly<Record<'sd' | 'lastsS' | 'seed', number>>) {
  const { normal } = createRandom(seed);
  const keep = Math.exp(-STEP_S / lastsS);
  const steps = [sd * normal()];
  return (seconds: number): number => {
    const step = Math.round(seconds / STEP_S);
    while (steps.length <= step)
      steps.push(keep * at(steps, steps.length - 1) + sd * Math.sqrt(1 - keep ** 2) * normal());
    return at(steps, step);
  };
}

import { hasDagRun } from '../dag/read-run.ts';
import type { Cell, CellRecord } from '../records.ts';
import type { StackTable } from '../stacks/stack-columns.ts';
import type { Campaign } from './campaign.ts';
import { cellFolder } from './campaign-folders.ts';
import { cellTraces, type Traces, tracesTogether } from './cell-trace.ts';
import { type Derivation, derived, type Keeping, kept } from './derived.ts';
import { readStacks } from './stacks.ts';
import { type CellTraffic, readTraffic } from './traffic.ts';
import { readVerified } from './verified-cells.ts';

/**
 * A campaign that was verified and read once: whatever is asked of it is asked of this, and no question reads its folder again. The
 * large tables of cells are read when they are asked for; errors of those are `badInput`, naming the cell's folder.
 */
export interface OpenCampaign extends Traces {
  /** For messages, and for what is written beside it. */
  readonly dir: string;
  readonly campaign: Campaign;
  /** In the order of the ids: those of profiled runs, which a profiler slowed, are in `profiled` alone. */
  readonly records: readonly CellRecord[];
  readonly profiled: readonly CellRecord[];
  /** Of some cells that will all be asked for: many are read at a time. */
  together(ids: readonly string[]): Traces;
  stacks(id: string): Promise<StackTable | null>;
  /** What the hosts' counters recorded in good cells, all or those among some records. */
  traffic(some?: readonly CellRecord[]): Promise<CellTraffic[]>;
  /** What is made of each of some cells, kept in the campaign for the next time; by id. */
  derived<T>(derivation: Derivation<T>): Promise<ReadonlyMap<string, T>>;
  /** What is made of all of it, kept in the campaign for the next time. */
  kept<T>(keeping: Keeping<T>): Promise<T>;
  /** Good cells whose jobs were watched: by hosts and size, from the most bandwidth down; repeated baselines come last. */
  watched(): readonly WatchedCell[];
}

/** A good cell whose job was watched, with the folder of its run. */
interface WatchedCell {
  readonly cell: Cell;
  readonly folder: string;
}

/** Errors: `badInput` for what is no campaign, and where anything in it is not as it was written. */
export async function openCampaign(dir: string): Promise<OpenCampaign> {
  const verified = await readVerified(dir, { runs: true });
  const { campaign, cells } = verified;
  const all = [...cells.values()].map(({ record, runs }): CellRecord => ({ ...record, runs: [...(runs ?? [])] }));
  const isProfiled = ({ cell }: CellRecord): boolean => cell.role === 'profile';
  const records = all.filter((record) => !isProfiled(record));
  const ofCells = <T>(derivation: Derivation<T>) => derived(dir, cells, derivation);
  return {
    ...{ dir, campaign, records, profiled: all.filter(isProfiled) },
    ...cellTraces(dir),
    together: (ids) => tracesTogether(dir, ids),
    stacks: (id) => readStacks(dir, id),
    traffic: (some = records) => readTraffic({ dir, campaign, derived: ofCells }, some),
    derived: ofCells,
    kept: (keeping) => kept(dir, verified, keeping),
    watched: () => watchedCells(dir, records),
  };
}

function watchedCells(dir: string, records: readonly CellRecord[]): readonly WatchedCell[] {
  const good = records.filter(({ status }) => status === 'ok').map(({ cell }) => cell);
  const isLast = ({ role }: Cell): number => Number(role === 'drift');
  good.sort((a, b) => isLast(a) - isLast(b) || a.nodes - b.nodes || a.scale - b.scale || b.bw - a.bw || a.rep - b.rep);
  return good.map((cell) => ({ cell, folder: cellFolder(dir, cell.id) })).filter(({ folder }) => hasDagRun(folder));
}

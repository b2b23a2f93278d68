import { join } from 'node:path';
import type { HostPrograms } from '../agents/host-programs.ts';
import { messageOf } from '../base/errors.ts';
import type { Seconds } from '../base/units.ts';
import type { Cell } from '../experiments/records.ts';
import type { AskedFile } from '../experiments/store/campaign.ts';
import { appendEvents, type SweepEvent, type SweepNews } from '../experiments/store/campaign-events.ts';
import type { Sweep } from '../experiments/sweep.ts';
import type { Workload } from '../experiments/workloads/workload.ts';
import type { Inventory } from '../inventory/inventory-schema.ts';
import type { Target } from '../modeling/rows.ts';
import type { OpenExecutor } from './hosts/executor.ts';
import type { Queue } from './queue/queue.ts';
import type { JobTerm } from './schedulers/job-term.ts';

export interface SweepOptions {
  readonly sweep: Sweep;
  readonly workload: Workload;
  readonly inventory: Inventory;
  /** What asked for it, where a campaign file did. */
  readonly file?: AskedFile | undefined;
  /** The campaign's folder. */
  readonly out: string;
  readonly redis?: string | undefined;
  /** What is measured; by default what the sweep has on this inventory (experiments/plan.ts). */
  readonly cells?: readonly Cell[] | undefined;
  /** Of the planned cells, those that are measured, as they come; all of them by default. */
  readonly cellsOf?: Queue | undefined;
  /** Most runs at once; as many as the hosts allow by default. */
  readonly slots?: number | undefined;
  /** How long links stay throttled after this controller has vanished. */
  readonly leaseS: Seconds;
  /** Longest run of one cell. */
  readonly cellTimeoutS: Seconds;
  readonly signal: AbortSignal;
  /** Told everything that happens, as it goes into the campaign's events.jsonl. */
  readonly onEvent: (event: SweepEvent) => void;
  /** When it has measured enough; default: the planned visits are all. */
  readonly aims?: VisitAims | undefined;
  /** The batch job whose hosts are used; none where they stay. */
  readonly term?: JobTerm | undefined;
  /** The way to a host; an SSH session by default. */
  readonly open?: OpenExecutor | undefined;
  /** What is put on every host, as it is; by default what fits the host (orchestrator/hosts/deployment.ts). */
  readonly programs?: HostPrograms | undefined;
}

/** A sweep and its cells; `out` is an absolute path. */
export interface Job extends SweepOptions {
  readonly cells: readonly Cell[];
  readonly tell: (news: SweepNews) => void;
}

/** When a sweep has measured enough, beside visiting every planned cell. */
export interface VisitAims {
  /** A disturbed visit is repeated at most so often. */
  readonly repeats: number;
  /** Half of the 90 % interval of every cell's typical time, percent of it, that is narrow enough; null: any. */
  readonly precisionPercent: number | null;
  /** Most timed runs of one cell for the sake of precision; null: no bound. */
  readonly mostRoots: number | null;
  /** Of the whole sweep: no visit beyond the planned ones is begun that would end later; null: no bound. */
  readonly budgetS: Seconds | null;
  /** Whose projection gets what is left of the budget; null: nobody's. */
  readonly towards: Target | null;
}

/**
 * Stamps what happens in a sweep, keeps it in the campaign's events.jsonl and hands it on. Before the sweep has begun only
 * notes are handed on, and nothing is kept. A file that cannot be written is said once, as a note, and costs nothing else.
 */
export function announcer(dir: string, onEvent: (event: SweepEvent) => void): (news: SweepNews) => void {
  const append = appendEvents(dir);
  let begun = false;
  let failed = false;
  return (news) => {
    begun ||= news.kind === 'sweep-begun';
    if (!begun && news.kind !== 'note') return;
    const event: SweepEvent = { ...news, at: new Date().toISOString() };
    onEvent(event);
    if (!begun) return;
    try {
      append(event);
    } catch (error) {
      if (failed) return;
      failed = true;
      const text = `events cannot be written to ${join(dir, 'events.jsonl')} (${messageOf(error)}); the sweep continues.`;
      onEvent({ kind: 'note', at: event.at, text });
    }
  };
}

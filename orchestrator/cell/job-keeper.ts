import { startOf } from '../../experiments/plan.ts';
import type { Cell } from '../../experiments/records.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { StandingJob } from './standing-job.ts';

/**
 * Whether a cell is measured by orders to a run that serves all bandwidth levels of its size: not where it is profiled or recorded
 * from outside, which are one start's, nor where a scheduler's steps hold the links or the ranks, which must change with the level.
 */
export function servedByOrders(cell: Cell, { cluster, workload }: { cluster: Cluster; workload: Workload }): boolean {
  if (workload.followsOrders?.(cell.params ?? {}) !== true || workload.launch !== 'ranks') return false;
  if (cell.profile !== undefined || workload.recorder !== null) return false;
  return !LAUNCHERS[cluster.inventory.mpi.launcher].startsSteps && cluster.throttler === undefined;
}

/** The run that waits for orders, one at a time: it sleeps between cells, and serves those that differ in nothing but their level. */
export class JobKeeper {
  #up: { readonly key: string; readonly job: StandingJob } | undefined;

  /** The job that serves a cell, if it is up. */
  find(cell: Cell): StandingJob | null {
    return this.#up?.key === startOf(cell) && this.#up.job.isUp ? this.#up.job : null;
  }

  /** Starts one for a cell once an earlier one has ended, and keeps it, whatever becomes of it. */
  async start(cell: Cell, start: () => Promise<StandingJob>): Promise<StandingJob> {
    await this.end();
    const job = await start();
    this.#up = { key: startOf(cell), job };
    return job;
  }

  /** Ends what is up, in bounded time: hosts are quiet then. */
  async end(): Promise<void> {
    const up = this.#up;
    this.#up = undefined;
    await up?.job.end();
  }

  /** The same without asking it: after a fault the next cell needs a start of its own. */
  async drop(): Promise<void> {
    const up = this.#up;
    this.#up = undefined;
    await up?.job.kill();
  }
}

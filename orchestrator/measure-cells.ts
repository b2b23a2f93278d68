import { median } from 'simple-statistics';
import { messageOf, PredictError } from '../base/index.ts';
import {
  type Campaign,
  type Cell,
  type CellOutput,
  type CellRecord,
  contentHash,
  doneCells,
  type SweepNews,
  writeAttempt,
  writeCell,
} from '../experiments/index.ts';
import { type CellContext, faultOutput, runCell } from './cell/run-cell.ts';
import type { ProbedHost } from './hosts/facts.ts';
import type { Job } from './job.ts';
import { runQueue } from './queue/run-queue.ts';

interface Site extends Pick<CellContext, 'cluster' | 'links'> {
  readonly campaign: Campaign;
  readonly probed: readonly ProbedHost[];
  /** Removes what the workload keeps on the hosts between runs. */
  readonly removeCache: () => Promise<void>;
}

/** Runs every cell that the store does not have, each until it is measured or given up; returns those that were given up. */
export async function measureCells(
  { workload, inventory, redis, out, cells, cellTimeoutS, sweep: { seed }, signal, tell }: Job,
  { cluster, campaign, probed, links, removeCache }: Site,
): Promise<{ readonly id: string; readonly reason: string }[]> {
  const ids = cells.map(({ id }) => id);
  const finished = await doneCells(out);
  tell({ kind: 'sweep-begun', planned: ids, done: ids.filter((id) => finished.has(id)) });
  const hosts = new Map(probed.map((host) => [host.host, host]));
  const context = { cluster, workload, seed, links, probed: hosts, timeoutMs: cellTimeoutS * 1000, signal };
  let group = '';
  const { unmeasured } = await runQueue({
    redis,
    // Only controllers of the same cells share a queue: what another sweep of the campaign queued is not in this plan.
    name: `predict-${inventory.cluster}-${campaign.createdAt.replaceAll(':', '')}-${contentHash(ids)}`,
    plan: cells,
    done: finished,
    signal,
    isDone: async ({ id }) => (await doneCells(out, { only: id })).has(id),
    run: async (cell, attempt) => {
      tell({ kind: 'cell-started', id: cell.id, attempt });
      // Graphs are large: only those of the group at work stay on the hosts.
      const next = groupOf(cell);
      if (next !== group) await removeCache();
      group = next;
      try {
        const { record, ...output } = await runCell(cell, context);
        await store(out, record, output);
        tell(finishedNews(record));
      } catch (error) {
        const fault = faultOutput(error);
        const kept = error instanceof PredictError && error.kind === 'unwritable';
        if (!signal.aborted && !kept) await writeAttempt(out, { cell, at: new Date().toISOString(), ...fault });
        throw error;
      }
    },
    onRetry: ({ id }, attempt, reason) => tell({ kind: 'cell-retried', id, attempt, reason }),
    onGivenUp: ({ id }, reason) => tell({ kind: 'cell-given-up', id, reason }),
    onUnknown: (id) => {
      const name = JSON.stringify(id.slice(0, 40));
      tell({ kind: 'note', text: `the queue held ${name}, which this sweep does not plan: it was dropped.` });
    },
  });
  return unmeasured.map(({ cell, reason }) => ({ id: cell.id, reason }));
}

/** Cells that share what their workload keeps between runs. */
function groupOf({ nodes, scale, params }: Cell): string {
  return JSON.stringify([nodes, scale, params]);
}

function finishedNews({ cell: { id }, status, reason, timing, runs, marks }: CellRecord): SweepNews {
  const medianS = runs.length === 0 ? null : median(runs.map(({ ct }) => ct));
  return {
    kind: 'cell-finished',
    id,
    status,
    reason,
    timing,
    runs: runs.length,
    medianS,
    marks: marks.map(({ text }) => text),
  };
}

/** A store that cannot be written will not get better by measuring again. */
async function store(out: string, record: CellRecord, output: CellOutput): Promise<void> {
  try {
    await writeCell(out, record, output);
  } catch (error) {
    throw new PredictError(`The sweep stops: ${messageOf(error)}`, { kind: 'unwritable', cause: error });
  }
}

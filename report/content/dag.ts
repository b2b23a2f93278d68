import { DEFAULT_THRESHOLDS, type ExplainedJobs, explainJobs, readWatchedJob } from '../../analysis/dag/index.ts';
import { PredictError } from '../../base/index.ts';
import type { CellRecord, OpenCampaign } from '../../experiments/index.ts';

/** What the watched runs of a campaign say together, or why they say nothing together. */
export type DagData = { readonly explained: ExplainedJobs } | { readonly problem: string };

const OPTIONS = { level: 0.9, target: null, size: null, price: null };

/** Null where no run was watched. */
export async function dagOf(open: OpenCampaign, records: readonly CellRecord[]): Promise<DagData | null> {
  const ids = new Set(records.map(({ cell }) => cell.id));
  const cells = open.watched().filter(({ cell }) => ids.has(cell.id));
  if (cells.length === 0) return null;
  try {
    const reads = [];
    for (const { cell, folder } of cells) {
      const read = await readWatchedJob(folder, { thresholds: DEFAULT_THRESHOLDS });
      const hosts = `${cell.nodes} ${cell.nodes === 1 ? 'host' : 'hosts'}`;
      reads.push({ ...read, folder: cell.role === 'drift' ? `${hosts}, again` : hosts });
    }
    return { explained: explainJobs(reads, OPTIONS) };
  } catch (error) {
    // Commands that differ with the hosts are another job on each.
    if (error instanceof PredictError && error.kind === 'badInput') return { problem: error.message };
    throw error;
  }
}

import { explainJobs } from '../../analysis/dag/explain/explain-jobs.ts';
import type { ExplainedJobs } from '../../analysis/dag/explain/explained.ts';
import { readWatchedJob } from '../../analysis/dag/job/read-watched-job.ts';
import { DEFAULT_THRESHOLDS } from '../../analysis/dag/judge/judge-period.ts';
import { PredictError } from '../../base/errors.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';

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

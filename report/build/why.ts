import { explainCell, type Summary } from '../../analysis/index.ts';
import { PredictError } from '../../base/index.ts';
import { type Campaign, type CellRecord, hostFacts } from '../../experiments/index.ts';
import type { ReportData } from '../data.ts';

/**
 * Where the time of the searches went, for the largest scale at full and at the lowest bandwidth on every node count.
 * Empty for programs that report no phases.
 */
export async function whyRows(
  dir: string,
  { campaign, records }: { readonly campaign: Campaign; readonly records: readonly CellRecord[] },
): Promise<ReportData['why']> {
  const good = records.filter(({ cell, status }) => status === 'ok' && cell.role === 'measure' && cell.rep === 1);
  const scale = Math.max(...good.map(({ cell }) => cell.scale));
  const lowest = Math.min(...good.map(({ cell }) => cell.bw));
  const chosen = good
    .filter(({ cell }) => cell.scale === scale && (cell.bw === 100 || cell.bw === lowest))
    .sort((a, b) => b.cell.bw - a.cell.bw || a.cell.nodes - b.cell.nodes);
  const cores = Math.min(...hostFacts(campaign).map((host) => host.cpuQuota ?? host.cores ?? 1));
  const rows: ReportData['why'] = [];
  for (const record of chosen) {
    const summary = await explained(dir, record, { lineRateBps: campaign.inventory.lineRateBps, cores });
    if (summary) rows.push(rowOf(record, summary));
  }
  return rows;
}

/** Null where a run left no phases or counters: there is nothing to explain then. */
async function explained(
  dir: string,
  record: CellRecord,
  options: { readonly lineRateBps: number; readonly cores: number },
): Promise<Summary | null> {
  try {
    return (await explainCell(dir, record, options)).summary;
  } catch (error) {
    if (error instanceof PredictError) return null;
    throw error;
  }
}

function rowOf({ cell }: CellRecord, { searchSeconds, phaseSeconds, costs }: Summary): ReportData['why'][number] {
  const percent = (part: string): number => {
    const own = phaseSeconds.find(({ phases }) => phases.endsWith(`/${part}`))?.seconds ?? 0;
    return searchSeconds > 0 ? (own / searchSeconds) * 100 : 0;
  };
  const first = (kind: 'critical-path' | 'imbalance') => {
    const found = costs.find((cost) => cost.kind === kind);
    if (!found) return null;
    return { name: (found.resource ?? found.phases ?? '').split('/').at(-1) ?? '', percent: found.percent };
  };
  return {
    nodes: cell.nodes,
    scale: cell.scale,
    bw: cell.bw,
    searchSeconds: searchSeconds / cell.roots,
    expandPercent: percent('Expand'),
    computePercent: percent('Compute'),
    foldPercent: percent('Fold'),
    synchronisePercent: percent('Synchronise'),
    bottleneck: first('critical-path'),
    imbalance: first('imbalance'),
  };
}

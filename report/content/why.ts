import {
  acrossRuns,
  campaignOptions,
  componentLabel,
  componentNames,
  costWords,
  type Explained,
  explainCell,
  runOf,
} from '../../analysis/index.ts';
import { PredictError } from '../../base/index.ts';
import type { Campaign, CellRecord } from '../../experiments/index.ts';
import type { Why } from '../why-data.ts';
import { runPicture } from './why-run.ts';

/** Node counts that components are forecast for. */
const FORECAST_NODES = [36, 64, 100];

/**
 * Where the time of every measured run went, what the runs say together, and pictures of two of them: the largest cluster and
 * scale at full and at the lowest bandwidth. Null where nothing was sampled.
 */
export async function whyOf(
  dir: string,
  { campaign, records }: { readonly campaign: Campaign; readonly records: readonly CellRecord[] },
): Promise<Why | null> {
  const good = records
    .filter(({ cell, status }) => status === 'ok' && cell.role === 'measure')
    .sort(({ cell: a }, { cell: b }) => b.scale - a.scale || a.nodes - b.nodes || b.bw - a.bw || a.rep - b.rep);
  const options = await campaignOptions(campaign);
  const wanted = pictured(good);
  const explained: Omit<Explained, 'analysis'>[] = [];
  const runs: Why['runs'] = [];
  for (const record of good) {
    const found = await explain(dir, record, options);
    if (found === null) continue;
    const { analysis, ...rest } = found;
    // Analyses are large: only what is drawn of them stays.
    if (wanted.includes(record)) runs.push(runPicture(found));
    explained.push({ ...rest, warnings: [] });
  }
  const [first] = explained;
  if (first === undefined) return null;
  const { platform } = first;
  const measured = explained.map(({ record, summary }) => runOf(record.cell, summary));
  const names = componentNames(measured);
  const { ranksPerNode } = campaign.inventory;
  const beyond = FORECAST_NODES.filter((nodes) => nodes > Math.max(...measured.map((run) => run.nodes)));
  const across = acrossRuns(measured, platform, { ranksPerNode, nodes: beyond });
  return {
    noun: platform.noun,
    model: platform.name,
    answer: across.answer,
    sentences: across.sentences,
    components: names.map((name) => ({ name, label: componentLabel(name, platform) })),
    rows: explained.map(({ record: { cell }, summary }, index) => ({
      nodes: cell.nodes,
      scale: cell.scale,
      bw: cell.bw,
      seconds: measured[index]?.seconds ?? 0,
      parts: names.map((name) => measured[index]?.components[name] ?? 0),
      helps: summary.costs[0] === undefined ? '' : costWords(summary.costs[0], platform),
    })),
    forecasts: across.forecasts.map(({ dominant: _, ...one }) => one),
    takeovers: across.takeovers,
    runs: runs.sort((a, b) => b.bw - a.bw),
  };
}

/** The largest scale on the most nodes, at the highest and the lowest bandwidth. */
function pictured(sorted: readonly CellRecord[]): readonly CellRecord[] {
  const scale = sorted[0]?.cell.scale;
  const most = Math.max(...sorted.filter(({ cell }) => cell.scale === scale).map(({ cell }) => cell.nodes));
  const own = sorted.filter(({ cell }) => cell.scale === scale && cell.nodes === most && cell.rep === 1);
  const [first, last] = [own[0], own.at(-1)];
  return [first, last].flatMap((record, index) =>
    record === undefined || (index === 1 && record === first) ? [] : [record],
  );
}

/** Null where a run left no phases or counters: there is nothing to explain then. */
async function explain(
  dir: string,
  record: CellRecord,
  options: Parameters<typeof explainCell>[2],
): Promise<Explained | null> {
  try {
    return await explainCell(dir, record, options);
  } catch (error) {
    if (error instanceof PredictError) return null;
    throw error;
  }
}

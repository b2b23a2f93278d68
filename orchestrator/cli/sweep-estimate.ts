import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatBytes, formatSeconds } from '../../base/units.ts';
import { estimateSweep, type SweepEstimate } from '../../experiments/estimate.ts';
import type { Cell } from '../../experiments/records.ts';
import { readCampaign } from '../../experiments/store/campaign.ts';
import { readStoredRecords } from '../../experiments/store/cells.ts';
import { parseHostFacts } from '../../experiments/store/programs.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';

/** What the cells of a sweep take, by those of its campaign that are measured and by figures of Graph500. */
export async function estimateOf(
  cells: readonly Cell[],
  { workload, out, emulated }: { readonly workload: Workload; readonly out: string; readonly emulated: boolean },
): Promise<SweepEstimate> {
  const records = isCampaign(out) ? [...(await readStoredRecords(out)).values()] : [];
  return estimateSweep(cells, {
    records,
    emulated,
    isGraph500: workload.edgeFactor !== null && workload.choices === null,
  });
}

/** Of the campaign's hosts, where it has looked at them, bytes. */
export async function smallestMemory(out: string): Promise<number | undefined> {
  if (!isCampaign(out)) return undefined;
  const known = parseHostFacts(await readCampaign(out)).flatMap(({ memoryBytes }) => memoryBytes ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** `184 cells are to be measured: about 3.2 hours; at most 12.5 GiB of memory on a host (scale 27 on 4 nodes).` */
export function sweepEstimateText({ seconds, known, unmeasured, memory }: SweepEstimate): string {
  const basis =
    known === unmeasured
      ? 'by cells of the same size in the campaign'
      : known === 0
        ? 'by figures of Graph500'
        : `${known} of them by cells of the same size in the campaign`;
  const time =
    seconds === null
      ? 'how long is not known before cells of the same sizes were measured'
      : unmeasured === 0
        ? 'nothing is left to measure'
        : `about ${hours(seconds)} (${basis})`;
  const need =
    memory === null
      ? ''
      : `; at most ${formatBytes(memory.bytesPerNode)} of memory on a host (scale ${memory.cell.scale} on ${memory.cell.nodes})`;
  return `${unmeasured} to measure: ${time}${need}.`;
}

function hours(seconds: number): string {
  return seconds < 3600 ? formatSeconds(Math.round(seconds)) : `${(seconds / 3600).toFixed(1)} hours`;
}

/** Whether there is a campaign in a folder, in whatever state. */
export function isCampaign(out: string): boolean {
  return existsSync(join(out, 'campaign.json'));
}

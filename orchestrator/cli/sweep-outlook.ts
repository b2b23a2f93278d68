import { formatBytes, formatSeconds } from '../../base/units.ts';
import { estimateSweep, largestScale, refuseTooLarge, type SweepEstimate } from '../../experiments/estimate.ts';
import type { Cell } from '../../experiments/records.ts';
import { readCampaign } from '../../experiments/store/campaign.ts';
import { isCampaign } from '../../experiments/store/campaign-folders.ts';
import { readStoredRecords } from '../../experiments/store/cells.ts';
import { parseHostFacts } from '../../experiments/store/host-facts.ts';
import { type AskedSweep, parseSweep } from '../../experiments/sweep.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { planSweep } from '../run-sweep.ts';
import { placeOnHosts, type SweepPlace } from './sweep-place.ts';
import { findUnknownSizes, sweepSizes } from './sweep-sizes.ts';

/** What to expect of a sweep on hosts before anything is measured there. */
interface Outlook {
  /** What fits and how long it takes, a sentence each. */
  readonly says: readonly string[];
  /** Errors: `badInput` where it needs more memory than there is. */
  readonly refuse: () => void;
}

interface Site {
  readonly inventory: Inventory;
  readonly workload: Workload;
  readonly leastMemory: number | undefined;
}

/** Most node counts that are looked at where none are named: the largest that can run. */
const MOST_COUNTS = 4;

/**
 * The time and the memory of the sweep that flags describe on an inventory's hosts; without node counts, of the largest that can run
 * there. `leastMemory` is that of the smallest host, bytes, where hosts have told. Bad flags are `badInput`.
 */
export function sweepOutlook(texts: AskedSweep, { inventory, workload, leastMemory }: Site): Outlook {
  const counts = Array.from({ length: inventory.hosts.length }, (_, index) => index + 1)
    .filter((nodes) => workload.admissible(nodes * inventory.ranksPerNode))
    .slice(-MOST_COUNTS);
  const nodes = texts.nodes ?? counts.join(',');
  if (nodes === '' || workload.choices !== null || findUnknownSizes(texts, workload).length > 0)
    return { says: [], refuse: () => undefined };
  const { memoryBytes = leastMemory, ...place } = placeOnHosts(inventory);
  const asked = { ...texts, nodes };
  const sizes = sweepSizes(asked, workload, { ...place, memoryBytes });
  const sweep = parseSweep({ ...asked, ...sizes.chosen });
  const cells = planSweep({ sweep, workload, inventory });
  const isGraph500 = workload.edgeFactor !== null;
  const estimate = estimateSweep(cells, {
    records: [],
    isGraph500,
    followsOrders: ({ params = {} }) => workload.followsOrders?.(params) === true,
    emulated: place.emulated,
  });
  const says = [`A sweep with --nodes ${nodes}: ${sizes.isTimed ? sizes.says : sweepEstimateText(estimate)}`];
  if (isGraph500 && memoryBytes !== undefined) {
    const fits = (count: number): string =>
      `scale ${largestScale({ nodes: count, memoryBytes })} on ${count} ${count === 1 ? 'node' : 'nodes'}`;
    const used = [...new Set(cells.map((cell) => cell.nodes))].sort((a, b) => a - b);
    says.push(
      `The largest graphs that fit ${formatBytes(memoryBytes)} of memory on a host: ${used.map(fits).join(', ')}.`,
    );
  }
  return { says, refuse: () => refuseTooLarge(estimate, memoryBytes) };
}

/**
 * What the cells of a sweep take, by those of its campaign in `out` that are measured and by figures of Graph500; and the memory of its
 * smallest host, bytes, as far as it is known.
 */
export async function estimateInCampaign(
  cells: readonly Cell[],
  { workload, out, place }: { readonly workload: Workload; readonly out: string; readonly place: SweepPlace },
): Promise<{ readonly estimate: SweepEstimate; readonly memoryBytes: number | undefined }> {
  const isThere = isCampaign(out);
  const records = isThere ? [...(await readStoredRecords(out)).values()] : [];
  const hosts = isThere && place.memoryBytes === undefined ? parseHostFacts(await readCampaign(out)) : [];
  const known = hosts.flatMap(({ facts }) => facts.memoryBytes ?? []);
  const isGraph500 = workload.edgeFactor !== null && workload.choices === null;
  const least = known.length === 0 ? undefined : Math.min(...known);
  return {
    estimate: estimateSweep(cells, {
      records,
      isGraph500,
      followsOrders: ({ params = {} }) => workload.followsOrders?.(params) === true,
      emulated: place.emulated,
    }),
    memoryBytes: place.memoryBytes ?? least,
  };
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

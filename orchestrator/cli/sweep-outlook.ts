import { formatBytes } from '../../base/units.ts';
import { estimateSweep, largestScale, refuseTooLarge } from '../../experiments/estimate.ts';
import { type AskedSweep, parseSweep } from '../../experiments/sweep.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { planSweep } from '../run-sweep.ts';
import { sweepEstimateText } from './sweep-estimate.ts';
import { placeOnHosts } from './sweep-place.ts';
import { sweepSizes } from './sweep-sizes.ts';

/** What to expect of a sweep on hosts before anything is measured there. */
export interface Outlook {
  /** What fits and how long it takes, a sentence each. */
  readonly says: readonly string[];
  /** Errors: `badInput` where it needs more memory than there is. */
  readonly refuse: () => void;
}

/** Most node counts that are looked at where none are named: the largest that can run. */
const MOST_COUNTS = 4;

/**
 * The time and the memory of the sweep that flags describe on an inventory's hosts; without node counts, of the largest that can run
 * there. `leastMemory` is that of the smallest host, bytes, where hosts have told. Bad flags are `badInput`.
 */
export function sweepOutlook(
  texts: AskedSweep,
  {
    inventory,
    workload,
    leastMemory,
  }: { readonly inventory: Inventory; readonly workload: Workload; readonly leastMemory: number | undefined },
): Outlook {
  const counts = Array.from({ length: inventory.hosts.length }, (_, index) => index + 1)
    .filter((nodes) => workload.admissible(nodes * inventory.ranksPerNode))
    .slice(-MOST_COUNTS);
  const nodes = texts.nodes ?? counts.join(',');
  if (nodes === '' || workload.choices !== null) return { says: [], refuse: () => undefined };
  const { memoryBytes = leastMemory, ...place } = placeOnHosts(inventory);
  const asked = { ...texts, nodes };
  const sizes = sweepSizes(asked, workload, { ...place, memoryBytes });
  const sweep = parseSweep({ ...asked, ...sizes.chosen });
  const cells = planSweep({ sweep, workload, inventory });
  const isGraph500 = workload.edgeFactor !== null;
  const estimate = estimateSweep(cells, { records: [], isGraph500, emulated: place.emulated });
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

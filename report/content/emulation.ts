import { formatRate } from '../../base/units.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';

/** What of a cluster that lives in one machine is emulated, in sentences. */
export function emulationText(of: {
  readonly hosts: number;
  /** That the ranks of a host keep to. */
  readonly cores: number;
  readonly lineRateBps: number;
}): string {
  const share = `${Number((of.cores * 100).toPrecision(3))} % of a core`;
  return `Emulated: the ${of.hosts} hosts are network namespaces on one machine, each with ${share} for its ranks. tc holds their links at ${formatRate(of.lineRateBps)}.`;
}

/** The same of a campaign's cluster; null for a real one. */
export function emulationOf({ hosts, emulatedCores: cores, lineRateBps }: Campaign['inventory']): string | null {
  return cores === undefined ? null : emulationText({ hosts: hosts.length, cores, lineRateBps });
}

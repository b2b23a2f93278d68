import { type Campaign, hostFacts, workloadOf } from '../../../experiments/index.ts';
import { loadPlatform, type Platform } from '../../platform/index.ts';
import type { CellModelOptions } from './cell-model.ts';

/**
 * What the models of a campaign's runs are made with: the platform given, else the one that the workload names; the link's rate; the cores of its smallest host, for hosts whose quota was not sampled.
 */
export async function campaignOptions(
  campaign: Campaign,
  given?: Platform,
): Promise<CellModelOptions & { readonly platform: Platform }> {
  const platform = given ?? (await loadPlatform(workloadOf(campaign.workload).platform));
  const cores = Math.min(...hostFacts(campaign).map((host) => host.cpuQuota ?? host.cores ?? 1));
  return { platform, lineRateBps: campaign.inventory.lineRateBps, cores };
}

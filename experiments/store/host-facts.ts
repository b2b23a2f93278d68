import { z } from 'zod';
import type { Campaign } from './campaign.ts';

/** What set-up found out about a host; others are passed over. */
const hostFactsSchema = z
  .object({
    kernel: z.string().optional().catch(undefined),
    cores: z.number().positive().optional().catch(undefined),
    memoryBytes: z.number().positive().optional().catch(undefined),
    /** Cores that a control group leaves. */
    cpuQuota: z.number().positive().optional().catch(undefined),
  })
  .catch({});
export type HostFacts = z.infer<typeof hostFactsSchema>;

/** The facts of a campaign's hosts, in its order. */
export function hostFacts({ inventory }: Campaign): HostFacts[] {
  return inventory.hosts.map((host) => hostFactsSchema.parse(host.facts ?? {}));
}

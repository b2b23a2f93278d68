import { z } from 'zod';
import type { Campaign } from './campaign.ts';

/** What set-up found out about a host; others are passed over. */
const knownFactsSchema = z
  .object({
    kernel: z.string().optional().catch(undefined),
    cores: z.number().positive().optional().catch(undefined),
    memoryBytes: z.number().positive().optional().catch(undefined),
    /** Cores that a control group leaves. */
    cpuQuota: z.number().positive().optional().catch(undefined),
  })
  .catch({});

/** The facts of a campaign's hosts, in its order. */
export function hostFacts({ inventory }: Campaign): z.infer<typeof knownFactsSchema>[] {
  return inventory.hosts.map((host) => knownFactsSchema.parse(host.facts ?? {}));
}

import { z } from 'zod';
import { parseAnswer } from './parse-answer.ts';

/** What predict-agent says about its host; fields that only people read pass through unchecked. */
const hostFactsSchema = z.looseObject({
  hostname: z.string(),
  kernel: z.string(),
  cores: z.int().positive(),
  memoryBytes: z.coerce.number().nonnegative(),
  dataInterface: z.string().nullable(),
  dataAddress: z.string().nullable(),
  clock: z.looseObject({ realtimeNs: z.string().regex(/^\d{1,19}$/, 'it is not a number of nanoseconds') }),
  tools: z.record(z.string(), z.string().nullable()),
  /** Whether systemd manages the host's services: it restores a link when no process of predict is left to do so. */
  systemd: z.boolean(),
  cpuQuota: z.number().nullable().optional(),
});
export type HostFacts = z.infer<typeof hostFactsSchema>;

/** The facts in what the agent on `host` printed. Errors: infrastructure. */
export function parseFacts(text: string, host: string): HostFacts {
  return parseAnswer(text, { host, what: 'its facts', schema: hostFactsSchema });
}

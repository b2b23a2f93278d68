import { z } from 'zod';
import { infrastructure, messageOf, shortened } from '../../base/index.ts';

/** What predict-agent says about its host; fields that only people read pass through unchecked. */
const hostFactsSchema = z.looseObject({
  hostname: z.string(),
  kernel: z.string(),
  cores: z.int().positive(),
  memoryBytes: z.coerce.number().nonnegative(),
  dataInterface: z.string().nullable(),
  dataAddress: z.string().nullable(),
  clock: z.looseObject({ realtimeNs: z.string().regex(/^\d{1,19}$/, 'it is no number of nanoseconds') }),
  tools: z.record(z.string(), z.string().nullable()),
  cpuQuota: z.number().nullable().optional(),
});
export type HostFacts = z.infer<typeof hostFactsSchema>;

/** The facts in what the agent on `host` printed. Errors: infrastructure that names the host, and what stands in the way. */
export function parseFacts(text: string, host: string): HostFacts {
  const refuse = (why: string, cause?: unknown) =>
    infrastructure(`${host}: its facts could not be read: ${why}.`, { host, cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const noise = text.slice(0, Math.max(0, text.indexOf('{'))).trim();
    if (noise === '') throw refuse(`'${shortened(text.trim())}' is no JSON (${shortened(messageOf(error))})`, error);
    throw refuse(
      `its login shell prints '${shortened(noise)}' before them: make the shell silent where there is no terminal`,
      error,
    );
  }
  const parsed = hostFactsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = shortened(issue?.message ?? '', 120).replace(/^Invalid input: /, '');
  throw refuse(`${shortened(issue?.path.join('.') || 'the whole')} is wrong (${message})`, parsed.error);
}

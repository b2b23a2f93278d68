import type { z } from 'zod';
import { infrastructure, messageOf } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';

/**
 * The JSON that a program of ours printed on `host`, as its schema has it; `what` begins the sentence of errors, after the host.
 * Errors: infrastructure that says what stands in the way.
 */
export function parseAnswer<T>(
  text: string,
  { host, what, schema }: { readonly host: string; readonly what: string; readonly schema: z.ZodType<T> },
): T {
  const refuse = (why: string, cause?: unknown) =>
    infrastructure(`${host}: ${what} could not be read: ${why}.`, { host, cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(`'${shortened(text.trim())}' is not JSON (${shortened(messageOf(error))})`, error);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = shortened(issue?.message ?? '', 120).replace(/^Invalid input: /, '');
  throw refuse(`${shortened(issue?.path.join('.') || 'the whole reply')} is wrong (${message})`, parsed.error);
}

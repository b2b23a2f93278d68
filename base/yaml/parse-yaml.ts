import type { z } from 'zod';
import { badInput } from '../errors.ts';
import { explainIssue, type Fault, nameOf, withStop } from './explain-issue.ts';
import { type ReadYamlOptions, readYaml } from './read-yaml.ts';

/**
 * A YAML text checked against a schema, then by `check`, whose sentences are put behind the name of the key. Errors: badInput, a line
 * per fault in the order of the file: `path:line: what was received and what was expected`.
 */
export function parseYaml<T>(
  text: string,
  {
    path,
    schema,
    check = () => [],
    verbatim = [],
  }: ReadYamlOptions & {
    readonly schema: z.ZodType<T>;
    readonly check?: (value: T) => readonly Fault[];
  },
): T {
  const { value, lineOf } = readYaml(text, { path, verbatim });
  const parsed = schema.safeParse(value);
  const named = ({ at, sentence }: Fault): Fault => ({ at, sentence: `${nameOf(at)}: ${sentence}` });
  const faults = parsed.success ? check(parsed.data).map(named) : explain(parsed.error, { schema, root: value });
  if (parsed.success && faults.length === 0) return parsed.data;
  throw faulty(faults, { path, lineOf });
}

/** Everything that zod found wrong, in sentences. */
export function explain(
  error: z.core.$ZodError,
  checked: { readonly schema: z.ZodType; readonly root: unknown },
): readonly Fault[] {
  return error.issues.flatMap((issue) => explainIssue(issue, checked));
}

/** Lines of one message. */
const TOLD = 20;

/** One error about all faults of a file. */
export function faulty(
  faults: readonly Fault[],
  { path, lineOf }: { readonly path: string; readonly lineOf: (at: readonly PropertyKey[]) => number },
): Error {
  const placed = faults.map(({ at, sentence }) => ({ line: lineOf(at), sentence: withStop(sentence) }));
  placed.sort((a, b) => a.line - b.line);
  const lines = placed.slice(0, TOLD).map(({ line, sentence }) => `${path}:${line}: ${sentence}`);
  if (placed.length > TOLD) lines.push(`${path}: ${placed.length - TOLD} more faults.`);
  return badInput(lines.join('\n'));
}

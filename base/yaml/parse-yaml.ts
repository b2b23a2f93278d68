import type { z } from 'zod';
import { badInput, shortened } from '../index.ts';
import { type ReadYamlOptions, readYaml } from './read-yaml.ts';

/** Something wrong at one place of a file. */
export interface Fault {
  readonly at: readonly PropertyKey[];
  readonly sentence: string;
}

/**
 * A YAML text checked against a schema, then by `check`. Errors: badInput, a line per fault with `path:line`, the key and
 * what is wrong.
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
  const faults = parsed.success ? check(parsed.data) : parsed.error.issues.flatMap(faultsOf);
  if (parsed.success && faults.length === 0) return parsed.data;
  const lines = faults
    .slice(0, TOLD)
    .map(
      ({ at, sentence }) => `${path}:${lineOf(at)}: ${nameOf(at)}: ${sentence}${/[.?!]$/.test(sentence) ? '' : '.'}`,
    );
  if (faults.length > TOLD) lines.push(`${path}: ${faults.length - TOLD} more errors.`);
  throw badInput(lines.join('\n'), parsed.error);
}

/** Faults of one message. */
const TOLD = 20;

function faultsOf(issue: z.core.$ZodIssue): readonly Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ at: [...issue.path, key], sentence: 'this key is unknown here' }));
  }
  // Of a union the branch that got furthest says most.
  const branch = issue.code === 'invalid_union' ? issue.errors.toSorted((a, b) => depth(b) - depth(a))[0] : undefined;
  if (branch === undefined || depth(branch) === 0) {
    return [{ at: issue.path, sentence: issue.message.replace(/\.$/, '') }];
  }
  return branch.flatMap((inner) => faultsOf({ ...inner, path: [...issue.path, ...inner.path] }));
}

function depth(branch: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...branch.map(({ path }) => path.length));
}

function nameOf(at: readonly PropertyKey[]): string {
  const [first = 'the file', ...rest] = at.map(String);
  return shortened([first, ...rest].join(' > '), 120);
}

import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { badInput, messageOf } from '../../base/errors.ts';
import type { BottleneckPredicate } from '../grade10/bottlenecks/predicates.ts';
import { type IssueRule, issueFinder } from '../grade10/issues/issue-rule.ts';
import type { Extensions } from './platform.ts';

const callable = z.custom<(...values: never[]) => unknown>((value) => typeof value === 'function', 'give a function');
const name = z.string().min(1);

const moduleSchema = z.object({
  predicates: z
    .array(
      z.union([
        z.object({ kind: z.literal('count'), name, per: z.enum(['phase', 'type']), holds: callable }),
        z.object({ kind: z.literal('subphases'), name, holds: callable }),
      ]),
    )
    .default([]),
  /** The three functions of algorithm 3. */
  issues: z.array(z.object({ analyseLeaf: callable, analyseComposite: callable, extractIssues: callable })).default([]),
});

/**
 * Predicates and issue rules from a module of the user's: exports `predicates` (BottleneckPredicate) and `issues`
 * (IssueRule). It is code and runs with the user's rights. Errors: badInput naming the file and the export.
 */
export async function extensionsOf(path: string): Promise<Extensions> {
  let exported: unknown;
  try {
    exported = { ...(await import(pathToFileURL(path).href)) };
  } catch (error) {
    throw badInput(`The module ${path} cannot be loaded: ${messageOf(error)}.`, error);
  }
  const parsed = moduleSchema.safeParse(exported);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw badInput(`The module ${path} exports an invalid ${issue?.path.join('.')}: ${issue?.message}.`, parsed.error);
  }
  return {
    predicates: parsed.data.predicates as unknown as readonly BottleneckPredicate[],
    issues: (parsed.data.issues as unknown as readonly IssueRule<unknown>[]).map(issueFinder),
  };
}

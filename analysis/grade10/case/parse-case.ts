import { badInput } from '../../../base/index.ts';
import { longLists } from './long-lists.ts';
import { type Case, caseSchema } from './records.ts';

/** Checks the form of a case read from JSON. Errors: badInput that names the first wrong place, the value and what belongs there. */
export function parseCase(data: unknown): Case {
  const lists = longLists(data);
  const parsed = caseSchema.safeParse(
    lists === null ? data : { ...Object(data), phases: [], metrics: [], mapping: [] },
  );
  if (parsed.success) return { ...parsed.data, ...lists };
  const issue = parsed.error.issues[0];
  const path = issue?.path ?? [];
  const where = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  const received = JSON.stringify(valueAt(data, path)) ?? 'nothing';
  const shown = received.length > 60 ? `${received.slice(0, 60)}...` : received;
  throw badInput(`The case has ${shown} at ${where.slice(1) || 'its top'}: ${issue?.message ?? 'wrong form'}.`);
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

import { badInput } from '../../../base/errors.ts';
import { type Case, caseSchema } from './case-records.ts';

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
  throw badInput(`The case has ${shown} at ${where.slice(1) || 'the top level'}: ${issue?.message ?? 'wrong form'}.`);
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** What a case has most of. */
type LongLists = Pick<Case, 'phases' | 'metrics' | 'mapping'>;

/**
 * The long lists of a case when all in them is as the schema wants it, else null. A schema makes an object per value, which takes
 * ten times as long as looking; so the schema sees these lists only when something is wrong, to say what.
 */
function longLists(data: unknown): LongLists | null {
  if (!isObject(data)) return null;
  const { phases, metrics, mapping } = data;
  const isFine = isListOf(phases, isPhase) && isListOf(metrics, isMetric) && isListOf(mapping, isEntry);
  return isFine ? { phases, metrics, mapping } : null;
}

function isPhase(value: unknown): value is Case['phases'][number] {
  return isObject(value) && isText(value.path) && isNs(value.start_ns) && isNs(value.end_ns);
}

function isMetric(value: unknown): value is Case['metrics'][number] {
  if (!isObject(value) || !isText(value.path)) return false;
  if (value.class === 'blocking') return isListOf(value.blocked_ns, isWait);
  return (
    value.class === 'consumable' &&
    isNumber(value.capacity) &&
    isListOf(value.observation_times_ns, isNs) &&
    isListOf(value.observation_values, isNumber)
  );
}

function isEntry(value: unknown): value is Case['mapping'][number] {
  return isObject(value) && isText(value.phase) && isListOf(value.resources, isText);
}

function isWait(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length === 2 && isNs(value[0]) && isNs(value[1]);
}

function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function isNs(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

import { z } from 'zod';
import { byId } from '../../../analysis/dag/judge/judge.ts';

/** Values by ids, which are anybody's words: `z.record` passes over one that is `__proto__`. */
export function idRecord<Value extends z.ZodType>(value: Value) {
  return z.preprocess(entriesOf, z.map(z.string(), value, 'expected an object')).transform((map) => byId([...map]));
}

function entriesOf(record: unknown): unknown {
  return typeof record === 'object' && record !== null && !Array.isArray(record)
    ? new Map(Object.entries(record))
    : record;
}

import { z } from 'zod';

/** Values by ids, which are anybody's words: `z.record` passes over one that is `__proto__`. */
export function idRecord<Value extends z.ZodType>(value: Value) {
  return z
    .preprocess(entriesOf, z.map(z.string(), value, 'expected an object'))
    .transform((map) => Object.fromEntries([...map]));
}

function entriesOf(record: unknown): unknown {
  return typeof record === 'object' && record !== null && !Array.isArray(record)
    ? new Map(Object.entries(record))
    : record;
}

export type { GraphRows } from './ladybug.ts';
export { querySql } from './query-sql.ts';
export { ensureGraph, queryGraph } from './view.ts';

export { querySql } from './query-sql.ts';
export { ensureGraph, queryGraph } from './view.ts';

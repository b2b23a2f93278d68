export { analysisTables } from './analysis-tables.ts';
export { chromeTrace } from './chrome-trace.ts';
export type { Table } from './table.ts';
export { toTsv } from './to-tsv.ts';

export { analysisTables } from './analysis-tables.ts';
export { chromeTrace } from './chrome-trace.ts';
export type { Column, Table } from './table.ts';
export { toTsv } from './to-tsv.ts';

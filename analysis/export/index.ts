export { analysisTables } from './analysis-tables.ts';
export { type ChromeTraceOptions, chromeTrace } from './chrome-trace.ts';
export type { Column, ColumnType, Table } from './table.ts';
export { toTsv } from './to-tsv.ts';

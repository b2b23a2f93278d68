export { analysisTables } from './analysis-tables.ts';
export { chromeTrace } from './chrome-trace.ts';
export { dagTrace } from './dag-trace.ts';
export { type LaneEvent, type PathEvent, pathTrace } from './path-trace.ts';
export { createTable, type Table } from './table.ts';
export { toCsv } from './to-csv.ts';
export { toTsv } from './to-tsv.ts';

export { analysisTables } from './analysis-tables.ts';
export { createTable, type Table } from './create-table.ts';
export { dagTrace } from './dag-trace.ts';
export { type LaneEvent, type PathEvent, pathTrace } from './path-trace.ts';
export { toCsv } from './to-csv.ts';
export { toTsv } from './to-tsv.ts';
export { chromeTrace } from './write-chrome-trace.ts';

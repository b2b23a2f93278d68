export { type CellModelOptions, COUNTERS, cellModel } from './feed/cell-model.ts';
export { explainCell } from './feed/explain-cell.ts';
export { type Cost, type Summary, summarise } from './feed/summarise.ts';
export * from './grade10/index.ts';

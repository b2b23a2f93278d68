export { readCsv, writeCsv } from './csv.ts';
export {
  canonical,
  type Experiment,
  experimentSchema,
  gather,
  type Measurement,
  measurementsOf,
  type Point,
  type Series,
} from './experiment.ts';
export { readExtrapJson, writeExtrapJson } from './extrap-json.ts';
export { readExtrapJsonl, writeExtrapJsonl } from './extrap-jsonl.ts';
export { readExtrapText, writeExtrapText } from './extrap-text.ts';
export {
  encodeExperiment,
  type FormatName,
  formatNames,
  formatOfPath,
  parseFormat,
  readExperiment,
} from './formats.ts';
export { type JsonNode, parseJson } from './json-with-lines.ts';
export { readParquet, writeParquet } from './parquet.ts';
export { readRowsFile } from './read-rows-file.ts';
export {
  chooseSeries,
  experimentFromRows,
  type ParameterMap,
  parseParameterMap,
  type SeriesChoice,
  selectSeries,
  seriesRows,
} from './to-rows.ts';

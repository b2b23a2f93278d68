export { parseRowsCsv, readExperimentCsv, writeExperimentCsv } from './csv.ts';
export {
  canonical,
  type Experiment,
  gatherExperiment,
  type Measurement,
  type Series,
} from './experiment.ts';
export { readExperimentParquet, writeExperimentParquet } from './experiment-parquet.ts';
export { readExtrapJson, writeExtrapJson } from './extrap-json.ts';
export { readExtrapJsonl, writeExtrapJsonl } from './extrap-jsonl.ts';
export { readExtrapText, writeExtrapText } from './extrap-text.ts';
export { encodeExperiment, formatNames, formatOfPath, parseFormat, readExperiment, readRowsFile } from './formats.ts';
export { chooseSeries, experimentFromRows, parseParameterMap, selectSeries, seriesRows } from './to-rows.ts';

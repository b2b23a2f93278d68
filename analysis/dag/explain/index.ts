export { cautionsOf, notesOf } from './cautions.ts';
export { explainJobs, resultsOf } from './explain-jobs.ts';
export type {
  EdgeRow,
  ExplainedJobs,
  ExplainJobsOptions,
  RunRow,
  SeenCrossing,
  SetUpRow,
  TargetRow,
  TaskRow,
} from './explained.ts';
export { dagFindings } from './findings.ts';
export {
  edgeColumns,
  type JobColumn,
  runColumns,
  shareOf,
  stepColumns,
  targetWords,
  taskColumns,
} from './job-tables.ts';
export {
  adviceWords,
  bottleneckName,
  crossingWords,
  type LabelOf,
  periodVerdict,
  verdictOf,
  wholePercent,
} from './job-words.ts';
export { amountText, rangedText, rateText } from './rates.ts';
export { dagResult } from './run-result.ts';

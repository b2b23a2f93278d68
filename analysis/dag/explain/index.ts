export { cautionsOf, notesOf } from './cautions.ts';
export {
  type EdgeRow,
  type ExplainedJobs,
  type ExplainJobsOptions,
  explainJobs,
  type RunRow,
  resultsOf,
  type SetUpRow,
  setUpOf,
  type TargetRow,
  type TaskRow,
} from './explain-jobs.ts';
export { dagFindings } from './findings.ts';
export { adviceWords, bottleneckName, type LabelOf, periodVerdict, verdictOf, wholePercent } from './words.ts';

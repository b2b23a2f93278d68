export {
  demand,
  increment,
  measuredDemand,
  measuredIncrements,
  type Setting,
} from './demand.ts';
export { type DominanceOptions, dominance, isPerfectSquare } from './dominance.ts';
export { type FitOptions, fitModel as fit } from './fit.ts';
export { type LeaveLargestOutOptions, leaveLargestOut } from './leave-largest-out.ts';
export { type Model, models, type Term } from './models.ts';
export { nnls } from './nnls.ts';
export { predict, type Target } from './predict.ts';
export { project, type Targets } from './project.ts';
export { parseRowsCsv, readRowsCsv } from './read-rows-csv.ts';
export * from './records.ts';
export { distinct, filterRows, pickRows, type Row, type Rows, rowsFrom, type Variable } from './rows.ts';
export type { Selection } from './select.ts';
export { type ValidateOptions, validate } from './validate.ts';

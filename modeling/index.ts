export { paperModelFor, termTexts } from './candidates.ts';
export { type CompareOptions, compare } from './compare.ts';
export { type AdviseOptions, advise } from './decide/advise.ts';
export { decide, type PlanOptions } from './decide/plan.ts';
export { sentencesOf } from './decide/sentences.ts';
export {
  demand,
  increment,
  measuredDemand,
  measuredIncrements,
  type Setting,
} from './demand.ts';
export { diagnose } from './diagnose.ts';
export { type DominanceOptions, dominance, isPerfectSquare, smallestAdmissible } from './dominance.ts';
export { type BootstrapOptions, bootstrap, type Ensemble, estimate, estimates, measurable } from './ensemble.ts';
export { type FitOptions, fitModel as fit, type Solved, solveModel as solve } from './fit.ts';
export { type Form, formula, highestBandwidth, type Term, usesBandwidth } from './form.ts';
export { fitFromCoefficients } from './from-coefficients.ts';
export { type LeaveLargestOutOptions, leaveLargestOut } from './leave-largest-out.ts';
export { type ModelName, modelNames, models } from './models.ts';
export { nnls } from './nnls.ts';
export { predict, type Target } from './predict.ts';
export { predictUnseen, type UnseenOptions } from './predict-unseen.ts';
export { project, type Targets } from './project.ts';
export { createRandom, type Random } from './random.ts';
export { parseRowsCsv, readRowsCsv } from './read-rows-csv.ts';
export * from './records.ts';
export { distinct, filterRows, pickRows, type Row, type Rows, rowsFrom, type Variable } from './rows.ts';
export type { Selection } from './select.ts';
export { type TrafficPoint, trafficForm, volumeLaw } from './traffic.ts';
export { turningPoint } from './turning-point.ts';
export { type ValidateOptions, validate } from './validate.ts';

export { type AdviseOptions, advise } from './answers/decide/advise.ts';
export { type DecideOptions, decide } from './answers/decide/decide.ts';
export { sentencesOf } from './answers/decide/sentences.ts';
export {
  demand,
  incrementPercent,
  measuredDemand,
  measuredIncrements,
  type Setting,
} from './answers/demand.ts';
export { type DominanceOptions, dominance, isPerfectSquare, smallestAdmissible } from './answers/dominance.ts';
export { project, type Targets } from './answers/project.ts';
export { turningPoint } from './answers/turning-point.ts';
export { parseRowsCsv, readRowsCsv } from './exchange/read-rows-csv.ts';
export { type FitOptions, fitModel, type Solved, solveModel } from './fit/fit.ts';
export { nnls } from './fit/nnls.ts';
export { paperModelFor, termTexts } from './forms/candidates.ts';
export { type Form, formula, highestBandwidth, type Term, usesBandwidth } from './forms/form.ts';
export { fitFromCoefficients } from './forms/from-coefficients.ts';
export { type ModelName, modelNames, models } from './forms/models.ts';
export { predict, type Target } from './forms/predict.ts';
export { type TrafficPoint, trafficForm, volumeLaw } from './forms/traffic.ts';
export { type CompareOptions, chosenForm, compare } from './judge/compare.ts';
export { diagnose } from './judge/diagnose.ts';
export { type BootstrapOptions, bootstrap, type Ensemble, estimate, estimates, measurable } from './judge/ensemble.ts';
export { type LeaveLargestOutOptions, leaveLargestOut } from './judge/leave-largest-out.ts';
export { meaning } from './judge/meaning.ts';
export { predictUnseen, type UnseenOptions } from './judge/predict-unseen.ts';
export { createRandom, type Random } from './judge/random.ts';
export { type ValidateOptions, validate } from './judge/validate.ts';
export { askForUnseen, type UnseenAnswer } from './questions/ask-for-unseen.ts';
export { type ChosenFit, chooseAndFit, compareForms, leaveLargest, type Question } from './questions/choose-and-fit.ts';
export {
  admissibleBy,
  clusterOf,
  edgeFactorOf,
  fromCampaign,
  fromFile,
  type Measurements,
  type MeasurementsOptions,
  type Origin,
  selectedFrom,
} from './questions/measurements.ts';
export * from './records.ts';
export {
  baseScaleOf,
  distinct,
  filterRows,
  pickRows,
  type Row,
  type Rows,
  rowsFrom,
  type Selection,
  type Variable,
} from './rows.ts';

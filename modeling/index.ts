export { bestSize, savingPercent } from './answers/best-size.ts';
export { demand, measuredDemand } from './answers/compute-demand.ts';
export { advise } from './answers/decide/advise.ts';
export { type Decisions, decide, gtepsOf, repetitionsOf } from './answers/decide/decide.ts';
export { sentencesOf } from './answers/decide/decision-sentences.ts';
export { turningPoint } from './answers/decide/diminishing.ts';
export { crossovers, dominance, isPerfectSquare, smallestAdmissible } from './answers/dominance.ts';
export { farthestNodes, fromNodesText, withinNodes } from './answers/from-nodes.ts';
export { type NeededBandwidth, neededBandwidth, neededBandwidthText } from './answers/needed-bandwidth.ts';
export { project } from './answers/project.ts';
export { targetNodes } from './answers/target-nodes.ts';
export { type Parts, partsOf, type TimePart } from './answers/time-parts.ts';
export { parseRowsCsv } from './exchange/csv.ts';
export { readRowsFile } from './exchange/formats.ts';
export { type FitOptions, fitModel, solveModel } from './fit/fit.ts';
export { nnls } from './fit/nnls.ts';
export { type Form, formula, highestBandwidth, usesBandwidth } from './forms/form.ts';
export { fitFromCoefficients } from './forms/from-coefficients.ts';
export { type ModelName, modelNames, models } from './forms/models.ts';
export { predict, type Target } from './forms/predict.ts';
export { variableLabels } from './forms/select.ts';
export { type TrafficPoint, trafficForm, volumeLaws } from './forms/traffic-form.ts';
export { createAbstention, doubtOf } from './judge/abstain.ts';
export { type AskedModel, type Choice, chooseAmong, compare, solve } from './judge/compare-candidates.ts';
export { createRandom } from './judge/create-random.ts';
export { meaning } from './judge/describe-fit.ts';
export { diagnose } from './judge/diagnose.ts';
export {
  type BootstrapOptions,
  bootstrap,
  type Ensemble,
  estimate,
  estimatedCoefficients,
  estimates,
  measurable,
} from './judge/ensemble.ts';
export type { Gate, Judged } from './judge/gate.ts';
export { extrapolate, insidePercent, leaveLargestOut, predictUnseen } from './judge/predict-unseen.ts';
export { studentQuantile } from './judge/student.ts';
export { validate } from './judge/validate.ts';
export * from './model-records.ts';
export { askForUnseen, type UnseenAnswer } from './questions/ask-for-unseen.ts';
export { chooseAndFit, type FitQuestion, leaveLargest, weighForms } from './questions/choose-and-fit.ts';
export {
  type CampaignComparison,
  type CellPlace,
  type CommonCell,
  compareCampaigns,
} from './questions/compare-campaigns.ts';
export {
  admissibleBy,
  clusterOf,
  edgeFactorOf,
  fromCampaign,
  fromFile,
  type Measurements,
  memoryOf,
  selectedFrom,
} from './questions/measurements.ts';
export { nextCells } from './questions/next-cells.ts';
export { settingOf, steadyRecords } from './questions/steady.ts';
export { logOf, scatterOf, type TypicalTime, typicalTimes } from './questions/typical-times.ts';
export {
  baseScaleOf,
  distinct,
  filterRows,
  type MeasuredRow,
  pickRows,
  type Rows,
  rowsFrom,
  sizeWords,
} from './rows.ts';

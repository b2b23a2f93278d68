export { bestSize, savingPercent } from './answers/best-size.ts';
export { advise } from './answers/decide/advise.ts';
export { type Decisions, decide, gtepsOf, repetitionsOf } from './answers/decide/decide.ts';
export { turningPoint } from './answers/decide/diminishing.ts';
export { sentencesOf } from './answers/decide/sentences.ts';
export { demand, measuredDemand } from './answers/demand.ts';
export { crossovers, dominance, isPerfectSquare, smallestAdmissible } from './answers/dominance.ts';
export { farthestNodes, fromNodesText, withinNodes } from './answers/from-nodes.ts';
export { type NeededBandwidth, neededBandwidth, neededBandwidthText } from './answers/needed-bandwidth.ts';
export { type Parts, partsOf, type TimePart } from './answers/parts.ts';
export { project } from './answers/project.ts';
export { targetNodes } from './answers/target-nodes.ts';
export { parseRowsCsv } from './exchange/csv.ts';
export { readRowsFile } from './exchange/formats.ts';
export { type FitOptions, fitModel, solveModel } from './fit/fit.ts';
export { nnls } from './fit/nnls.ts';
export { type Form, formula, highestBandwidth, usesBandwidth } from './forms/form.ts';
export { fitFromCoefficients } from './forms/from-coefficients.ts';
export { type ModelName, modelNames, models } from './forms/models.ts';
export { predict, type Target } from './forms/predict.ts';
export { variableLabels } from './forms/select.ts';
export { type TrafficPoint, trafficForm, volumeLaws } from './forms/traffic.ts';
export { createAbstention, doubtOf } from './judge/abstain.ts';
export { type AskedModel, type Choice, chooseAmong, compare, solve } from './judge/compare.ts';
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
export { meaning } from './judge/meaning.ts';
export { extrapolate, insidePercent, leaveLargestOut, predictUnseen } from './judge/predict-unseen.ts';
export { createRandom } from './judge/random.ts';
export { studentQuantile } from './judge/student.ts';
export { validate } from './judge/validate.ts';
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
export * from './records.ts';
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

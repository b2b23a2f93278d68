/** How far: rows of measurements in, fitted models with intervals out, and what follows from them. What other rooms use of it; they import it from the file that defines it. */

export { type Decisions, decide } from './answers/decide/decide.ts';
export { describeDecisions } from './answers/decide/decision-sentences.ts';
export { repetitionsOf, type ToldCluster, tellClusters } from './answers/decide/tell-clusters.ts';
export {
  chooseTargetNodes,
  findCrossovers,
  findFarthestNodes,
  fromNodesText,
  smallestAdmissible,
  withinNodes,
} from './answers/dominance.ts';
export { type Narrower, narrower } from './answers/narrower.ts';
export {
  findNeededBandwidth,
  findNeededValue,
  measuredDemand,
  type NeededBandwidth,
  neededBandwidthText,
} from './answers/needed-bandwidth.ts';
export { computeGteps, project, projectAll } from './answers/project.ts';
export { computeTimeParts, findBestSize, type Parts, savingPercent, type TimePart } from './answers/savings.ts';
export { describeThreads, fitThreadsLaw, tellThreads } from './answers/threads-law.ts';
export { type Experiment, gatherExperiment } from './exchange/experiment.ts';
export { encodeExperiment, formatNames, parseFormat, readExperiment, readRowsFile } from './exchange/formats.ts';
export { writePrometheus } from './exchange/prometheus.ts';
export {
  chooseSeries,
  experimentFromRows,
  parseParameterMap,
  selectSeries,
  seriesRows,
  variablesOf,
} from './exchange/to-rows.ts';
export { type Cells, collapse, pickCells } from './fit/collapse.ts';
export { type FitOptions, fitModel, solveModel } from './fit/fit.ts';
export { formula, highestBandwidth, usesBandwidth } from './forms/form.ts';
export { fitFromCoefficients } from './forms/from-coefficients.ts';
export { type ModelName, modelNames, models } from './forms/models.ts';
export { predict, variableLabels } from './forms/predict.ts';
export type { TrafficPoint } from './forms/traffic-form.ts';
export { createAbstention, describeDoubt } from './judge/abstain.ts';
export { compareLargest, describeLargest, describeSkill } from './judge/baselines.ts';
export { FEWEST_VALUES } from './judge/change-points.ts';
export { type AskedModel, type Choice, chooseAmong, chosenForm, solve } from './judge/compare-candidates.ts';
export { formulaWithNumbers } from './judge/describe-fit.ts';
export { diagnose } from './judge/diagnose.ts';
export { createRandom, studentQuantile } from './judge/distributions.ts';
export {
  type BootstrapOptions,
  bootstrap,
  type Ensemble,
  estimatedCoefficients,
  estimates,
  measurable,
} from './judge/ensemble.ts';
export type { Gate, Judged } from './judge/gate.ts';
export { type PackedEnsemble, packEnsemble, unpackEnsemble } from './judge/pack-ensemble.ts';
export { extrapolate, leaveLargestOut } from './judge/predict-unseen.ts';
export { validate } from './judge/validate.ts';
export type { Comparison, Demand, Estimate, Extrapolation, Fit, Score, Trend, UnseenCell } from './model-records.ts';
export {
  buildHistory,
  FIGURES,
  type FigureName,
  type History,
  type HistoryChange,
  type HistoryPoint,
  type HistorySeries,
} from './questions/campaign-history.ts';
export {
  askedFor,
  askForUnseen,
  chooseAndFit,
  type FitQuestion,
  leaveLargest,
  type UnseenAnswer,
  weighForms,
} from './questions/choose-and-fit.ts';
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
  fromFiles,
  type Measurements,
  memoryOf,
  selectedFrom,
} from './questions/measurements.ts';
export { chooseNextCells } from './questions/next-cells.ts';
export { settingOf, steadyRecords } from './questions/steady.ts';
export { logOf, poolScatter, type TypicalTime, typicalTimes } from './questions/typical-times.ts';
export {
  baseScaleOf,
  distinct,
  indicesAt,
  indicesWhere,
  pickRows,
  type Rows,
  rowsFrom,
  type Selection,
  settingAt,
  sizeWords,
  type Target,
} from './rows.ts';

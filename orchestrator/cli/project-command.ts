import { parseCount } from '../../base/bounds.ts';
import { badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { formatSeconds } from '../../base/units.ts';
import { EDGE_FACTOR } from '../../experiments/workloads/graph500.ts';
import { repetitionsOf } from '../../modeling/answers/decide/tell-clusters.ts';
import {
  findCrossovers,
  findFarthestNodes,
  fromNodesText,
  smallestAdmissible,
} from '../../modeling/answers/dominance.ts';
import { computeGteps, project as projectFit } from '../../modeling/answers/project.ts';
import { highestBandwidth } from '../../modeling/forms/form.ts';
import { fitFromCoefficients } from '../../modeling/forms/from-coefficients.ts';
import { modelNames, models } from '../../modeling/forms/models.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { createAbstention } from '../../modeling/judge/abstain.ts';
import { compareLargest } from '../../modeling/judge/baselines.ts';
import { diagnose } from '../../modeling/judge/diagnose.ts';
import { bootstrap, type Ensemble, estimates, measurable } from '../../modeling/judge/ensemble.ts';
import type { Estimate, Fit } from '../../modeling/model-records.ts';
import { chooseAndFit } from '../../modeling/questions/choose-and-fit.ts';
import { admissibleBy } from '../../modeling/questions/measurements.ts';
import { baseScaleOf } from '../../modeling/rows.ts';
import { given } from './flags.ts';
import {
  bootstrapOptions,
  cannotRun,
  type ModelCommandFlags,
  openSource,
  parseBandwidths,
  parseBaseScale,
  parseCounts,
  parseQuestion,
  parseRule,
  parseScales,
  projectionTargets,
} from './parse-question.ts';
import { type Answer, cellColumns, print, printCareful, printTable, right } from './print.ts';

type ProjectFlags = ModelCommandFlags & { readonly nodes: string };

/** Times of clusters by a model as JSON, with --interval each with its own; of given coefficients also as a table. */
export async function projectCommand(dir: string | undefined, flags: ProjectFlags): Promise<Answer> {
  const source = flags.coefficients === undefined ? await fitted(dir, flags) : fromCoefficients(dir, flags);
  const { fit, ensemble, isAdmissible, edgeFactor, extra, warnings } = source;
  const targets = projectionTargets(fit, flags, isAdmissible);
  const projections = projectFit(fit, { ...targets, edgeFactor });
  const times = (one: Fit): number[] => projections.map((target) => predict(one, target));
  const ct = estimateBy(source, times);
  const runs = ensemble && measurable(ensemble, times, repetitionsOf(ensemble));
  const abstains = ensemble && createAbstention(ensemble);
  const hasIntervals = flags.interval !== undefined;
  const rows = projections.map((projection, index) => {
    const time = at(ct, index);
    const run = runs?.[index];
    const edges = edgeFactor === null ? null : edgeFactor * 2 ** projection.scale;
    const gteps = edges === null ? null : computeGteps(time, edges);
    const measured = run ? { low: run.low, high: run.high } : null;
    const value = time.value ?? projection.ct;
    const own = hasIntervals
      ? { ct: time, gteps, measured }
      : { ct: value, gteps: edges === null ? null : edges / value / 1e9 };
    return { ...projection, ...own, abstains: abstains?.(projection, time) ?? null };
  });
  const answered = rows.filter(({ abstains: why }) => why === null);
  const predicted = answered.map(({ ct: time, ...target }) => ({
    ...target,
    ct: typeof time === 'number' ? time : time.value,
  }));
  const crossings = crossingsOf(source, targets);
  const json = {
    model: fit.model,
    ...(hasIntervals ? { interval: ensemble?.level ?? null } : {}),
    projections: rows,
    dominance: crossings.map(({ nodes, admissibleNodes, ...place }) => {
      if (hasIntervals) return { ...place, nodes, admissibleNodes };
      return { ...place, nodes: nodes.value, admissibleNodes: admissibleNodes.value };
    }),
    baselines: ensemble ? compareLargest(ensemble, predicted) : null,
    ...extra,
    warnings,
  };
  const say = (): void => {
    printGiven(fit, projections, { crossings, within: findFarthestNodes(targets.nodes) });
    for (const warning of warnings) printCareful(warning);
  };
  return { json, say };
}

/** Numbers of a fit with the intervals of its draws; given coefficients have none. */
function estimateBy(
  { fit, ensemble }: Given,
  numbersOf: (fit: Fit) => readonly (number | null)[],
): readonly Estimate[] {
  if (ensemble !== undefined) return estimates(ensemble, numbersOf);
  return numbersOf(fit).map((value) => ({ value, low: null, high: null }));
}

interface Crossing {
  /** Where several are asked for. */
  readonly scale?: number;
  readonly bw: number;
  readonly nodes: Estimate;
  readonly admissibleNodes: Estimate;
}

/** From which node count on communication dominates; nothing of models that do not divide the time. */
function crossingsOf(source: Given, { bw, scales }: ReturnType<typeof projectionTargets>): readonly Crossing[] {
  const { fit, isAdmissible } = source;
  const splits = ['processing', 'communication'].every((part) => fit.form.terms.some((term) => term.part === part));
  if (!splits) return [];
  const found = estimateBy(source, (one) => scales.flatMap((scale) => findCrossovers(one, { bw, scale })));
  const admissible = (nodes: number | null): number | null =>
    nodes === null ? null : smallestAdmissible(nodes, isAdmissible);
  return scales.flatMap((scale, first) =>
    bw.map((percent, second) => {
      const nodes = at(found, first * bw.length + second);
      const admissibleNodes = {
        value: admissible(nodes.value),
        low: admissible(nodes.low),
        high: admissible(nodes.high),
      };
      // Of one scale, as the paper's Table V; of several, each says its own.
      return { ...(scales.length > 1 ? { scale } : {}), bw: percent, nodes, admissibleNodes };
    }),
  );
}

interface Given {
  readonly fit: Fit;
  /** None of given coefficients. */
  readonly ensemble: Ensemble | undefined;
  readonly isAdmissible: (nodes: number) => boolean;
  /** Edges per vertex; null for programs without graphs. */
  readonly edgeFactor: number | null;
  readonly extra: object;
  readonly warnings: readonly string[];
}

async function fitted(dir: string | undefined, flags: ProjectFlags): Promise<Given> {
  const options = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const { solved, comparison } = await chooseAndFit(source, parseQuestion(flags, { projecting: true }));
  return {
    fit: solved.fit,
    ensemble: bootstrap(solved, options),
    isAdmissible: source.isAdmissible,
    edgeFactor: source.edgeFactor,
    extra: comparison ? { chosen: comparison.chosen, candidates: comparison.candidates } : {},
    warnings: [...diagnose(solved).warnings, ...cannotRun(flags.nodes, source)],
  };
}

/** Given numbers have no rows behind them, and so no interval. */
function fromCoefficients(dir: string | undefined, flags: ProjectFlags): Given {
  if (dir !== undefined || flags.data !== undefined) {
    throw badInput('--coefficients replaces a campaign or --data: give one of them.');
  }
  const model = modelNames.find((name) => name === flags.model);
  if (!model) throw badInput(`--coefficients needs --model, one of ${modelNames.join(', ')}.`);
  if (flags.scale === undefined) throw badInput('--coefficients needs --scale, because GTEPS depend on it.');
  const form = models[model];
  const trainedOn = {
    nodes: [...parseCounts(flags.nodes, '--nodes')],
    scales: [...parseScales(flags.scale)],
    bw: [...parseBandwidths(flags.bw ?? '100', highestBandwidth(form))],
  };
  const ranksPerNode = given(flags.ranksPerNode, (text) => parseCount(text, '--ranks-per-node')) ?? 1;
  if (flags.baseScale === undefined && form.terms.some(({ basis }) => basis.D !== undefined)) {
    throw badInput(`--coefficients: ${form.title} contains D = 2^(scale - base): give --base-scale.`);
  }
  const baseScale = baseScaleOf({ scale: Float64Array.from(trainedOn.scales) }, given(flags.baseScale, parseBaseScale));
  const noInterval = 'Given coefficients are not based on rows, so there is no interval.';
  return {
    fit: fitFromCoefficients(model, flags.coefficients ?? '', { ranksPerNode, baseScale, trainedOn }),
    ensemble: undefined,
    isAdmissible: admissibleBy(given(flags.ranksRule, parseRule), ranksPerNode),
    edgeFactor: EDGE_FACTOR,
    extra: {},
    warnings: flags.interval === undefined ? [] : [noInterval],
  };
}

function printGiven(
  { form }: Fit,
  projections: ReturnType<typeof projectFit>,
  { crossings, within }: { readonly crossings: readonly Crossing[]; readonly within: number },
): void {
  print(`${form.title}:`);
  printTable(projections, [
    ...cellColumns(projections, (one) => one),
    right('CT', ({ ct }) => formatSeconds(ct)),
    right('GTEPS', ({ gteps }) => gteps?.toPrecision(3) ?? ''),
  ]);
  for (const { bw, nodes, admissibleNodes: admissible } of crossings) {
    print(
      `At ${bw} % ${fromNodesText({ subject: 'communication', verb: 'dominates', nodes, within, admissible: admissible.value })}.`,
    );
  }
}

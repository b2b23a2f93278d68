import { parseCount } from '../../base/bounds.ts';
import { badInput } from '../../base/errors.ts';
import { formatSeconds } from '../../base/units.ts';
import { EDGE_FACTOR } from '../../experiments/workloads/graph500.ts';
import { computeGteps, repetitionsOf } from '../../modeling/answers/decide/decide.ts';
import { findDominance, smallestAdmissible } from '../../modeling/answers/dominance.ts';
import { findFarthestNodes, fromNodesText } from '../../modeling/answers/from-nodes.ts';
import { project as projectFit } from '../../modeling/answers/project.ts';
import { highestBandwidth } from '../../modeling/forms/form.ts';
import { fitFromCoefficients } from '../../modeling/forms/from-coefficients.ts';
import { modelNames, models } from '../../modeling/forms/models.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { createAbstention } from '../../modeling/judge/abstain.ts';
import { diagnose } from '../../modeling/judge/diagnose.ts';
import { bootstrap, type Ensemble, estimates, measurable } from '../../modeling/judge/ensemble.ts';
import type { Estimate, Fit } from '../../modeling/model-records.ts';
import { chooseAndFit } from '../../modeling/questions/choose-and-fit.ts';
import { admissibleBy } from '../../modeling/questions/measurements.ts';
import { baseScaleOf } from '../../modeling/rows.ts';
import { given } from './flags.ts';
import type { ModelCommandFlags } from './parse-question.ts';
import {
  bootstrapOptions,
  cannotRun,
  openSource,
  parseBandwidths,
  parseBaseScale,
  parseCounts,
  parseQuestion,
  parseRule,
  parseScales,
  projectionTargets,
} from './parse-question.ts';
import { cellColumns, print, printCareful, printJson, printTable, right } from './print.ts';

type ProjectFlags = ModelCommandFlags & { readonly nodes: string };

/** Times of clusters by a model as JSON, with --interval each with its own; of given coefficients also as a table. */
export async function projectCommand(dir: string | undefined, flags: ProjectFlags): Promise<void> {
  const source = flags.coefficients === undefined ? await fitted(dir, flags) : fromCoefficients(dir, flags);
  const { fit, ensemble, isAdmissible, edgeFactor, extra, warnings } = source;
  const targets = projectionTargets(fit, flags, isAdmissible);
  const projections = projectFit(fit, { ...targets, edgeFactor });
  const times = (one: Fit): number[] => projections.map((target) => predict(one, target));
  const ct = ensemble && estimates(ensemble, times);
  const runs = ensemble && measurable(ensemble, times, repetitionsOf(ensemble));
  const abstains = ensemble && createAbstention(ensemble);
  const rows = projections.map((projection, index) => {
    const [time, run] = [ct?.[index], runs?.[index]];
    const value = time?.value ?? projection.ct;
    const edges = edgeFactor === null ? null : edgeFactor * 2 ** projection.scale;
    const own = { ...projection, ct: value, gteps: edges === null ? null : edges / value / 1e9 };
    const why = (time && abstains?.(projection, time)) ?? null;
    if (flags.interval === undefined) return { ...own, abstains: why };
    const gteps = edges === null ? null : time ? computeGteps(time, edges) : certain(own.gteps);
    const measured = run ? { low: run.low, high: run.high } : null;
    return { ...own, ct: time ?? certain(value), gteps, measured, abstains: why };
  });
  const crossings = crossingsOf(source, targets);
  if (!flags.json) {
    printGiven(fit, projections, { crossings, within: findFarthestNodes(targets.nodes) });
    for (const warning of warnings) printCareful(warning);
    return;
  }
  const admissible = (nodes: number | null): number | null =>
    nodes === null ? null : smallestAdmissible(nodes, isAdmissible);
  printJson({
    model: fit.model,
    ...(flags.interval === undefined ? {} : { interval: ensemble?.level ?? null }),
    projections: rows,
    dominance: crossings.map(({ nodes, admissibleNodes, ...place }) => {
      if (flags.interval === undefined) return { ...place, nodes: nodes.value, admissibleNodes };
      const ends = { low: admissible(nodes.low), high: admissible(nodes.high) };
      return { ...place, nodes, admissibleNodes: { value: admissibleNodes, ...ends } };
    }),
    ...extra,
    warnings,
  });
}

interface Crossing {
  /** Where several are asked for. */
  readonly scale?: number;
  readonly bw: number;
  readonly nodes: Estimate;
  readonly admissibleNodes: number | null;
}

/** From which node count on communication dominates; nothing of models that do not divide the time. */
function crossingsOf(
  { fit, ensemble, isAdmissible }: Given,
  { bw, scales }: ReturnType<typeof projectionTargets>,
): readonly Crossing[] {
  const splits = ['processing', 'communication'].every((part) => fit.form.terms.some((term) => term.part === part));
  if (!splits) return [];
  const of = (one: Fit) =>
    scales.flatMap((scale) => {
      // Of one scale, as the paper's Table V; of several, each says its own.
      const place = scales.length > 1 ? { scale } : {};
      return findDominance(one, { bw, isAdmissible, scale }).map((found) => ({ ...place, ...found }));
    });
  const crossed = ensemble && estimates(ensemble, (one) => of(one).map(({ nodes }) => nodes));
  return of(fit).map(({ nodes, admissibleNodes, ...place }, index) => {
    const found = crossed?.[index];
    if (found === undefined) return { ...place, nodes: certain(nodes), admissibleNodes };
    const first = found.value === null ? null : smallestAdmissible(found.value, isAdmissible);
    return { ...place, nodes: found, admissibleNodes: first };
  });
}

interface Given {
  readonly fit: Fit;
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
  const baseScale = baseScaleOf({ scale: Float64Array.from(trainedOn.scales) }, parseBaseScale(flags.baseScale));
  const noInterval = 'Given coefficients are not based on rows, so there is no interval.';
  return {
    fit: fitFromCoefficients(model, flags.coefficients ?? '', { ranksPerNode, baseScale, trainedOn }),
    ensemble: undefined,
    isAdmissible: admissibleBy(parseRule(flags.ranksRule), ranksPerNode),
    edgeFactor: EDGE_FACTOR,
    extra: {},
    warnings: flags.interval === undefined ? [] : [noInterval],
  };
}

function certain(value: number | null): Estimate {
  return { value, low: null, high: null };
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
    print(`At ${bw} % ${fromNodesText({ subject: 'communication', verb: 'dominates', nodes, within, admissible })}.`);
  }
}

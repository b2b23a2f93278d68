import { badInput, formatSeconds, groupAlike, parseCount, sizeText } from '../../base/index.ts';
import { EDGE_FACTOR } from '../../experiments/index.ts';
import {
  admissibleBy,
  baseScaleOf,
  bootstrap,
  chooseAndFit,
  createAbstention,
  type Dominance,
  diagnose,
  dominance,
  type Ensemble,
  type Estimate,
  estimates,
  type Fit,
  farthestNodes,
  fitFromCoefficients,
  fromNodesText,
  gtepsOf,
  highestBandwidth,
  measurable,
  modelNames,
  models,
  type Projection,
  predict,
  project as projectFit,
  repetitionsOf,
  sizeWords,
  smallestAdmissible,
} from '../../modeling/index.ts';
import { given } from './flags.ts';
import {
  bootstrapOptions,
  cannotRun,
  type ModelFlags,
  openSource,
  parseBandwidths,
  parseBaseScale,
  parseCounts,
  parseQuestion,
  parseRule,
  parseScales,
  projectionTargets,
} from './parse-question.ts';
import { ends, left, print, printCareful, printJson, printTable, right, scaleColumn } from './print.ts';

interface ProjectFlags extends ModelFlags {
  readonly nodes: string;
  readonly coefficients?: string;
}

export async function projectCommand(dir: string | undefined, flags: ProjectFlags): Promise<void> {
  const source = flags.coefficients === undefined ? await fitted(dir, flags) : fromCoefficients(dir, flags);
  const { fit, ensemble, isAdmissible, edgeFactor, extra, warnings } = source;
  const targets = projectionTargets(fit, flags, isAdmissible);
  const projections = projectFit(fit, { ...targets, edgeFactor });
  const splits = ['processing', 'communication'].every((part) => fit.form.terms.some((term) => term.part === part));
  const admissible = (nodes: number | null): number | null =>
    nodes === null ? null : smallestAdmissible(nodes, isAdmissible);
  // Of one scale, as the paper's Table V; of several, each says its own.
  const several = targets.scales.length > 1;
  const crossingsOf = (one: Fit): Crossing[] =>
    targets.scales.flatMap((scale) =>
      splits
        ? dominance(one, { bw: targets.bw, isAdmissible, scale }).map((found) =>
            several ? { scale, ...found } : found,
          )
        : [],
    );
  const times = (one: Fit): number[] => projections.map((target) => predict(one, target));
  const ct = ensemble && estimates(ensemble, times);
  const runs = ensemble && measurable(ensemble, times, repetitionsOf(ensemble));
  const crossed =
    ensemble && splits ? estimates(ensemble, (one) => crossingsOf(one).map(({ nodes }) => nodes)) : undefined;
  const abstains = ensemble && createAbstention(ensemble);
  const rows = projections.map((projection, index) => {
    const [time, run] = [ct?.[index], runs?.[index]];
    const own = { ...projection, ...(time?.value == null ? {} : timed(time.value, projection, edgeFactor)) };
    return { projection: own, ct: time, run, abstains: (time && abstains?.(projection, time)) ?? null };
  });
  const crossings = crossingsOf(fit).map((one, index) => {
    const nodes = crossed?.[index];
    const own = nodes ? { ...one, nodes: nodes.value, admissibleNodes: admissible(nodes.value) } : one;
    return { one: own, nodes };
  });
  if (flags.json && flags.interval === undefined) {
    return printJson({
      model: fit.model,
      projections: rows.map(({ projection, abstains: why }) => ({ ...projection, abstains: why })),
      dominance: crossings.map(({ one }) => one),
      ...extra,
      warnings,
    });
  }
  if (flags.json) {
    return printJson({
      model: fit.model,
      interval: ensemble?.level ?? null,
      projections: rows.map(({ projection, ct: time, run, abstains: why }) => ({
        ...projection,
        ct: time ?? certain(projection.ct),
        gteps: rate(projection, { time, edgeFactor }),
        measured: run ? { low: run.low, high: run.high } : null,
        abstains: why,
      })),
      dominance: crossings.map(({ one, nodes = certain(one.nodes) }) => ({
        ...(one.scale === undefined ? {} : { scale: one.scale }),
        bw: one.bw,
        nodes,
        admissibleNodes: { value: one.admissibleNodes, low: admissible(nodes.low), high: admissible(nodes.high) },
      })),
      ...extra,
      warnings,
    });
  }
  print(
    `${fit.form.title}: ${coefficientLine(fit)}${ensemble?.mixed ? '; times are those of all forms by weight' : ''}`,
  );
  const interval = left<(typeof rows)[number]>(`${(ensemble?.level ?? 0) * 100} % interval`, (row) =>
    row.abstains === null ? (row.ct ? ends(row.ct, formatSeconds, 'never') : '') : 'no prediction',
  );
  printTable(rows, [
    ...scaleColumn(rows, ({ projection }) => projection.scale),
    right('nodes', ({ projection }) => projection.nodes),
    right('bw %', ({ projection }) => projection.bw),
    right('CT', ({ projection, abstains: why }) => (why === null ? formatSeconds(projection.ct) : '-')),
    ...(ensemble ? [interval] : []),
    ...(edgeFactor === null
      ? []
      : [
          right('GTEPS', ({ projection, abstains: why }: (typeof rows)[number]) =>
            why === null ? (projection.gteps?.toPrecision(3) ?? '') : '-',
          ),
        ]),
  ]);
  for (const sentence of groupAlike(rows.flatMap(({ abstains: why }) => why ?? [])))
    print(`No prediction: ${sentence}`);
  const within = farthestNodes([...fit.trainedOn.nodes, ...targets.nodes]);
  for (const { one, nodes } of crossings) {
    print(crossingSentence(one, nodes, within));
  }
  for (const warning of warnings) printCareful(warning);
}

type Crossing = Dominance & { readonly scale?: number };

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
  return {
    fit: fitFromCoefficients(model, flags.coefficients ?? '', { ranksPerNode, baseScale, trainedOn }),
    ensemble: undefined,
    isAdmissible: admissibleBy(parseRule(flags.ranksRule), ranksPerNode),
    edgeFactor: EDGE_FACTOR,
    extra: {},
    warnings:
      flags.interval === undefined ? [] : ['Given coefficients are not based on rows, so there is no interval.'],
  };
}

/** A time (s) and its throughput in the place of others. */
function timed(ct: number, { scale }: Projection, edgeFactor: number | null): Pick<Projection, 'ct' | 'gteps'> {
  return { ct, gteps: edgeFactor === null ? null : (edgeFactor * 2 ** scale) / ct / 1e9 };
}

function rate(
  { gteps, scale }: Projection,
  { time, edgeFactor }: { readonly time: Estimate | undefined; readonly edgeFactor: number | null },
): Estimate | null {
  if (edgeFactor === null) return null;
  return time ? gtepsOf(time, edgeFactor * 2 ** scale) : certain(gteps);
}

function certain(value: number | null): Estimate {
  return { value, low: null, high: null };
}

function coefficientLine({ coefficients, alpha, ranksPerNode, baseScale, trainedOn }: Fit): string {
  const parts = Object.entries(coefficients).map(([name, value]) => `${name} = ${value.toPrecision(6)}`);
  if (alpha !== null) parts.push(`alpha = ${alpha.toPrecision(6)}`);
  return `${parts.join(', ')} (x = ${ranksPerNode} n, D = ${sizeWords(baseScale, trainedOn.scales)})`;
}

function crossingSentence(
  { bw, scale, nodes, admissibleNodes }: Crossing,
  told: Estimate | undefined,
  within: number,
): string {
  const where = scale === undefined || scale === 0 ? `At ${bw} %` : `At ${bw} %${sizeText(scale)},`;
  const estimate = told ?? certain(nodes);
  return `${where} ${fromNodesText({ subject: 'communication', verb: 'dominates', nodes: estimate, within, admissible: admissibleNodes })}.`;
}

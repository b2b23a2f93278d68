import type { Command } from 'commander';
import type { Dominance, Ensemble, Estimate, Fit, Projection } from '../../modeling/index.ts';
import { type IntervalFlags, type SourceFlags, withInterval, withModel, withSource } from './model-flags.ts';
import { print, printJson, table } from './print.ts';

interface ProjectFlags extends SourceFlags, IntervalFlags {
  readonly nodes: string;
  readonly coefficients?: string;
}

export function registerProject(program: Command): void {
  const command = withSource(program.command('project'));
  withInterval(withModel(command, 'by default the paper’s that uses all that varies in the rows'))
    .requiredOption('--nodes <range>', 'node counts: 64,100; of a range 36..400 the admissible ones')
    .option('--scale <range>', 'the scales to project to')
    .option('--bw <range>', 'the bandwidths to project to, percent; above 100 with --model volume')
    .option('--coefficients <list>', 'given numbers instead of rows: C1=138.59,C2=4.004[,alpha=1.11]')
    .description('project completion time and GTEPS to other node counts, bandwidths and scales')
    .addHelpText(
      'after',
      '\nExamples:\n  predict project campaigns/first --model auto --nodes 36..400 --bw 20,100\n' +
        '  predict project --data runs.csv --model eq7 --ranks-per-node 18 --nodes 64,100 --bw 20,100 --scale 28 --interval --json\n' +
        '  predict project --coefficients C1=138.59,C2=4.004 --model eq2 --ranks-per-node 18 --scale 28 --nodes 64,81,100',
    )
    .action(project);
}

async function project(dir: string | undefined, flags: ProjectFlags): Promise<void> {
  const given = flags.coefficients === undefined ? await fitted(dir, flags) : await fromCoefficients(dir, flags);
  const { fit, ensemble, isAdmissible, edgeFactor, extra, warnings } = given;
  const { projectionTargets } = await import('./parse-question.ts');
  const { dominance, estimates, measurable, predict, project: projectFit } = await import('../../modeling/index.ts');
  const targets = projectionTargets(fit, flags, isAdmissible);
  const projections = projectFit(fit, { ...targets, ...(edgeFactor === null ? {} : { edgeFactor }) });
  const splits = ['processing', 'communication'].every((part) => fit.form.terms.some((term) => term.part === part));
  const crossing = { bw: targets.bw, isAdmissible, scale: targets.scales[0] ?? 0 };
  const crossovers = splits ? dominance(fit, crossing) : [];
  if (flags.json && flags.interval === undefined) {
    return printJson({ model: fit.model, projections, dominance: crossovers, ...extra, warnings });
  }
  const ct = ensemble && estimates(ensemble, (one) => projections.map((target) => predict(one, target)));
  const runs =
    ensemble && measurable(ensemble, (one) => projections.map((target) => predict(one, target)), repetitions(fit));
  const crossed =
    ensemble && splits ? estimates(ensemble, (one) => dominance(one, crossing).map(({ nodes }) => nodes)) : undefined;
  const { smallestAdmissible } = await import('../../modeling/index.ts');
  const rows = projections.map((projection, index) => ({ projection, ct: ct?.[index], run: runs?.[index] }));
  const crossings = crossovers.map((one, index) => ({ one, nodes: crossed?.[index] }));
  if (flags.json) {
    const admissible = (nodes: number | null): number | null =>
      nodes === null ? null : smallestAdmissible(nodes, isAdmissible);
    return printJson({
      model: fit.model,
      interval: ensemble?.level ?? null,
      projections: rows.map(({ projection, ct: time, run }) => ({
        ...projection,
        ct: time ?? certain(projection.ct),
        gteps: rateOf(projection, time),
        measured: run ? { low: run.low, high: run.high } : null,
      })),
      dominance: crossings.map(({ one, nodes = certain(one.nodes) }) => ({
        bw: one.bw,
        nodes,
        admissibleNodes: { value: one.admissibleNodes, low: admissible(nodes.low), high: admissible(nodes.high) },
      })),
      ...extra,
      warnings,
    });
  }
  const { formatSeconds } = await import('../../base/index.ts');
  const right = 'right' as const;
  print(`${fit.form.title}: ${coefficientLine(fit)}`);
  print(
    table(rows, [
      { title: 'scale', value: ({ projection }) => String(projection.scale), align: right },
      { title: 'nodes', value: ({ projection }) => String(projection.nodes), align: right },
      { title: 'bw %', value: ({ projection }) => String(projection.bw), align: right },
      { title: 'CT', value: ({ projection }) => formatSeconds(projection.ct), align: right },
      ...(ensemble
        ? [
            {
              title: `${ensemble.level * 100} % interval`,
              value: (row: (typeof rows)[number]) => range(row.ct, formatSeconds),
            },
          ]
        : []),
      { title: 'GTEPS', value: ({ projection }) => projection.gteps.toPrecision(3), align: right },
    ]),
  );
  for (const { one, nodes } of crossings) print(crossingSentence(one, nodes));
  for (const warning of warnings) print(`Careful: ${warning}`);
}

interface Given {
  readonly fit: Fit;
  readonly ensemble: Ensemble | undefined;
  readonly isAdmissible: (nodes: number) => boolean;
  /** Edges per vertex as measured; null where nobody counted. */
  readonly edgeFactor: number | null;
  readonly extra: object;
  readonly warnings: readonly string[];
}

async function fitted(dir: string | undefined, flags: ProjectFlags): Promise<Given> {
  const { bootstrapOptions, openSource, parseQuestion } = await import('./parse-question.ts');
  const { bootstrap, chooseAndFit, diagnose, edgeFactorOf } = await import('../../modeling/index.ts');
  const options = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const { solved, comparison } = await chooseAndFit(source, parseQuestion(flags, { projecting: true }));
  const wanted = flags.interval !== undefined || !flags.json;
  return {
    fit: solved.fit,
    ensemble: wanted ? bootstrap(solved, options) : undefined,
    isAdmissible: source.isAdmissible,
    edgeFactor: edgeFactorOf(source.campaign?.records ?? []),
    extra: comparison ? { chosen: comparison.chosen, candidates: comparison.candidates } : {},
    warnings: diagnose(solved).warnings,
  };
}

/** Given numbers have no rows behind them, and so no interval. */
async function fromCoefficients(dir: string | undefined, flags: ProjectFlags): Promise<Given> {
  const { badInput, parseRange } = await import('../../base/index.ts');
  const { parseRule } = await import('./parse-question.ts');
  const { admissibleBy, baseScaleOf, fitFromCoefficients, highestBandwidth, modelNames, models } = await import(
    '../../modeling/index.ts'
  );
  const { parseCount } = await import('./flags.ts');
  if (dir !== undefined || flags.data !== undefined) {
    throw badInput('--coefficients stands instead of a campaign or --data: name one of them.');
  }
  const model = modelNames.find((name) => name === flags.model);
  if (!model) throw badInput(`--coefficients needs --model, one of ${modelNames.join(', ')}.`);
  if (flags.scale === undefined) throw badInput('--coefficients needs --scale, because GTEPS depend on it.');
  const scales = [...parseRange(flags.scale, { what: '--scale', min: 0, max: 60 })];
  const bw = [
    ...parseRange(flags.bw ?? '100', {
      what: '--bw',
      step: 2,
      min: 0.001,
      max: highestBandwidth(models[model]),
      integer: false,
    }),
  ];
  const ranksPerNode = flags.ranksPerNode === undefined ? 1 : parseCount(flags.ranksPerNode, '--ranks-per-node');
  const needsBase = models[model].terms.some(({ basis }) => basis.D !== undefined);
  if (needsBase && flags.baseScale === undefined) {
    throw badInput(`--coefficients: ${models[model].title} contains D = 2^(scale - base): give --base-scale.`);
  }
  const asked = flags.baseScale === undefined ? undefined : parseCount(flags.baseScale, '--base-scale', 0);
  const baseScale = baseScaleOf({ scale: Float64Array.from(scales) }, asked);
  const isAdmissible = admissibleBy(parseRule(flags.ranksRule), ranksPerNode);
  const nodes = [...parseRange(flags.nodes, { what: '--nodes', min: 1, max: 1e7 })];
  return {
    fit: fitFromCoefficients(model, flags.coefficients ?? '', {
      ranksPerNode,
      baseScale,
      trainedOn: { nodes, scales, bw },
    }),
    ensemble: undefined,
    isAdmissible,
    edgeFactor: null,
    extra: {},
    warnings: flags.interval === undefined ? [] : ['Given coefficients have no rows behind them, and so no interval.'],
  };
}

/** Rows per cell, as a projection's own measurement would have them. */
function repetitions({ rows, trainedOn: { nodes, scales, bw } }: Fit): number {
  return Math.max(1, Math.round(rows / (nodes.length * scales.length * bw.length)));
}

function rateOf({ ct, gteps }: Projection, time: Estimate | undefined): Estimate {
  if (!time) return certain(gteps);
  const at = (seconds: number | null): number | null => (seconds === null ? null : (gteps * ct) / seconds);
  return { value: gteps, low: at(time.high), high: at(time.low) };
}

function certain(value: number | null): Estimate {
  return { value, low: null, high: null };
}

function coefficientLine({ coefficients, alpha, ranksPerNode, baseScale }: Fit): string {
  const parts = Object.entries(coefficients).map(([name, value]) => `${name} = ${value.toPrecision(6)}`);
  if (alpha !== null) parts.push(`alpha = ${alpha.toPrecision(6)}`);
  return `${parts.join(', ')} (x = ${ranksPerNode} n, D = 2^(scale - ${baseScale}))`;
}

function range(estimate: Estimate | undefined, text: (value: number) => string): string {
  if (!estimate) return '';
  return `${estimate.low === null ? '?' : text(estimate.low)} to ${estimate.high === null ? 'never' : text(estimate.high)}`;
}

function crossingSentence({ bw, nodes, admissibleNodes }: Dominance, estimate: Estimate | undefined): string {
  const ends =
    estimate && (estimate.low !== 1 || estimate.high !== 1)
      ? `, interval ${range(estimate, (value) => value.toFixed(1))}`
      : '';
  if (nodes === null) return `At ${bw} % communication dominates nowhere${ends}.`;
  if (nodes === 1) return `At ${bw} % communication dominates from the first node on${ends}.`;
  const admissible = admissibleNodes === null ? '' : ` (admissible: ${admissibleNodes})`;
  return `At ${bw} % communication dominates from ${nodes.toFixed(1)} nodes on${admissible}${ends}.`;
}

import type { Command } from 'commander';
import type { Ensemble, Estimate } from '../../modeling/index.ts';
import { type IntervalFlags, type SourceFlags, withInterval, withModel, withSource } from './model-flags.ts';
import { print, printJson } from './print.ts';

export function registerFit(program: Command): void {
  const command = withSource(program.command('fit'));
  withInterval(withModel(command, 'by default the paper’s that uses all that varies in the rows'))
    .option('--scale <range>', 'only rows of this scale')
    .option('--bw <range>', 'only rows of this bandwidth')
    .description('fit a scaling model to a campaign or a file of rows')
    .addHelpText(
      'after',
      '\nExamples:\n  predict fit campaigns/first --model auto\n  predict fit --data runs.csv --model eq6 --ranks-per-node 18 --base-scale 25 --interval 0.9 --json',
    )
    .action(fit);
}

async function fit(dir: string | undefined, flags: SourceFlags & IntervalFlags): Promise<void> {
  const { bootstrapOptions, openSource, parseQuestion } = await import('./parse-question.ts');
  const { bootstrap, chooseAndFit, diagnose, formula, leaveLargest, validate } = await import(
    '../../modeling/index.ts'
  );
  const { trimNumber } = await import('../../base/index.ts');
  const bootstrapped = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const chosenFit = await chooseAndFit(source, parseQuestion(flags));
  const { solved, comparison } = chosenFit;
  const { warnings } = diagnose(solved);
  const chosen = comparison ? { chosen: comparison.chosen, candidates: comparison.candidates } : {};
  const result = solved.fit;
  if (flags.json) {
    const estimated = flags.interval === undefined ? {} : await estimatedCoefficients(bootstrap(solved, bootstrapped));
    return printJson({ ...result, ...estimated, ...chosen, warnings });
  }
  const { score } = validate(result.form, source.rows, { ...chosenFit.options, baseScale: result.baseScale });
  const ensemble = bootstrap(solved, bootstrapped);
  print(result.form.title);
  print(formula(result.form));
  for (const line of await coefficientLines(ensemble)) print(line);
  print(`x = ${result.ranksPerNode} n, D = 2^(scale - ${result.baseScale}); intervals ${ensemble.level * 100} %`);
  print(`R2 ${result.r2.toFixed(4)}, MSE ${trimNumber(result.mse)} s², ${result.rows} rows`);
  print(`held-out fifths: R2 ${score.r2.toFixed(4)}, median error ${score.medianErrorPercent.toFixed(1)} %`);
  const left = leaveLargest(chosenFit, source.rows);
  if (left) {
    print(
      `largest node count left out (${left.heldOutNodes.join(', ')}): median error ${left.medianErrorPercent.toFixed(1)} %`,
    );
  }
  if (comparison) print(comparison.sentence);
  for (const warning of warnings) print(`Careful: ${warning}`);
}

/** Coefficients and alpha as estimates, under the names that they have as numbers. */
async function estimatedCoefficients(ensemble: Ensemble): Promise<{
  readonly coefficients: Readonly<Record<string, Estimate>>;
  readonly alpha: Estimate | null;
  readonly interval: number;
}> {
  const { estimate } = await import('../../modeling/index.ts');
  const names = ensemble.fit.form.terms.map(({ name }) => name);
  return {
    coefficients: Object.fromEntries(
      names.map((name) => [name, estimate(ensemble, ({ coefficients }) => coefficients[name] ?? 0)]),
    ),
    alpha: ensemble.fit.alpha === null ? null : estimate(ensemble, ({ alpha }) => alpha),
    interval: ensemble.level,
  };
}

async function coefficientLines(ensemble: Ensemble): Promise<string[]> {
  const { coefficients, alpha } = await estimatedCoefficients(ensemble);
  const line = (name: string, { value, low, high }: Estimate): string =>
    `${name} = ${(value ?? 0).toPrecision(6)} (${(low ?? 0).toPrecision(4)} to ${(high ?? 0).toPrecision(4)})`;
  return [
    ...Object.entries(coefficients).map(([name, estimate]) => line(name, estimate)),
    ...(alpha ? [line('alpha', alpha)] : []),
  ];
}

import { attempt, trimNumber } from '../../base/index.ts';
import {
  bootstrap,
  chooseAndFit,
  diagnose,
  type Ensemble,
  type Estimate,
  estimatedCoefficients,
  formula,
  leaveLargest,
  sizeWords,
  solveModel,
  validate,
} from '../../modeling/index.ts';
import { bootstrapOptions, type ModelFlags, openSource, parseQuestion } from './parse-question.ts';
import { ends, print, printCareful, printJson } from './print.ts';

export async function fit(dir: string | undefined, flags: ModelFlags): Promise<void> {
  const bootstrapped = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const chosenFit = await chooseAndFit(source, parseQuestion(flags));
  const { comparison, form, options } = chosenFit;
  // Coefficients are those of one form: other forms call other things C2.
  const solved = comparison ? solveModel(form, source.rows, options) : chosenFit.solved;
  const { warnings } = diagnose(solved);
  const chosen = comparison ? { chosen: comparison.chosen, candidates: comparison.candidates } : {};
  const result = solved.fit;
  if (flags.json) {
    const estimated = flags.interval === undefined ? {} : estimatedCoefficients(bootstrap(solved, bootstrapped));
    return printJson({ ...result, ...estimated, ...chosen, warnings });
  }
  // Where few rows are left without a fold, nothing can be fitted to them.
  const validated = attempt(() =>
    validate(chosenFit.form, source.rows, {
      ...chosenFit.options,
      baseScale: result.baseScale,
      errors: result.errors,
      folds: Math.min(5, result.rows),
    }),
  );
  const ensemble = bootstrap(solved, bootstrapped);
  print(result.form.title);
  print(formula(result.form));
  for (const line of coefficientLines(ensemble)) print(line);
  print(
    `x = ${result.ranksPerNode} n, D = ${sizeWords(result.baseScale, result.trainedOn.scales)}; intervals ${ensemble.level * 100} %`,
  );
  print(`R2 ${result.r2.toFixed(4)}, MSE ${trimNumber(result.mse)} s², ${result.rows} rows`);
  if (validated) {
    const { r2, medianErrorPercent } = validated.score;
    print(
      `held-out ${result.rows < 5 ? 'rows' : 'fifths'}: R2 ${r2.toFixed(4)}, median error ${medianErrorPercent.toFixed(1)} %`,
    );
  }
  const left = leaveLargest(chosenFit, source.rows);
  if (left) {
    print(
      `largest node count left out${comparison ? ', form chosen without it' : ''} (${left.heldOutNodes.join(', ')}): median error ${left.medianErrorPercent.toFixed(1)} %`,
    );
  }
  if (comparison) print(comparison.sentence);
  for (const warning of warnings) printCareful(warning);
}

function coefficientLines(ensemble: Ensemble): string[] {
  const { coefficients, alpha } = estimatedCoefficients(ensemble);
  const line = (name: string, one: Estimate): string =>
    `${name} = ${(one.value ?? 0).toPrecision(6)} (${ends(one, (value) => value.toPrecision(4))})`;
  return [
    ...Object.entries(coefficients).map(([name, one]) => line(name, one)),
    ...(alpha ? [line('alpha', alpha)] : []),
  ];
}

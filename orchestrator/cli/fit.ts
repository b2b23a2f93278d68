import { bootstrap, chooseAndFit, diagnose, estimatedCoefficients, solveModel } from '../../modeling/index.ts';
import { modelCommand } from './model.ts';
import { bootstrapOptions, type ModelFlags, openSource, parseQuestion } from './parse-question.ts';
import { printJson } from './print.ts';

/** `model` of the rows that --scale and --bw pick; its JSON is that of the fit alone. */
export async function fit(dir: string | undefined, flags: ModelFlags): Promise<void> {
  if (!flags.json) return await modelCommand(dir, flags, { projecting: false });
  const bootstrapped = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const chosenFit = await chooseAndFit(source, parseQuestion(flags));
  const { comparison, form, options } = chosenFit;
  // Coefficients are those of one form: other forms call other things C2.
  const solved = comparison ? solveModel(form, source.rows, options) : chosenFit.solved;
  const chosen = comparison ? { chosen: comparison.chosen, candidates: comparison.candidates } : {};
  const estimated = flags.interval === undefined ? {} : estimatedCoefficients(bootstrap(solved, bootstrapped));
  printJson({ ...solved.fit, ...estimated, ...chosen, warnings: diagnose(solved).warnings });
}

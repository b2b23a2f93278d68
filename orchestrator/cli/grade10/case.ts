import { analyse, createModel, parseCase, readCase, resultJson } from '../../../analysis/grade10/index.ts';
import { noteAlike, printPieces } from '../print.ts';
import { readJson } from '../read-json.ts';

/** All results of a case as JSON. */
export async function explainCase(path: string): Promise<void> {
  const { name, paths, analysis } = await analyseCase(path);
  noteAlike(analysis.model.notices);
  await printPieces(resultJson(analysis, { name, paths }));
}

/** What was read is out of reach when this returns, so that its memory is free for the results. */
async function analyseCase(path: string) {
  const input = parseCase(await readJson(path, '--case'));
  const model = createModel(readCase(input));
  const { name, sampler, thresholds } = input;
  return { name, paths: input.phases.map((phase) => phase.path), analysis: analyse(model, { sampler, thresholds }) };
}

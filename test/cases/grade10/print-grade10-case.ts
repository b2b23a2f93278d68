import { type Analysis, analyse, createModel, resultJson } from '../../../analysis/grade10/index.ts';
import { noteAlike, printPieces } from '../../../orchestrator/cli/print.ts';
import { readCaseJson } from '../case-file.ts';
import { parseCase } from './parse-case.ts';
import { readCase } from './read-case.ts';

/** All results of a Grade10 case. */
export async function printGrade10Case(path: string): Promise<void> {
  const { name, analysis } = await analyseCase(path);
  noteAlike(analysis.model.notices);
  await printPieces(resultJson(analysis, { name }));
}

/** What was read is out of reach when this returns, so that its memory is free for the results. */
async function analyseCase(path: string): Promise<{ readonly name: string; readonly analysis: Analysis }> {
  const input = parseCase(await readCaseJson(path));
  const { name, sampler, thresholds } = input;
  return { name, analysis: analyse(createModel(readCase(input)), { sampler, thresholds }) };
}

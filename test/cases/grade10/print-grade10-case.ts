import { type Analysis, analyse } from '../../../analysis/grade10/analyse-phases.ts';
import { createModel } from '../../../analysis/grade10/model/create-model.ts';
import { renderResultJson } from '../../../analysis/grade10/result/result-json.ts';
import { noteAlike, printPieces } from '../../../orchestrator/cli/print.ts';
import { readCaseJson } from '../case-file.ts';
import { parseCase } from './parse-case.ts';
import { readCase } from './read-case.ts';

interface AnalysedCase {
  readonly name: string;
  readonly paths: readonly string[];
  readonly analysis: Analysis;
}

/** All results of a Grade10 case. */
export async function printGrade10Case(path: string): Promise<void> {
  const { name, paths, analysis } = await analyseCase(path);
  noteAlike(analysis.model.notices);
  await printPieces(renderResultJson(analysis, { name, paths }));
}

/** What was read is out of reach when this returns, so that its memory is free for the results. */
async function analyseCase(path: string): Promise<AnalysedCase> {
  const input = parseCase(await readCaseJson(path));
  const { name, sampler, thresholds } = input;
  const paths = input.phases.map((phase) => phase.path);
  return { name, paths, analysis: analyse(createModel(readCase(input)), { sampler, thresholds }) };
}

import {
  analyse,
  createModel,
  largestIssues,
  parseCase,
  readCase,
  resultJson,
  typesOf,
} from '../../../analysis/grade10/index.ts';
import { at } from '../../../base/index.ts';
import { left, noteAlike, print, printPieces, printTable, right } from '../print.ts';
import { readJson } from '../read-json.ts';

/** Analyses a case: all results as JSON, or the issues that matter most. */
export async function explainCase(path: string, json = false): Promise<void> {
  const { name, paths, analysis } = await analyseCase(path, json);
  noteAlike(analysis.model.notices);
  if (json) return await printPieces(resultJson(analysis, { name, paths }));
  print(`${name}: ${paths.length} phases, ${analysis.issues.length} issues`);
  printTable(largestIssues(analysis, { count: 20, paths }), [
    left('issue', ({ pass }) => pass),
    right('slices', ({ impact }) => Number(impact.toFixed(1))),
    left('phase', ({ phase }) => at(paths, phase)),
    left('phases with the issue', (issue) => typesOf(issue, analysis).target),
    left('resource', (issue) => typesOf(issue, analysis).source),
  ]);
}

/** What was read is out of reach when this returns, so that its memory is free for the results. */
async function analyseCase(path: string, json: boolean) {
  const input = parseCase(await readJson(path, '--case'));
  const model = createModel(readCase(input));
  const { name, sampler, thresholds } = input;
  // Issues need the bottlenecks of leaves only: those of composite phases are for the JSON.
  const analysis = analyse(model, { sampler, thresholds, ...(json ? {} : { predicates: [] }) });
  return { name, paths: input.phases.map((phase) => phase.path), analysis };
}

import { analyse } from '../analyse.ts';
import { createModel } from '../model/create-model.ts';
import { parseCase } from './parse-case.ts';
import { readCase } from './read-case.ts';
import type { CaseOutput } from './records.ts';
import { writeCase } from './write-case.ts';

/** Analyses one case as read from JSON and gives all results by path. Errors: badInput. */
export function runCase(data: unknown): CaseOutput {
  const input = parseCase(data);
  const model = createModel(readCase(input));
  return writeCase(input, analyse(model, { sampler: input.sampler, thresholds: input.thresholds }));
}

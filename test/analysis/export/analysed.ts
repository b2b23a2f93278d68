import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Analysis, analyse } from '../../../analysis/grade10/analyse-phases.ts';
import { createModel } from '../../../analysis/grade10/model/create-model.ts';
import type { Case } from '../../cases/grade10/case-records.ts';
import { parseCase } from '../../cases/grade10/parse-case.ts';
import { readCase } from '../../cases/grade10/read-case.ts';
import { type CaseOutput, caseOutputSchema } from '../case-output.ts';

const folder = fileURLToPath(new URL('../../fixtures/grade10/', import.meta.url));

export function analysed(input: Case): Analysis {
  return analyse(createModel(readCase(input)), { sampler: input.sampler, thresholds: input.thresholds });
}

/** The reference cases: their names, analyses and what two independent programs found. */
export function referenceCases(): { name: string; analysis: Analysis; expected: CaseOutput }[] {
  return readdirSync(folder).map((name) => ({
    name,
    analysis: analysed(parseCase(read(name, 'input'))),
    expected: caseOutputSchema.parse(read(name, 'expected')),
  }));
}

function read(name: string, file: string): unknown {
  return JSON.parse(readFileSync(`${folder}${name}/${file}.json`, 'utf8'));
}

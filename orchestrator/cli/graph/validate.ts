import { PredictError } from '../../../base/index.ts';
import { type OutputValidation, validateOutput } from '../../../experiments/graphs/index.ts';
import type { Switches } from '../flags.ts';
import { print, printJson } from '../print.ts';
import { parseAlgorithm } from './algorithms.ts';

/** Exit 0 for an output that is right; otherwise `workload`. */
export async function validateCommand(
  output: string,
  { reference, algorithm, json }: Switches & { readonly reference: string; readonly algorithm: string },
): Promise<void> {
  const validation = await validateOutput(output, reference, parseAlgorithm(algorithm));
  if (json) printJson(validation);
  else printValidation(validation);
  if (validation.ok) return;
  throw new PredictError(`${output} differs from the reference output ${reference} of ${validation.algorithm}.`, {
    kind: 'workload',
  });
}

const RULES: Readonly<Record<OutputValidation['rule'], string>> = {
  exact: 'equal',
  partition: 'the same partition',
  close: 'equal within 0.01 %',
};

function printValidation(validation: OutputValidation): void {
  const { ok, rule, compared, mismatchCount, mismatches } = validation;
  print(`${compared} vertices compared: ${ok ? RULES[rule] : 'wrong'}`);
  if (mismatchCount > 0) print(`${mismatchCount} values differ${more(mismatchCount, mismatches.length)}:`);
  for (const { vertex, expected, actual } of mismatches) print(`  vertex ${vertex}: ${actual} instead of ${expected}`);
  printIds('vertices are missing', validation.missing, validation.firstMissing);
  printIds('lines have vertices that the reference lacks', validation.unexpected, validation.firstUnexpected);
  printIds('lines repeat a vertex', validation.repeated, validation.firstRepeated);
  const { malformed, firstMalformed } = validation;
  if (malformed > 0) print(`${malformed} lines are not 'vertex value'${more(malformed, firstMalformed.length)}:`);
  for (const { file, line, text } of firstMalformed) print(`  ${file} line ${line}: ${text}`);
}

function printIds(what: string, count: number, first: readonly string[]): void {
  if (count > 0) print(`${count} ${what}${more(count, first.length)}: ${first.join(', ')}`);
}

function more(count: number, shown: number): string {
  return count > shown ? `, the first ${shown}` : '';
}

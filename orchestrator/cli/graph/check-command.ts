import { badInput, PredictError } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import { ALGORITHMS, type Algorithm } from '../../../experiments/graphs/benchmark-terms.ts';
import { type BrokenRule, RULES } from '../../../experiments/graphs/check/breaks.ts';
import { checkDataset, type DatasetCheck, type DegreeRange } from '../../../experiments/graphs/check/check-dataset.ts';
import { readDataset } from '../../../experiments/graphs/dataset.ts';
import { writeReferences } from '../../../experiments/graphs/reference/write-references.ts';
import { type OutputValidation, validateOutput } from '../../../experiments/graphs/validate/validate-output.ts';
import { given, type Optional, type Switches } from '../flags.ts';
import { note, print, printJson } from '../print.ts';

interface Flags extends Optional<'algorithms' | 'reference' | 'algorithm'>, Switches<'outputs' | 'replace'> {}

/** A dataset, its reference outputs, or an output: whichever was asked for. */
export async function checkCommand(path: string, flags: Flags): Promise<void> {
  const { outputs, algorithms, replace, reference, algorithm, json } = flags;
  if ((reference === undefined) !== (algorithm === undefined))
    throw badInput('--reference and --algorithm say together what an output is compared with: give both.');
  if (outputs === undefined && (algorithms ?? replace) !== undefined)
    throw badInput('--algorithms and --replace are about reference outputs: add --outputs.');
  if (outputs) {
    if (reference !== undefined) throw badInput('--outputs computes reference outputs: leave out --reference.');
    return await writeOutputs(path, flags);
  }
  if (reference !== undefined && algorithm !== undefined) return await validate(path, { reference, algorithm, json });
  await checkOne(path, json);
}

/** Exit 0 for a dataset that keeps the rules; otherwise `badInput`. */
async function checkOne(path: string, json = false): Promise<void> {
  const check = await checkDataset(path);
  if (json) printJson(check);
  else {
    printFacts(check);
    for (const broken of check.broken) printBroken(broken);
    for (const warning of check.warnings) note(`predict: ${warning}`);
  }
  if (check.ok) return;
  const cases = check.broken.reduce((sum, { count }) => sum + count, 0);
  throw badInput(
    `${path} breaks rules of the format (${cases} ${cases === 1 ? 'case' : 'cases'}): correct the files, or convert the edges again.`,
  );
}

function printFacts(check: DatasetCheck): void {
  const { name, vertices, edges, directed, weighted, scale, size, degrees, isolated, family } = check;
  const kind = `${directed ? 'directed' : 'undirected'}, ${weighted ? 'with' : 'without'} weights`;
  print(`${name}: ${vertices} vertices, ${edges} edges, ${kind}`);
  const asGraph500 = size === null ? '' : `; as large as a Graph500 graph of scale ${size}`;
  print(`class ${check.class} (scale ${scale}), family ${family}${asGraph500}`);
  if (degrees !== null) {
    const range = ({ least, most, vertex }: DegreeRange): string => `${least} to ${most} (vertex ${vertex})`;
    const both =
      degrees.in === null
        ? `degrees ${range(degrees.out)}`
        : `out-degrees ${range(degrees.out)}, in-degrees ${range(degrees.in)}`;
    print(`${both}; ${isolated} vertices without edges`);
  }
  for (const algorithm of check.algorithms) {
    const parameters = Object.entries(check.parameters[algorithm as keyof typeof check.parameters] ?? {});
    const told = parameters.map(([key, value]) => `${key} ${value}`).join(', ');
    const reference = check.references[algorithm] === undefined ? 'no reference output' : 'reference output';
    print(`${algorithm}: ${told === '' ? '' : `${told}; `}${reference}`);
  }
}

function printBroken({ rule, count, first }: BrokenRule): void {
  print(`${count} ${RULES[rule]}${count > first.length ? `, the first ${first.length}` : ''}:`);
  for (const { file, line, text } of first) {
    print(`  ${file}${line === null ? '' : ` line ${line}`}${text === '' ? '' : `: ${text}`}`);
  }
}

/** What each algorithm computes, one after the other, as files beside those of the dataset. */
async function writeOutputs(path: string, flags: Flags): Promise<void> {
  const algorithms = given(flags.algorithms, parseAlgorithms);
  const dataset = await readDataset(path);
  for (const warning of dataset.warnings) note(`predict: ${warning}`);
  const references = await writeReferences(dataset, {
    ...(algorithms !== undefined && { algorithms }),
    ...(flags.replace !== undefined && { replace: flags.replace }),
    onWritten: ({ file, seconds }) => {
      if (!flags.json) print(`${file} (${formatSeconds(seconds)})`);
    },
  });
  if (flags.json) printJson({ name: dataset.name, references });
}

/** Exit 0 for an output that is right; otherwise `workload`. */
async function validate(
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

const AGREEMENT: Readonly<Record<OutputValidation['rule'], string>> = {
  exact: 'equal',
  partition: 'the same partition',
  close: 'equal within 0.01 %',
};

function printValidation(validation: OutputValidation): void {
  const { ok, rule, compared, mismatchCount, mismatches } = validation;
  print(`${compared} vertices compared: ${ok ? AGREEMENT[rule] : 'wrong'}`);
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

/** `bfs,PR` -> the algorithms, each once. */
export function parseAlgorithms(text: string): readonly Algorithm[] {
  return [...new Set(text.split(',').map((word) => parseAlgorithm(word)))];
}

function parseAlgorithm(text: string): Algorithm {
  const found = ALGORITHMS.find((algorithm) => algorithm === text.trim().toLowerCase());
  if (found !== undefined) return found;
  throw badInput(`'${shortened(text)}' is not an algorithm: choose from ${ALGORITHMS.join(', ')}.`);
}

import { badInput } from '../../../base/index.ts';
import {
  type BrokenRule,
  checkDataset,
  type DatasetCheck,
  type DegreeRange,
  RULES,
} from '../../../experiments/graphs/index.ts';
import { note, print, printJson } from '../print.ts';

/** Exit 0 for a dataset that keeps the rules; otherwise `badInput`. */
export async function checkCommand(path: string, { json = false }: { readonly json?: boolean }): Promise<void> {
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

import { type GraphCase, graphCaseResult } from '../../../analysis/path/formats/index.ts';
import { left, print, printJson, printTable, right } from '../print.ts';
import { problemNotes } from './problems.ts';

/** The critical paths of an abstract activity graph, slice by slice, in the words of its file. */
export function printGraphCase(graphCase: GraphCase, json = false): void {
  const result = graphCaseResult(graphCase);
  if (json) {
    printJson(graphCase.problems.length > 0 ? { ...result, problems: graphCase.problems } : result);
    return;
  }
  problemNotes(graphCase.problems);
  for (const { start, end, length, critical_paths: count, path, properties } of result.slices) {
    print(`${start} to ${end}: a path of ${length}, ${count} critical ${count === 1 ? 'path' : 'paths'}`);
    printTable(path, [
      right('from', (step) => step.start),
      right('to', (step) => step.end),
      left('worker', ({ src, dst }) => (src === dst ? String(src) : `${src} -> ${dst}`)),
      left('what', ({ type, name }) => (name === null ? type : `${type} ${name}`)),
    ]);
    for (const [property, { violations, at }] of Object.entries(properties)) {
      if (violations > 0) print(`property ${property} does not hold at ${JSON.stringify(at)}`);
    }
  }
}

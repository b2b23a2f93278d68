import { type GraphCase, graphCaseResult, readGraphCase } from '../../../analysis/path/formats/index.ts';
import {
  meanProfile,
  pathModelOf,
  readPhaseCase,
  searchPaths,
  searchSummary,
} from '../../../analysis/path/phases/index.ts';
import { loadPlatform } from '../../../analysis/platform/index.ts';
import { badInput } from '../../../base/index.ts';
import { left, print, printJson, printTable, right } from '../print.ts';
import { readJson } from '../read-json.ts';
import type { PathFlags } from './flags.ts';
import { printSearches, problemNotes } from './print-path.ts';

/** The model whose phases and exchanges a case of MPI phases names. */
const MODEL = 'graph500';

/** The critical paths of a case, whichever it is by its shape: an abstract activity graph, or phases of MPI ranks. */
export async function pathOfCase(
  path: string,
  { json, model = MODEL }: Pick<PathFlags, 'json' | 'model'>,
): Promise<void> {
  const data = await readJson(path, '--case');
  const graph = readGraphCase(data);
  if (graph !== null) {
    const result = graphCaseResult(graph);
    if (!json) return printGraph(graph, result);
    return printJson(graph.problems.length > 0 ? { ...result, problems: graph.problems } : result);
  }
  if (typeof data !== 'object' || data === null || !('side' in data)) {
    throw badInput(
      `--case: ${path} is neither an activity graph (workers, comm) nor phases of MPI ranks (side, phases).`,
    );
  }
  const platform = await loadPlatform(model);
  const found = pathModelOf(platform);
  if (found === null)
    throw badInput(`The model ${platform.name} has no phases on a path: choose another with --model.`);
  const kinds = new Map([
    ...Object.entries(platform.measured?.trace ?? {}).map(([name]) => [name, null] as const),
    ...found.kinds,
  ]);
  const phases = readPhaseCase(data, kinds);
  const searches = searchPaths(phases).map((search) => ({ ...search, ...searchSummary(search) }));
  const meanNs = meanProfile(searches);
  if (!json) {
    problemNotes(phases.problems);
    return printSearches(searches, meanNs, {});
  }
  printJson({
    searches: searches.map(({ root, startNs, endNs, lengthNs, hops, profileNs, ranksNs, path: steps }) => ({
      ...{ root, startNs, endNs, lengthNs, hops, profileNs, ranksNs },
      path: steps.map(({ rank, startNs: from, endNs: to, key }) => ({ rank, startNs: from, endNs: to, key })),
    })),
    meanNs,
    ...(phases.problems.length > 0 ? { problems: phases.problems } : {}),
  });
}

/** The paths of an activity graph, slice by slice, in the words of its file. */
function printGraph({ problems }: GraphCase, { slices }: ReturnType<typeof graphCaseResult>): void {
  problemNotes(problems);
  for (const { start, end, length, critical_paths: count, path, properties } of slices) {
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

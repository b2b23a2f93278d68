import { graphCaseResult, readGraphCase } from '../../../analysis/path/formats/index.ts';
import {
  meanProfile,
  pathModelOf,
  readPhaseCase,
  searchPaths,
  searchSummary,
} from '../../../analysis/path/phases/index.ts';
import { loadPlatform } from '../../../analysis/platform/index.ts';
import { badInput } from '../../../base/index.ts';
import { printJson } from '../print.ts';
import { readJson } from '../read-json.ts';

/** The model whose phases and exchanges a case of MPI phases names. */
const MODEL = 'graph500';

/** The critical paths of a case as JSON, whichever it is by its shape: an abstract activity graph, or phases of MPI ranks. */
export async function pathOfCase(path: string, model = MODEL): Promise<void> {
  const data = await readJson(path, '--case');
  const graph = readGraphCase(data);
  if (graph !== null) {
    const result = graphCaseResult(graph);
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
  printJson({
    searches: searches.map(({ root, startNs, endNs, lengthNs, hops, profileNs, ranksNs, path: steps }) => ({
      ...{ root, startNs, endNs, lengthNs, hops, profileNs, ranksNs },
      path: steps.map(({ rank, startNs: from, endNs: to, key }) => ({ rank, startNs: from, endNs: to, key })),
    })),
    meanNs: meanProfile(searches),
    ...(phases.problems.length > 0 ? { problems: phases.problems } : {}),
  });
}

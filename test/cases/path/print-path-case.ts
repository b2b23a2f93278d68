import { pathModelOf } from '../../../analysis/path/phases/from-cell.ts';
import { searchPaths } from '../../../analysis/path/phases/search-graphs.ts';
import { meanProfile, searchSummary } from '../../../analysis/path/run-paths.ts';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import { badInput } from '../../../base/errors.ts';
import { criticalPathCommand } from '../../../orchestrator/cli/path/path-command.ts';
import type { PathFlags } from '../../../orchestrator/cli/path/path-flags.ts';
import { printJson } from '../../../orchestrator/cli/print.ts';
import { readCaseJson } from '../case-file.ts';
import { graphCaseResult } from './graph-case-result.ts';
import { printTimelyCase } from './print-timely-case.ts';
import { readGraphCase } from './read-graph-case.ts';
import { readPhaseCase } from './read-phase-case.ts';

/** The model whose phases and exchanges a case of MPI phases names. */
const MODEL = 'graph500';

/**
 * The critical paths of a case, whichever it is: in JSON an abstract activity graph or phases of MPI ranks, by its shape; a Timely trace
 * in the words of its reference; any other trace as the command prints it.
 */
export async function printPathCase(path: string, flags: PathFlags): Promise<void> {
  if (!path.endsWith('.json')) {
    if (await printTimelyCase(path, flags)) return;
    return await criticalPathCommand(path, { ...flags, json: true });
  }
  const data = await readCaseJson(path);
  const graph = readGraphCase(data);
  if (graph !== null) {
    const result = graphCaseResult(graph);
    return printJson(graph.problems.length > 0 ? { ...result, problems: graph.problems } : result);
  }
  if (typeof data !== 'object' || data === null || !('side' in data)) {
    throw badInput(`${path} is neither an activity graph (workers, comm) nor phases of MPI ranks (side, phases).`);
  }
  printJson(await phaseCaseResult(data, flags.model ?? MODEL));
}

async function phaseCaseResult(data: object, model: string): Promise<object> {
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
  return {
    searches: searches.map(({ root, startNs, endNs, lengthNs, hops, profileNs, ranksNs, path: steps }) => ({
      ...{ root, startNs, endNs, lengthNs, hops, profileNs, ranksNs },
      path: steps.map(({ rank, startNs: from, endNs: to, key }) => ({ rank, startNs: from, endNs: to, key })),
    })),
    meanNs: meanProfile(searches),
    ...(phases.problems.length > 0 ? { problems: phases.problems } : {}),
  };
}

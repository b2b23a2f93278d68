import { assertNever, badInput } from '../../base/errors.ts';
import { joinWords } from '../../base/text.ts';
import type { Sweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { graphalyticsOn, loadWorkload } from '../../experiments/workloads/load-workload.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import type {
  CommandDefinition,
  GraphalyticsDefinition,
  WorkloadDefinition,
} from '../../experiments/workloads/workload-schema.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { datasetsOf } from './cell-routes.ts';
import type { FleetWorker, Order } from './fleet-records.ts';

interface Site extends Pick<Inventory, 'allow'> {
  /** Folders of datasets that the site has. */
  readonly graphs: readonly string[];
}

/** A file that a run leaves beside itself: no other folder, and nothing that a parameter names. */
const OWN_FILE = /^(?:\{output\}\/)?(?!\.)(?:[\w.*+-]|\{(?:scale|nodes|ranks|roots|seed)\})+$/;

/**
 * The workload of a campaign that comes from elsewhere. Errors: `badInput` where the inventory does not allow it, it could start or read
 * something else than its program, or it has none of the datasets.
 */
export async function permitWorkload(
  { workload, sweep }: Pick<Order, 'workload' | 'sweep'>,
  { allow, graphs }: Site,
): Promise<Workload> {
  const { kind, name } = workload;
  const program = programOf(workload);
  const rule = 'which no queue may bring: measure it at the site';
  if (program === null) throw badInput(`The workload ${name} (kind ${kind}) runs shell commands, ${rule}.`);
  if (!allow.some((one) => one === program)) {
    const allowed = allow.length === 0 ? 'nothing' : joinWords(allow);
    throw badInput(`The workload ${name} runs ${program}, but the site's inventory allows ${allowed}: add it there.`);
  }
  const problem = wordProblem(workload, sweep) ?? (kind === 'command' ? commandProblem(workload) : null);
  if (problem !== null) throw badInput(`The workload ${name} ${problem}, ${rule}.`);
  return workload.kind === 'graphalytics' ? await withGraphs(workload, graphs) : workloadOf(workload);
}

/** What of a workload an inventory may allow; null for one whose program nobody can name. */
function programOf(definition: WorkloadDefinition): string | null {
  switch (definition.kind) {
    case 'graph500':
    case 'graphalytics':
      return definition.kind;
    case 'graph500-external':
      return definition.binary;
    case 'command':
      return definition.command[0] ?? null;
    case 'graphalytics-harness':
    case 'pipeline':
      return null;
    default:
      return assertNever(definition);
  }
}

/** Launchers read a colon among the arguments as the beginning of another program. */
function wordProblem(definition: WorkloadDefinition, { params = {} }: Pick<Sweep, 'params'>): string | null {
  const own =
    definition.kind === 'command' ? definition.command : definition.kind === 'graph500-external' ? definition.args : [];
  const values = Object.values(params).flat().map(String);
  return [...own, ...values].some((word) => word.trim() === ':') ? 'has an argument that is a colon' : null;
}

/** What would let an allowed program run another one, or read files of others. */
function commandProblem({ env, folder, outputs = {} }: CommandDefinition): string | null {
  if (env !== undefined && Object.keys(env).length > 0) return 'sets the environment of ranks';
  if (folder !== undefined && folder !== '{output}') return `runs in ${folder}`;
  const foreign = Object.values(outputs).find((path) => path !== undefined && !OWN_FILE.test(path));
  return foreign === undefined ? null : `reads ${foreign}`;
}

/** On those of its graphs that the site has. */
async function withGraphs(definition: GraphalyticsDefinition, folders: readonly string[]): Promise<Workload> {
  const needed = datasetsOf(definition);
  const known = await Promise.all(folders.map((folder) => datasetsIn([folder])));
  const own = folders.filter((_, place) => known[place]?.some((one) => needed.some(({ hash }) => hash === one.hash)));
  if (own.length > 0) return await graphalyticsOn(definition, own);
  const names = joinWords(needed.map(({ name }) => name));
  throw badInput(`No graph of ${names} is at this site with the same content: name its folder with --graphs.`);
}

/** The datasets of some folders. Errors: those of `loadWorkload`. */
export async function datasetsIn(folders: readonly string[]): Promise<FleetWorker['datasets']> {
  if (folders.length === 0) return [];
  return datasetsOf((await loadWorkload('graphalytics', { graphs: folders })).definition);
}

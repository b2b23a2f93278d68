import { ascending, at, groupBy } from '../../base/lists.ts';
import { joinWords } from '../../base/text.ts';
import { plan, visitAgain } from '../../experiments/plan.ts';
import type { Cell } from '../../experiments/records.ts';
import { contentHash } from '../../experiments/store/digest.ts';
import type { Workload } from '../../experiments/workloads/workload.ts';
import type { WorkloadDefinition } from '../../experiments/workloads/workload-schema.ts';
import type { FleetWorker, Order, Route } from './fleet-records.ts';

// Which worker of a site may measure which cells. Owner and workers plan alike, so ids of cells agree; a route is what cells need of a worker.

type Able = Pick<FleetWorker, 'id' | 'hosts' | 'ranksPerNode' | 'datasets'>;
/** What of an order says which cells it has. */
type OrderedCells = Pick<Order, 'site' | 'sweep' | 'workload' | 'ranksPerNode' | 'repetitions'>;

/** The cells of a campaign at a site and their further repetitions, whoever can measure them. Errors: those of `plan`. */
export function cellsOfOrder(order: OrderedCells, workload: Workload): readonly Cell[] {
  const { sweep, ranksPerNode, repetitions = [] } = order;
  const planned = plan(sweep, { workload, ranksPerNode, hosts: Math.max(...sweep.nodes) });
  const byId = new Map(planned.map((cell) => [cell.id, cell]));
  const repeated = repetitions.flatMap(({ of, rep }) => {
    const cell = byId.get(of);
    return cell === undefined ? [] : [visitAgain(cell, rep, { sweep, workload })];
  });
  return [...planned, ...repeated];
}

/** An order with further repetitions of its cells, each once. */
export function withRepetitions(order: Order, more: NonNullable<Order['repetitions']>): Order {
  const all = new Map([...(order.repetitions ?? []), ...more].map((one) => [`${one.of} ${one.rep}`, one]));
  return { ...order, repetitions: [...all.values()] };
}

/** All routes of a campaign's cells, the fewest nodes first. */
export function routesOf({ sweep, workload }: Pick<Order, 'sweep' | 'workload'>): readonly Route[] {
  const counts = sweep.cells?.map(({ nodes }) => nodes) ?? [...sweep.nodes, ...(sweep.anchors ?? [])];
  const datasets = workload.kind === 'graphalytics' ? workload.graphs.map(({ name }) => name) : [null];
  return ascending(new Set(counts)).flatMap((nodes) => datasets.map((dataset) => ({ nodes, dataset })));
}

export function routeOf({ workload }: Pick<Order, 'workload'>, { nodes, params }: Cell): Route {
  return { nodes, dataset: workload.kind === 'graphalytics' ? String(params?.graph) : null };
}

/** Datasets as workers and campaigns say what they are: of other content is another one. */
export function datasetsOf(definition: WorkloadDefinition | undefined): FleetWorker['datasets'] {
  return definition?.kind !== 'graphalytics'
    ? []
    : definition.graphs.map((graph) => ({ name: graph.name, hash: contentHash(graph) }));
}

/** Why a worker takes no cell of a route; null where it takes them. */
export function misfitOf(worker: Able, order: OrderedCells, { nodes, dataset }: Route): string | null {
  const { id, hosts, ranksPerNode, datasets } = worker;
  if (hosts < nodes) return `${id} has ${hosts} ${hosts === 1 ? 'host' : 'hosts'}`;
  if (order.sweep.ranksPerNode === undefined && ranksPerNode !== order.ranksPerNode)
    return `${id} has ${ranksPerNode} MPI ranks per node, not ${order.ranksPerNode}`;
  const needed = datasetsOf(order.workload).find(({ name }) => name === dataset);
  const has = needed === undefined || datasets.some(({ hash }) => hash === needed.hash);
  return has ? null : `${id} lacks the dataset ${dataset}`;
}

interface CountedRoute {
  readonly route: Route;
  readonly count: number;
}

/** The routes of some cells, with how many cells each has. */
export function countRoutes(order: Pick<Order, 'workload'>, cells: readonly Cell[]): readonly CountedRoute[] {
  return groupBy(cells, (cell) => JSON.stringify(routeOf(order, cell))).map((all) => {
    return { route: routeOf(order, at(all, 0)), count: all.length };
  });
}

/** Reasons that are said of one worker each. */
const MOST_REASONS = 3;

/** Which cells none of some workers can measure, and why, one sentence; null where there is none, and where there is no worker. */
export function unservedText(
  order: OrderedCells,
  cells: readonly CountedRoute[],
  workers: readonly Able[],
): string | null {
  const unserved = cells.filter(({ route, count }) => {
    return count > 0 && workers.every((worker) => misfitOf(worker, order, route) !== null);
  });
  if (workers.length === 0 || unserved.length === 0) return null;
  const count = unserved.reduce((sum, one) => sum + one.count, 0);
  const nodes = joinWords(ascending(new Set(unserved.map(({ route }) => route.nodes))));
  const reasons = unserved.flatMap(({ route }) => workers.flatMap((worker) => misfitOf(worker, order, route) ?? []));
  const why = joinWords([...new Set(reasons)].slice(0, MOST_REASONS));
  return `No worker of ${order.site} can measure ${count} ${count === 1 ? 'cell' : 'cells'} on ${nodes} nodes: ${why}.`;
}

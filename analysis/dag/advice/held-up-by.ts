import { at, last } from '../../../base/lists.ts';
import { isPipe, type WatchedJob } from '../job/watched-job.ts';
import { type DagSummary, DOMINANT, meanByTime } from '../judge/summarise-job.ts';

/** So much of the time samples of pipes and tasks may differ. */
const UNEXPLAINED = 0.1;

/** A task for which the tasks before it wait. */
export interface Holder {
  readonly id: string;
  /** Mean share of PROCESSING over the run. */
  readonly busy: number;
}

/**
 * The task that limits a job most where none is busy all the time (ours): tasks that hand on through small pipes take turns, so
 * that each waits for the others for a part of the time. From each source along the pipes for whose room tasks wait most; of the
 * tasks on the way the busiest. Null where a source waits for something else than room, the last task does not take from a full
 * pipe though it neither works nor waits for room, or no task works for half of the time: then the job waits for what is outside
 * it. Edges over a network end the way, because they limit by themselves.
 */
export function heldUpBy(job: WatchedJob): Holder | null {
  const { graph, periods } = job.judge;
  const busy = meanByTime(graph.vertexIds.length, periods, ({ pt }) => pt);
  const full = meanByTime(graph.edgeIds.length, periods, ({ st }) => st);
  const blocked = meanByTime(graph.edgeIds.length, periods, (_, index) => job.work[index]?.blocked);
  const edgesOf = (task: number, ends: Int32Array): number[] => [...ends.keys()].filter((edge) => ends[edge] === task);
  const shareOf = (shares: Float64Array, edge: number): number => shares[edge] || 0;
  const isSource = (task: number): boolean => !graph.to.includes(task);
  const waitsOutside = (task: number): boolean => {
    const hasInput = isSource(task) ? 1 : Math.max(...edgesOf(task, graph.to).map((edge) => shareOf(full, edge)));
    const forRoom = edgesOf(task, graph.from).reduce((sum, edge) => sum + shareOf(blocked, edge), 0);
    return !(hasInput - at(busy, task) - forRoom <= UNEXPLAINED);
  };
  const waitsFor = (task: number): number | undefined => {
    const [most] = edgesOf(task, graph.from).sort((a, b) => shareOf(blocked, b) - shareOf(blocked, a));
    if (most === undefined || shareOf(blocked, most) <= UNEXPLAINED) return undefined;
    return isPipe(job.edges[most], job) ? at(graph.to, most) : undefined;
  };
  const [busiest] = [...graph.vertexIds.keys()]
    .filter(isSource)
    .map((source) => wayFrom(source, waitsFor))
    .filter((way) => way.length > 1 && !waitsOutside(at(way, 0)) && !waitsOutside(last(way)))
    .flat()
    .sort((a, b) => at(busy, b) - at(busy, a));
  if (busiest === undefined || !(at(busy, busiest) >= DOMINANT)) return null;
  return { id: at(graph.vertexIds, busiest), busy: at(busy, busiest) };
}

function wayFrom(source: number, waitsFor: (task: number) => number | undefined): number[] {
  const way = [source];
  for (let next = waitsFor(source); next !== undefined; next = waitsFor(next)) way.push(next);
  return way;
}

/** The same where it says more than the method: no task is the bottleneck for half of the time, and no edge over a network. */
export function unnamedHolder(job: WatchedJob, { dominant }: DagSummary): Holder | null {
  const isNamed = dominant !== null && !isPipe(dominantEdge(job, dominant), job);
  return isNamed ? null : heldUpBy(job);
}

function dominantEdge({ edges }: WatchedJob, { kind, id }: NonNullable<DagSummary['dominant']>) {
  return kind === 'io' ? edges.find((edge) => edge.id === id) : undefined;
}

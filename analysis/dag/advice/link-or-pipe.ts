import type { DagEdge } from '../../../experiments/dag/dag-records.ts';
import type { WatchedJob } from '../job/watched-job.ts';

/** Whether an edge goes over a network, so that its rate follows the link's. */
export function isLink(edge: DagEdge | undefined, { vertices }: Pick<WatchedJob, 'vertices'>): boolean {
  if (edge === undefined) return false;
  if (edge.linkBps !== null) return true;
  const [from, to] = [edge.from, edge.to].map((id) => vertices.find((one) => one.id === id)?.hosts ?? []);
  return (from ?? []).length > 0 && (to ?? []).length > 0 && !(from ?? []).some((host) => to?.includes(host));
}

/** Whether an edge is a pipe within a host: memory, which is full where its reader does not take, not because it carries all it can. */
export function isPipe(edge: DagEdge | undefined, job: Pick<WatchedJob, 'vertices' | 'run'>): boolean {
  return edge !== undefined && job.run.source === 'pipes' && !isLink(edge, job);
}

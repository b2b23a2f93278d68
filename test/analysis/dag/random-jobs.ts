import { mulberry32 } from '../../../base/lists.ts';
import type { SimulatedJob } from './simulate-job.ts';

/** A random job of 3 to 7 tasks: a tree of branches that may join again, most tasks behind one, a link here and there. */
export function randomJob(seed: number): SimulatedJob {
  const random = mulberry32(seed);
  const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const count = whole(3, 7);
  const tasks = Array.from({ length: count }, (_, index) => ({
    id: `t${index}`,
    instances: whole(1, 4),
    serviceS: 0.02 * 10 ** (random() * 1.2),
    spread: random() * 0.8,
  }));
  const edges = tasks.slice(1).flatMap(({ id }, index) => {
    const from = random() < 0.6 ? index : whole(0, index);
    const second = index > 1 && random() < 0.2 ? whole(0, index - 1) : from;
    return [...new Set([from, second])].map((source) => ({
      id: `t${source}>${id}`,
      from: `t${source}`,
      to: id,
      capacity: whole(4, 16),
      recordBytes: 1e6,
      ...(random() < 0.35 ? { linkRate: 10 * 10 ** (random() * 1.2) } : {}),
    }));
  });
  return { tasks, edges, records: 1500, random };
}

/** The same job with one change; its records are drawn anew. */
export function changed(
  job: SimulatedJob,
  { kind, id, factor }: { readonly kind: 'cpu' | 'io'; readonly id: string; readonly factor: number },
): SimulatedJob {
  return {
    ...job,
    tasks: job.tasks.map((task) =>
      kind === 'cpu' && task.id === id ? { ...task, instances: Math.ceil(task.instances * factor) } : task,
    ),
    edges: job.edges.map((edge) =>
      kind === 'io' && edge.id === id && edge.linkRate !== undefined
        ? { ...edge, linkRate: edge.linkRate * factor }
        : edge,
    ),
  };
}

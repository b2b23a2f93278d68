import { own } from '../../../base/lists.ts';
import type { WatchedJob } from '../job/watched-job.ts';
import type { Throughput } from './throughput.ts';

/** The rate at which the tasks on a host keep all of its processors busy. */
export interface HostLimit {
  readonly host: string;
  readonly cores: number;
  readonly rate: number;
}

/**
 * What the processors of a job's hosts allow where its tasks stay on them, the least first. The throughput model supposes that
 * instances do not hinder each other; those that share processors do. Hosts of which nothing was counted are left out.
 */
export function hostLimits(
  { onCpuS }: Throughput,
  { vertices, run }: Pick<WatchedJob, 'vertices' | 'run'>,
): HostLimit[] {
  const needs = new Map<string, number>();
  for (const [place, { hosts }] of vertices.entries()) {
    for (const host of hosts) needs.set(host, (needs.get(host) ?? 0) + (onCpuS[place] ?? 0) / hosts.length);
  }
  return [...needs]
    .flatMap(([host, need]) => {
      const cores = own(run.cores ?? {}, host);
      return cores === undefined || !(need > 0) ? [] : [{ host, cores, rate: cores / need }];
    })
    .sort((a, b) => a.rate - b.rate);
}

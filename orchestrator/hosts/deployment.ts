import type { HostPrograms } from '../../agents/index.ts';
import type { Host } from '../../inventory/index.ts';
import type { Cluster } from './cluster.ts';

/** Names of the deployed files in the work folder. */
export const AGENT = 'predict-agent';
export const GRAPH500 = 'predict-graph500';
/** Folder of the graphs that cells of one (nodes, scale) group share. */
export const GRAPHS = 'graphs';

/** Puts the agent (and, where asked for, the bundled workload) on the hosts. */
export function deployPrograms(
  cluster: Cluster,
  hosts: readonly Host[],
  { programs, workload = false }: { readonly programs: HostPrograms; readonly workload?: boolean },
): Promise<void> {
  return cluster.deploy(hosts, workload ? [programs.agent, programs.graph500] : [programs.agent]);
}

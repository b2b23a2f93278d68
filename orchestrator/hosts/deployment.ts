import { basename } from 'node:path';
import { type HostPrograms, programFile } from '../../agents/index.ts';
import type { BundledProgram } from '../../experiments/index.ts';
import type { Host } from '../../inventory/index.ts';
import type { Cluster } from './cluster.ts';

/** Name of the deployed agent in the work folder. */
export const AGENT = 'predict-agent';

/** Name of a deployed program of ours in the work folder. */
export function fileNameOf(program: BundledProgram): string {
  return basename(programFile(program));
}

/**
 * Puts the agent, and what programs of ours a workload runs, on the hosts, and installs the agent for root; with `orAsUser`
 * a host where that may not be goes without.
 */
export async function deployPrograms(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    programs,
    wanted = [],
    orAsUser = false,
  }: { readonly programs: HostPrograms; readonly wanted?: readonly BundledProgram[]; readonly orAsUser?: boolean },
): Promise<void> {
  await cluster.deploy(hosts, [programs.agent, ...wanted.map((name) => programs[name])]);
  await cluster.install(hosts, programs.agent, { orAsUser });
}

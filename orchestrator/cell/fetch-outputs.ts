import { writeFile } from 'node:fs/promises';
import type { MpiTrace } from '../../experiments/mpi-trace/join-ranks.ts';
import type { Invocation, RunOutput } from '../../experiments/workloads/workload.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { fetchRecords, recordFolder } from '../hosts/mpi-recorder.ts';

export type OutputFiles = NonNullable<RunOutput['files']>;

/** The files of a run lie on the first of its hosts, records of its ranks on each; the folder goes from all of them. */
export async function fetchOutputs(
  cluster: Cluster,
  hosts: readonly Host[],
  {
    outputs,
    folder,
    resultFile,
    isRecorded,
  }: {
    readonly outputs: Invocation['outputs'];
    readonly folder: string;
    readonly resultFile: string;
    readonly isRecorded: boolean;
  },
): Promise<OutputFiles & { readonly resultFile: string | null; readonly trace: MpiTrace | null }> {
  const executor = cluster.on(hosts[0] as Host);
  const files: { -readonly [name in keyof OutputFiles]: OutputFiles[name] } = {};
  const { result: resultPath, ...texts } = outputs;
  const result = resultPath === undefined ? null : await executor.fetch(resultPath);
  if (result !== null) await writeFile(resultFile, result);
  for (const [name, path] of Object.entries(texts) as [keyof typeof texts, string][]) {
    const content = await executor.fetch(path);
    if (content !== null) files[name] = content.toString();
  }
  const trace = isRecorded ? await fetchRecords(cluster, hosts, recordFolder(cluster.remotePath(folder))) : null;
  await cluster.remove(hosts, folder);
  const ofRanks = trace === null ? {} : { phases: trace.phases, messages: trace.messages };
  return { ...files, ...ofRanks, trace, resultFile: result === null ? null : resultFile };
}

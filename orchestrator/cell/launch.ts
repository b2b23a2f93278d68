import { writeFile } from 'node:fs/promises';
import { byLine } from '../../base/line-reader.ts';
import { quoteAll, scriptWords, sh } from '../../base/shell.ts';
import type { MpiTrace } from '../../experiments/mpi-trace/join-ranks.ts';
import type { Cell } from '../../experiments/records.ts';
import type { BundledProgram, Invocation, RunOutput, Workload } from '../../experiments/workloads/workload.ts';
import { type Host, headOf } from '../../inventory/inventory-schema.ts';
import type { Cluster } from '../hosts/cluster.ts';
import { remoteProgram } from '../hosts/deployment.ts';
import { execOrFail } from '../hosts/executor.ts';
import { fetchOutput } from '../hosts/fetch-output.ts';
import { fetchRecords, recorded, recordFolder } from '../hosts/mpi-recorder.ts';
import { runOnHead, runOnRanks } from '../hosts/start-ranks.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { CellContext } from './cell-context.ts';
import { watchJob } from './watch-job.ts';

/** What an earlier try left must not be taken for this one's. */
const MAKE_ANEW = sh`rm -rf -- "$1" && mkdir -p -- "$@"`;

/** Where the files of a cell's run are, and what its program is told of its place. */
function placeOf(cell: Cell, hosts: readonly Host[], context: CellContext) {
  const { cluster, workload, seed } = context;
  const { inventory } = cluster;
  const head = headOf(inventory);
  const others = hosts.filter(({ name }) => name !== head.name);
  const readsFile = workload.launch === 'ranks' && LAUNCHERS[inventory.mpi.launcher].readsHostFile === true;
  // A host file lies on the head alone.
  const withFile = readsFile && others.length === hosts.length ? [...hosts, head] : hosts;
  const places = workload.launch === 'head' ? [head, ...others] : withFile;
  const folder = cluster.remotePath(outputFolder(cell));
  const cacheFolder = workload.cacheFolder === null ? undefined : cluster.remotePath(workload.cacheFolder);
  const program = (name: BundledProgram): string => remoteProgram(cluster, name);
  const names = hosts.map(({ name }) => name);
  const addresses = names.map((name) => cluster.addresses.get(name) ?? name);
  const datasetFolder = (name: string): string => context.datasets.get(name) ?? '';
  const where = { outputFolder: folder, cacheFolder, program, seed, hosts: names, addresses, datasetFolder };
  return { places, folder, cacheFolder, where, hostFile: readsFile ? `${folder}/hosts` : undefined };
}

/** Makes folders on hosts, of which the first is emptied. */
export async function makeFolders(
  cluster: Cluster,
  hosts: readonly Host[],
  folders: readonly [string, ...string[]],
): Promise<void> {
  const unusable = (said: string): string =>
    `the work folder ${cluster.workFolder} cannot be used (${said}): make it writable for the SSH user, or set another one in the inventory.`;
  await cluster.onEach(cluster.places(hosts), (executor) =>
    execOrFail(executor, scriptWords(MAKE_ANEW, ...folders), unusable),
  );
}

/** Of a run that follows orders, for the cells that it serves; `startOf` is told the FIFO that they come through. */
export function jobStart(cell: Cell, hosts: readonly Host[], context: CellContext) {
  const { places, folder, cacheFolder, where, hostFile } = placeOf(cell, hosts, context);
  const invocation = (orders: string): Invocation => context.workload.invocation(cell, { ...where, orders });
  const startOf = (orders: string) => ({
    argv: placed(invocation(orders)),
    ranksPerNode: cell.ranks / cell.nodes,
    threads: invocation(orders).threads,
    link: linkOf(hosts, context),
    hostFile,
  });
  const prepare = (): Promise<void> =>
    makeFolders(context.cluster, places, [folder, ...(cacheFolder === undefined ? [] : [cacheFolder])]);
  return { places, folder, prepare, startOf, invocation: invocation('') };
}

/**
 * Starts the run on the head host. Of `places`, which have its output folder, the first has its files; `givenUp` says why it
 * was ended early.
 */
export async function launch(cell: Cell, hosts: readonly Host[], context: CellContext) {
  const { cluster, workload, signal, timeoutMs, outputFolder: longOutput } = context;
  const { places, folder, cacheFolder, where, hostFile } = placeOf(cell, hosts, context);
  const invocation = workload.invocation(cell, where);
  const own = workload.recorder === null ? [] : [recordFolder(folder)];
  const used = own[0] === undefined ? cluster.inventory : recorded(cluster, { folder: own[0], ranks: cell.ranks });
  await makeFolders(cluster, places, [folder, ...own, ...(cacheFolder === undefined ? [] : [cacheFolder])]);
  if (invocation.watch !== undefined) {
    const ran = await watchJob(cell, hosts, { watch: invocation.watch, context });
    return { ...ran, givenUp: null, invocation, places };
  }
  const options = { timeoutMs, signal, outputFolder: longOutput, onStdout: reporter(workload, context.note) };
  const argv = placed(invocation);
  const ran =
    workload.launch === 'head'
      ? { result: await runOnHead(cluster, argv, options), command: quoteAll(argv), givenUp: null }
      : await runOnRanks(cluster, hosts, {
          argv,
          inventory: used,
          ranksPerNode: cell.ranks / cell.nodes,
          threads: invocation.threads,
          link: linkOf(hosts, context),
          hostFile,
          options,
        });
  return { ...ran, watched: undefined, dagFolder: undefined, invocation, places };
}

/** env(1) sets what a rank's program finds about it. */
function placed({ argv, env = {}, folder }: Invocation): readonly string[] {
  const words = [
    ...(folder === undefined ? [] : ['-C', folder]),
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  ];
  return words.length === 0 ? argv : ['env', ...words, ...argv];
}

/** The name of the data interface, where all these hosts have the same. */
function linkOf(hosts: readonly Host[], { probed }: CellContext): string | undefined {
  const names = new Set(hosts.map(({ name }) => probed.get(name)?.facts.dataInterface ?? null));
  const [only] = names;
  return names.size === 1 ? (only ?? undefined) : undefined;
}

/** Reads an output as it comes, line by line, for what its workload tells of its progress. */
function reporter({ news }: Workload, note: CellContext['note']): (text: string) => void {
  if (news === undefined || note === undefined) return () => undefined;
  const onLine = (line: string): void => {
    const told = news(line.trimEnd());
    if (told !== null) note(told);
  };
  return byLine(onLine, LONGEST_LINE);
}

/** Bytes; a longer line is no news. */
const LONGEST_LINE = 10_000;

/** Below the work folder of every host. */
export function outputFolder(cell: Cell): string {
  return `cells/${cell.id}`;
}

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
  const place = { workFolder: cluster.workFolder, runFolder: cluster.remotePath(folder) };
  const wanted = Object.entries(texts) as [keyof typeof texts, string][];
  const [result, ...contents] = await Promise.all([
    resultPath === undefined ? null : executor.fetch(resultPath),
    ...wanted.map(([, path]) => fetchOutput(executor, path, place)),
  ]);
  if (result !== null) await writeFile(resultFile, result);
  for (const [index, [name]] of wanted.entries()) {
    const content = contents[index] ?? null;
    if (typeof content === 'string') files.problem = content;
    else if (content !== null) files[name] = content.toString();
  }
  const trace = isRecorded ? await fetchRecords(cluster, hosts, recordFolder(cluster.remotePath(folder))) : null;
  await cluster.remove(hosts, folder);
  const ofRanks = trace === null ? {} : { phases: trace.phases, messages: trace.messages };
  return { ...files, ...ofRanks, trace, resultFile: result === null ? null : resultFile };
}

import { infrastructure, lastLines, quote, quoteAll } from '../../base/index.ts';
import type { BundledProgram, Cell, Workload } from '../../experiments/index.ts';
import { type Host, headOf } from '../../inventory/index.ts';
import { AGENT, fileNameOf } from '../hosts/deployment.ts';
import { recorded, recordFolder } from '../hosts/mpi-recorder.ts';
import { LAUNCHERS } from '../launchers/index.ts';
import type { CellContext } from './run-cell.ts';
import { RunClock } from './run-clock.ts';

/** Starts the run on the head host. Of `places`, which have its output folder, the first has its files. */
export async function launch(cell: Cell, hosts: readonly Host[], context: CellContext) {
  const { cluster, workload, seed, signal, timeoutMs, outputFolder: longOutput } = context;
  const { inventory } = cluster;
  const head = headOf(inventory);
  const alone = workload.launch === 'head';
  const others = hosts.filter(({ name }) => name !== head.name);
  const readsFile = !alone && LAUNCHERS[inventory.mpi.launcher].readsHostFile === true;
  // The first has the run's files; a host file lies on the head alone.
  const places = alone ? [head, ...others] : readsFile && others.length === hosts.length ? [...hosts, head] : hosts;
  const folder = cluster.remotePath(outputFolder(cell));
  const cacheFolder = workload.cacheFolder === null ? undefined : cluster.remotePath(workload.cacheFolder);
  const program = (name: BundledProgram): string => cluster.remotePath(fileNameOf(name));
  const names = hosts.map(({ name }) => name);
  const datasetFolder = (name: string): string => context.datasets.get(name) ?? '';
  const where = { outputFolder: folder, cacheFolder, program, seed, hosts: names, datasetFolder };
  const invocation = workload.invocation(cell, where);
  const ranksPerNode = cell.ranks / cell.nodes;
  const launcher = LAUNCHERS[inventory.mpi.launcher];
  const own = workload.recorder === null ? [] : [recordFolder(folder)];
  const used = own[0] === undefined ? inventory : recorded(cluster, { folder: own[0], ranks: cell.ranks });
  const hostFile = readsFile ? `${folder}/hosts` : undefined;
  const argv = alone
    ? invocation.argv
    : launcher.argv({
        ...{ inventory: used, hosts, ranksPerNode, argv: invocation.argv },
        ...(hostFile === undefined ? {} : { hostFile }),
      });
  const folders = quoteAll([folder, ...own, ...(cacheFolder === undefined ? [] : [cacheFolder])]);
  await cluster.onEach(inventory.work.shared ? places.slice(0, 1) : places, async (executor) => {
    // What an earlier try left must not be taken for this one's.
    const { exitCode, stderr } = await executor.exec(`rm -rf ${quote(folder)} && mkdir -p ${folders}`);
    if (exitCode === 0) return;
    const { host } = executor;
    throw infrastructure(
      `${host}: the work folder ${cluster.workFolder} cannot be used (${lastLines(stderr, 1)}): make it writable for the SSH user, or name another one in the inventory.`,
      { host },
    );
  });
  const command = quoteAll(argv);
  const perRank = hosts.flatMap(({ name }) => Array.from({ length: ranksPerNode }, () => name));
  const writing = hostFile === undefined ? '' : `printf '%s\\n' ${quoteAll(perRank)} > ${quote(hostFile)} && `;
  const clock = new RunClock(alone ? undefined : launcher.isWaiting, timeoutMs);
  // The guard ends the run when this controller or its connection is gone.
  try {
    const running = await cluster
      .on(head)
      .start(
        `cd ${quote(cluster.workFolder)} && ${writing}exec ${quoteAll([cluster.remotePath(AGENT), 'guard'])} -- ${command}`,
        {
          timeoutMs: clock.longestMs,
          signal: AbortSignal.any([signal, clock.signal]),
          outputFolder: longOutput,
          onStdout: reporter(workload, context.note),
          onStderr: (text) => clock.hear(text),
        },
      );
    const ended = await running.done;
    running.end();
    const exitCode = (alone ? null : launcher.ownExit?.(ended.stderr)) ?? ended.exitCode;
    const result = { ...ended, exitCode, timedOut: ended.timedOut || clock.isOver };
    return { result, waited: clock.waited, invocation, command, places };
  } finally {
    clock.stop();
  }
}

/** Reads an output as it comes, line by line, for what its workload tells of its progress. */
function reporter({ news }: Workload, note: CellContext['note']): (text: string) => void {
  let rest = '';
  return (text) => {
    if (news === undefined || note === undefined) return;
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-LONGEST_LINE);
    for (const line of lines) {
      const told = news(line.trimEnd());
      if (told !== null) note(told);
    }
  };
}

const LONGEST_LINE = 10_000;

/** Below the work folder of every host. */
export function outputFolder(cell: Cell): string {
  return `cells/${cell.id}`;
}

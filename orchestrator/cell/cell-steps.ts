import { join } from 'node:path';
import { PredictError } from '../../base/errors.ts';
import { asPercent } from '../../base/units.ts';
import { latencyOf } from '../../experiments/latency.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import { withHead } from '../../inventory/inventory-schema.ts';
import { OutputFault, type Printed } from '../hosts/executor.ts';
import { startStackRecorders } from '../hosts/stack-recorder.ts';
import { showLinks } from '../hosts/throttle-hosts.ts';
import type { CellContext } from './cell-context.ts';
import { fetchOutputs, launch, outputFolder } from './launch.ts';
import { watchOwnMachine } from './own-machine.ts';
import { startSamplers } from './samplers.ts';

/** What the steps of a cell left so far. */
export interface Steps {
  readonly prepared: Prepared;
  readonly run: LaunchedRun;
  readonly collected: Collected;
}
export type Prepared = Awaited<ReturnType<typeof prepare>>;
export type LaunchedRun = Awaited<ReturnType<typeof launch>>;
type Collected = Awaited<ReturnType<typeof collect>>;

/** All that was done for a cell until its outputs were there. */
export interface Taken extends Steps {
  /** What others used of the machine that the hosts live in; null where they live elsewhere. */
  readonly ownMachine: ReturnType<NonNullable<Prepared['foreign']>> | null;
  readonly timing: Pick<CellRecord['timing'], 'startMs' | 'throttleMs' | 'workloadMs'>;
}

/** A start of the cell's own: it runs under the cell's level from its first byte to its last. */
export async function stepsOfOwnStart(cell: Cell, context: CellContext, lap: () => number): Promise<Taken> {
  const prepared = await prepare(cell, context);
  const throttleMs = lap();
  const run = await launch(cell, prepared.hosts, context).catch(async (error: unknown) => {
    await Promise.all([prepared.samplers.stop(), prepared.recorders?.discard()]).catch(() => undefined);
    throw error;
  });
  const workloadMs = lap();
  const ownMachine = prepared.foreign?.() ?? null;
  const collected = await collect(cell, context, { prepared, run });
  return { prepared, run, collected, ownMachine, timing: { throttleMs, workloadMs } };
}

/** Sets the links, and starts what watches hosts and ranks while the run lasts. */
export async function prepare(cell: Cell, context: CellContext) {
  const { cluster, links, beside, timeoutMs, outputFolder: folder } = context;
  const hosts = cluster.inventory.hosts.slice(0, cell.nodes);
  const level = await links.set(hosts, asPercent(cell.bw), latencyOf(cell));
  const { rateBps, latencyMs, probes, isNew } = level;
  const proved = { bw: cell.bw, rateBps: rateBps ?? cluster.inventory.lineRate, latencyMs, probes };
  context.onLevel?.(cell, proved, isNew);
  const longest = { timeoutMs: timeoutMs + 60_000 };
  const samplers = await startSamplers(cluster, hosts, { ...longest, outputFolder: folder });
  const ranksPerNode = cell.ranks / cell.nodes;
  const recorders = cell.profile
    ? await startStackRecorders(cluster, hosts, { profile: cell.profile, ranksPerNode, ...longest })
    : null;
  const foreign = watchOwnMachine(cluster.inventory, [...withHead(cluster.inventory, cell.nodes), ...beside]);
  return { hosts, level, isProven: true, samplers, recorders, foreign };
}

export function printedBy({ result: { stdout, stderr, stdoutFile, stderrFile } }: LaunchedRun): Printed {
  return { stdout, stderr, stdoutFile, stderrFile };
}

/** The links' counters after the run, the samples, what the program wrote, and the stacks of a profiled run. */
export async function collect(
  cell: Cell,
  { cluster, workload, outputFolder: folder }: CellContext,
  { prepared: { hosts, samplers, recorders }, run }: Pick<Steps, 'prepared' | 'run'>,
) {
  const asked = [
    showLinks(cluster, hosts),
    samplers.stop(),
    fetchOutputs(cluster, run.places, {
      isRecorded: workload.recorder !== null,
      outputs: run.invocation.outputs,
      folder: outputFolder(cell),
      resultFile: join(folder, 'result'),
    }),
    recorders?.stop(),
  ] as const;
  const [after, samples, { resultFile, trace, ...files }, recorded] = await keepOutput(run, Promise.all(asked));
  return { after, samples, files, resultFile, trace, recorded };
}

/** What `task` gives; a fault of a host carries what the run had printed. */
export async function keepOutput<T>(run: LaunchedRun, task: Promise<T>): Promise<T> {
  try {
    return await task;
  } catch (error) {
    if (!(error instanceof PredictError && error.kind === 'infrastructure')) throw error;
    throw new OutputFault(error.message, { host: error.host, ...printedBy(run), cause: error });
  }
}

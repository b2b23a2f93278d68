import { join } from 'node:path';
import type { Cell } from '../../experiments/records.ts';
import type { Host } from '../../inventory/inventory-schema.ts';
import { showLinks } from '../hosts/throttle-hosts.ts';
import type { CellContext } from './cell-context.ts';
import { collect, keepOutput, type LaunchedRun, type Prepared, prepare, type Taken } from './cell-steps.ts';
import { fetchOutputs, jobStart, makeFolders, outputFolder } from './launch.ts';
import { startSamplers } from './samplers.ts';
import { StandingJob, type Told } from './standing-job.ts';

/** A run that is there, or started for this cell on free links, measures under the cell's level and writes on free links. */
export async function stepsByOrders(cell: Cell, context: CellContext, lap: () => number): Promise<Taken> {
  const { jobs } = context;
  const found = jobs.find(cell);
  const started = found === null ? await start(cell, context) : { job: found };
  if (!('job' in started)) return { ...started, timing: { throttleMs: 0, workloadMs: lap() } };
  const startMs = found === null ? lap() : 0;
  const prepared = await prepare(cell, context);
  const throttleMs = lap();
  const told = await started.job.order('measure', 'Measured.', boundsOf(context)).catch(async (error: unknown) => {
    await prepared.samplers.stop().catch(() => undefined);
    throw error;
  });
  const workloadMs = lap();
  const ownMachine = prepared.foreign?.() ?? null;
  const timing = { startMs, throttleMs, workloadMs };
  const ordered = { job: started.job, told, prepared };
  return { ...(await written(cell, context, ordered)), prepared, ownMachine, timing };
}

function boundsOf({ timeoutMs, outputFolder: folder }: CellContext) {
  return { timeoutMs, outputFolder: folder };
}

/** Starts a run for this cell and those that follow; one that ended before it was ready is judged as a run of its own. */
async function start(cell: Cell, context: CellContext): Promise<{ readonly job: StandingJob } | Omit<Taken, 'timing'>> {
  const { cluster, jobs, links, signal, timeoutMs, outputFolder: folder } = context;
  const hosts = cluster.inventory.hosts.slice(0, cell.nodes) as [Host, ...Host[]];
  const { prepare: makePlace, startOf, places } = jobStart(cell, hosts, context);
  // Nothing that is timed happens before it is ready, and nothing else may run meanwhile.
  await Promise.all([jobs.end(), links.free()]);
  const states = await showLinks(cluster, hosts);
  // By what they see first it is known later whether memory ran out.
  const samplers = await startSamplers(cluster, hosts, { timeoutMs: timeoutMs + 60_000, outputFolder: folder });
  try {
    await makePlace();
    const job = await jobs.start(cell, () => StandingJob.start(cluster, hosts, { startOf, signal }));
    const told = await job.ready(boundsOf(context));
    if (!told.isOver) {
      // From now on rank 0 alone needs a folder, made anew for each cell.
      await Promise.all([samplers.stop(), cluster.remove(places, outputFolder(cell))]);
      return { job };
    }
    const level = { rateBps: null, latencyMs: 0, states, probes: [], isNew: false };
    const prepared: Prepared = { hosts, level, isProven: false, samplers, recorders: null, foreign: null };
    const run = { ...runOf(cell, hosts, { context, told }), places };
    return { prepared, run, collected: await collect(cell, context, { prepared, run }), ownMachine: null };
  } catch (error) {
    await samplers.stop().catch(() => undefined);
    throw error;
  }
}

/** What was ordered, as a run of its own. */
function runOf(
  cell: Cell,
  hosts: readonly Host[],
  { context, told: { result, command, givenUp } }: { readonly context: CellContext; readonly told: Told },
): LaunchedRun {
  const { invocation } = jobStart(cell, hosts, context);
  // Rank 0 alone writes files.
  const places = hosts.slice(0, 1);
  return { result, command, givenUp, watched: undefined, dagFolder: undefined, invocation, places };
}

/** Reads the counters of what was measured, and has their files written where no level slows them down. */
async function written(
  cell: Cell,
  context: CellContext,
  { job, told, prepared }: { readonly job: StandingJob; readonly told: Told; readonly prepared: Prepared },
): Promise<Pick<Taken, 'run' | 'collected'>> {
  const { cluster, links, outputFolder: longOutput } = context;
  const { hosts, samplers } = prepared;
  const run = runOf(cell, hosts, { context, told });
  if (told.isOver) return { run, collected: await collect(cell, context, { prepared, run }) };
  const folder = outputFolder(cell);
  const path = cluster.remotePath(folder);
  const [after, samples] = await keepOutput(
    run,
    Promise.all([showLinks(cluster, hosts), samplers.stop(), makeFolders(cluster, run.places, [path])]),
  );
  await keepOutput(run, links.ease());
  const order = job.order(`write ${path}`, 'Written.', boundsOf(context));
  const files = await keepOutput(run, order);
  const outputs = {
    isRecorded: false,
    outputs: run.invocation.outputs,
    folder,
    resultFile: join(longOutput, 'result'),
  };
  const { resultFile, trace, ...texts } = await keepOutput(run, fetchOutputs(cluster, run.places, outputs));
  const collected = { after, samples, files: texts, resultFile, trace, recorded: undefined };
  // A run that ended while it wrote is judged by that.
  const judged = files.isOver ? { ...files, result: behind(run, files) } : told;
  return { run: runOf(cell, hosts, { context, told: judged }), collected };
}

function behind({ result: { stdout, stderr } }: LaunchedRun, { result }: Told): Told['result'] {
  return { ...result, stdout, stderr: `${stderr}${result.stderr}` };
}

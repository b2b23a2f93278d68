import { messageOf, PredictError } from '../../base/errors.ts';
import { communicationSummary } from '../../experiments/communication-share.ts';
import { countIterations } from '../../experiments/mpi-trace/join-ranks.ts';
import { type Cell, type CellRecord, recordSchema } from '../../experiments/records.ts';
import { issueOf } from '../../experiments/store/damage.ts';
import type { CellOutput } from '../../experiments/store/write-cell.ts';
import { traceProblem } from '../../experiments/trace.ts';
import type { RunResult, Workload } from '../../experiments/workloads/workload.ts';
import { judgeRun, linkUse } from '../../throttle/proof.ts';
import { MOST_OUTPUT_BYTES, OutputFault, type Printed } from '../hosts/executor.ts';
import { Unmendable } from '../queue/queue.ts';
import type { CellContext } from './cell-context.ts';
import { type LaunchedRun, printedBy, type Steps, stepsOfOwnStart, type Taken } from './cell-steps.ts';
import { servedByOrders } from './job-keeper.ts';
import type { OutputFiles } from './launch.ts';
import { marksOfRun, ranksDoubt } from './marks-of-run.ts';
import { stacksOfRun } from './stacks-of-run.ts';
import { stepsByOrders } from './steps-by-orders.ts';
import { jobFault } from './why-ended.ts';

export interface CellRun extends CellOutput {
  readonly record: CellRecord;
}

/** What a cell may take beside its run before its leases are renewed no more: setting, proving and collecting take seconds. */
const AROUND_RUN_MS = 5 * 60_000;

/**
 * Measures one cell (docs/design.md, "A cell, step by step"). Returns a record for a run that worked and for a workload
 * that failed by itself, or outgrew its hosts' memory on the last try too; throws `infrastructure` for everything that another
 * try may mend.
 */
export function runCell(cell: Cell, context: CellContext): Promise<CellRun> {
  // A run that follows orders may take as long until it is ready as for its timed runs.
  const waits = servedByOrders(cell, context) ? 2 : 1;
  return context.links.during(waits * context.timeoutMs + AROUND_RUN_MS, () => measure(cell, context));
}

/** The steps of a cell, in their order. */
async function measure(cell: Cell, context: CellContext): Promise<CellRun> {
  const { jobs } = context;
  if (!servedByOrders(cell, context)) {
    await jobs.end();
    return await measured(cell, context, stepsOfOwnStart);
  }
  try {
    const run = await measured(cell, context, stepsByOrders);
    if (run.record.status !== 'ok') await jobs.drop();
    return run;
  } catch (error) {
    await jobs.drop();
    throw error;
  }
}

type TakeSteps = (cell: Cell, context: CellContext, lap: () => number) => Promise<Taken>;

async function measured(cell: Cell, context: CellContext, takeSteps: TakeSteps): Promise<CellRun> {
  const startedAt = new Date();
  const lap = stopwatch();
  const { ownMachine, timing: before, ...steps } = await takeSteps(cell, context, lap);
  if (context.signal.aborted) {
    throw new PredictError('Interrupted: the run was ended, and finished cells are kept.', { kind: 'interrupted' });
  }
  const { run, collected } = steps;
  const outcome = await judgeCell(cell, context, steps);
  const made = await makeOfOutputs(cell, context, { ...steps, outcome, startedAt });
  const collectMs = lap();
  const { startMs = 0, throttleMs, workloadMs } = before;
  const timing = { ...before, collectMs, totalMs: startMs + throttleMs + workloadMs + collectMs };
  const bare = recordOf(cell, context, { ...steps, outcome, ownMachine, made, startedAt, timing });
  const share =
    made.phases === undefined || !outcome.ok ? {} : communicationSummary(made.phases, bare, context.workload);
  const record = { ...bare, summary: { ...bare.summary, ...share } };
  const printed = printedBy(run);
  const valid = recordSchema.safeParse(record);
  if (!valid.success) throw new OutputFault(`The run cannot be recorded${issueOf(valid.error)}.`, printed);
  const { phases, messages, stacks } = made;
  const { dagFolder } = run;
  return { record, ...printed, samples: collected.samples.texts, phases, messages, stacks: stacks?.table, dagFolder };
}

type Made = Awaited<ReturnType<typeof makeOfOutputs>>;

/**
 * How the program's run ended. Errors: `OutputFault` where the run is invalid and another try may be valid, `Unmendable` where none
 * can be.
 */
async function judgeCell(
  cell: Cell,
  context: CellContext,
  { prepared: { hosts, level }, run, collected: { after, samples, files, resultFile } }: Steps,
): Promise<RunResult> {
  const { cluster, workload, links } = context;
  const output = printedBy(run);
  if (run.givenUp !== null) throw new OutputFault(run.givenUp, output);
  const { rateBps, latencyMs, states: before } = level;
  const parsed = parseOutputs(cell, context, { run, files });
  // A harness that ends well may not have run anything.
  const hasRun = workload.launch === 'ranks' ? run.result.exitCode === 0 : parsed.ok;
  const { beside } = cluster.inventory.network;
  const doubt = judgeRun({ rateBps, latencyMs, before, after, communicates: cell.nodes > 1 && hasRun, beside });
  if (doubt !== null) links.doubt();
  if (workload.launch === 'ranks') {
    const ranks = { inventory: cluster.inventory, ranksPerNode: cell.ranks / cell.nodes, hasEnded: hasRun };
    const others = ranksDoubt(samples.seen, ranks);
    if (others !== null) throw new OutputFault(others, output);
  }
  // What ended the job comes first: a link may look odd because of it.
  const killsBefore = new Map(
    samples.seen.flatMap(({ host, oomKills }) => (oomKills === null ? [] : [[host, oomKills]])),
  );
  const { launch: launched } = workload;
  const [program = ''] = run.invocation.argv;
  const fault = await jobFault(cluster, hosts, { result: run.result, killsBefore, program, launched });
  if (fault?.final) throw new Unmendable(fault.text, { kind: fault.final });
  const isOwn = context.isLastTry && (fault?.outgrew === true || fault?.maybeOwn === true);
  if (fault !== null && !isOwn) throw new OutputFault(fault.text, { host: fault.host, ...output });
  if (!parsed.ok && parsed.isSetup) throw new OutputFault(parsed.reason, output);
  if (doubt !== null) throw new OutputFault(`The run at ${cell.bw} % is invalid: ${doubt}.`, output);
  if (isOwn) return { ok: false, reason: fault.text, outputTail: parsed.ok ? [] : parsed.outputTail };
  return await validated(parsed, cell, { workload, resultFile });
}

/** What is made of outputs of the run: its trace, iterations that were counted in it, and stacks. */
async function makeOfOutputs(
  cell: Cell,
  { workload, note }: CellContext,
  {
    collected: { trace, files, recorded },
    outcome,
    startedAt,
  }: Steps & { readonly outcome: RunResult; readonly startedAt: Date },
) {
  const { iterationCall, timed } = workload;
  const counted = trace && iterationCall !== undefined ? countIterations(trace, iterationCall) : null;
  for (const warning of [...(trace?.warnings ?? []), ...(counted?.warnings ?? [])]) note?.(warning);
  // A program that died may have left half a trace, and hosts may say anything: neither may stop the sweep.
  const { phases, messages }: OutputFiles = traceProblem(files) === null ? files : {};
  const { profile, ranks } = cell;
  const stacks = profile && recorded ? await stacksOfRun(recorded, { profile, phases, timed, ranks, startedAt }) : null;
  const summary = { ...(outcome.ok ? outcome.summary : {}), ...trace?.summary, ...counted?.summary };
  return { phases, messages, stacks, summary };
}

function recordOf(
  cell: Cell,
  { cluster: { inventory }, probed }: CellContext,
  {
    prepared: { hosts, level, isProven },
    run: { result, command },
    collected: { after, samples },
    outcome,
    ownMachine,
    made,
    startedAt,
    timing,
  }: Steps & {
    readonly outcome: RunResult;
    readonly ownMachine: Taken['ownMachine'];
    readonly made: Made;
    readonly startedAt: Date;
    readonly timing: CellRecord['timing'];
  },
): CellRecord {
  const proof = {
    bw: cell.bw,
    rateBps: level.rateBps ?? inventory.lineRate,
    ...(level.latencyMs > 0 && { latencyMs: level.latencyMs }),
    probes: level.probes,
    classes: hosts.flatMap(({ name }) => {
      const [start, end] = [level.states.get(name), after.get(name)];
      return start && end ? [...linkUse(name, start, end)] : [];
    }),
  };
  const marks = marksOfRun({
    ...{ proof, lineRate: inventory.lineRate, hz: inventory.sampling.hz, accept: inventory.accept },
    ...{ workloadS: timing.workloadMs / 1000, seen: samples.seen, ownMachine },
    isCut: result.stdoutFile !== undefined || result.stderrFile !== undefined,
  });
  return {
    cell,
    status: outcome.ok ? 'ok' : 'failed',
    reason: outcome.ok ? null : outcome.reason,
    outputTail: outcome.ok ? [] : outcome.outputTail,
    exitCode: result.exitCode,
    command,
    hosts: hosts.map(({ name }) => name),
    startedAt: startedAt.toISOString(),
    timing,
    summary: made.summary,
    proof: isProven ? proof : null,
    runs: outcome.ok ? outcome.runs : [],
    clocks: hosts.flatMap(({ name }) => {
      const one = probed.get(name);
      return one ? [{ host: name, offsetNs: one.clockOffsetNs, errorNs: one.clockErrorNs }] : [];
    }),
    samplers: samples.costs,
    marks: [...marks, ...(made.stacks?.marks ?? [])],
  };
}

/** How the program ended by what it left, and by how it was ended. */
function parseOutputs(
  { ranks }: Cell,
  { workload, timeoutMs }: CellContext,
  { run: { result, watched }, files }: { readonly run: LaunchedRun; readonly files: OutputFiles },
): RunResult {
  const { exitCode, stdout, stderr, stdoutFile, stderrFile, timedOut, printedTooMuch } = result;
  const isWhole = stdoutFile === undefined && stderrFile === undefined;
  const outcome = workload.parse({ exitCode, stdout, stderr, files, isWhole, ranks, ...(watched && { watched }) });
  if (!timedOut && !printedTooMuch) return outcome;
  const outputTail = outcome.ok ? [] : outcome.outputTail;
  const why = timedOut
    ? `took longer than ${timeoutMs / 1000} s`
    : `printed more than ${Math.round(MOST_OUTPUT_BYTES / 2 ** 20)} MiB`;
  return { ok: false, reason: `The run ${why} and was ended.`, outputTail };
}

/** What a run computed is part of whether it worked. */
async function validated(
  parsed: RunResult,
  cell: Cell,
  { workload, resultFile }: { readonly workload: Workload; readonly resultFile: string | null },
): Promise<RunResult> {
  if (!parsed.ok || workload.validate === null) return parsed;
  const { reason, summary } = await workload.validate(cell, resultFile);
  return reason === null
    ? { ...parsed, summary: { ...parsed.summary, ...summary } }
    : { ok: false, reason, outputTail: [] };
}

/** Milliseconds since the last lap, or the start. */
function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const before = last;
    last = performance.now();
    return Math.round(last - before);
  };
}

/** What to say about anything thrown while a cell ran. */
export function faultOutput(error: unknown): Printed & { readonly reason: string; readonly host: string | undefined } {
  const printed: Partial<Printed> = error instanceof OutputFault ? error : {};
  const { stdout = '', stderr = '', stdoutFile, stderrFile } = printed;
  const host = error instanceof PredictError ? error.host : undefined;
  return { reason: messageOf(error), host, stdout, stderr, stdoutFile, stderrFile };
}

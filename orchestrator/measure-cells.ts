import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { messageOf, PredictError, unwritable } from '../base/errors.ts';
import { likeness } from '../base/text.ts';
import { asSeconds } from '../base/units.ts';
import type { Cell, CellRecord } from '../experiments/records.ts';
import type { Campaign } from '../experiments/store/campaign.ts';
import type { SweepNews } from '../experiments/store/campaign-events.ts';
import { cellFolder } from '../experiments/store/campaign-folders.ts';
import { readDoneCells } from '../experiments/store/cells.ts';
import { contentHash } from '../experiments/store/digest.ts';
import { openCampaign } from '../experiments/store/open-campaign.ts';
import { type CellOutput, writeAttempt, writeCell } from '../experiments/store/write-cell.ts';
import { type Host, withHead } from '../inventory/inventory-schema.ts';
import type { CellContext } from './cell/cell-context.ts';
import { faultOutput, runCell } from './cell/run-cell.ts';
import type { Ending } from './ending.ts';
import type { HostLocks } from './hosts/controller-lock.ts';
import { OutputFault } from './hosts/executor.ts';
import type { ProbedHost } from './hosts/facts.ts';
import type { LostHosts } from './hosts/lost-hosts.ts';
import type { Job } from './job.ts';
import { ATTEMPTS, CellWork } from './queue/run-queue.ts';
import { expectedS } from './slurm/job-term.ts';

/** Beside the cells, so that what is in it can be moved into one; its name is one that a later sweep removes. */
const LONG_OUTPUT = '.output.partial';

/** A cell without a result, and the folder with all that was printed. */
export interface Failure {
  readonly id: string;
  readonly reason: string;
  readonly folder: string;
}

/** What a locked set of hosts and its campaign give to measure cells with. */
export interface Site extends Pick<CellContext, 'cluster' | 'links' | 'jobs' | 'datasets'> {
  readonly campaign: Campaign;
  readonly probed: readonly ProbedHost[];
  readonly locks: HostLocks;
  readonly lost: LostHosts;
  readonly ending: Ending;
  /** Of what the workload keeps on the hosts between runs, removes that of other scales. */
  readonly keepCacheOf: (scale: number) => Promise<void>;
}

/** Runs every cell that the store does not have, each until it is measured or given up; returns those that were given up. */
export async function measureCells(job: Job, site: Site): Promise<Failure[]> {
  const { inventory, redis, out, cells, signal, tell, term } = job;
  const ids = cells.map(({ id }) => id);
  const finished = await readDoneCells(out);
  tell({ kind: 'sweep-begun', planned: ids, done: ids.filter((id) => finished.has(id)) });
  const note = (text: string): void => tell({ kind: 'note', text });
  const attempts = new Map<string, string>();
  const trials: Trials = {
    ...{ job, site, attempts },
    // By these the time of a cell is judged that must end before its job.
    known: term ? [...(await openCampaign(out)).records] : [],
    failures: new FailedAlike([...finished.values()].includes('ok')),
  };
  const work = new CellWork({
    redis,
    // Only a sweep of the same cells goes on with a queue: what another sweep of the campaign queued is not in this plan.
    name: `predict-${inventory.cluster}-${site.campaign.createdAt.replaceAll(':', '')}-${contentHash(ids)}`,
    plan: cells,
    done: finished,
    signal,
    isDone: async ({ id }) => (await readDoneCells(out, { only: id })).has(id),
    run: (cell, attempt) => tryCell(cell, attempt, trials),
    onRetry: ({ id }, attempt, reason) => tell({ kind: 'cell-retried', id, attempt, reason }),
    onGivenUp: ({ id }, reason) => tell({ kind: 'cell-given-up', id, reason }),
    onUnknown: (id) => {
      const name = JSON.stringify(id.slice(0, 40));
      note(`the queue contained ${name}, which is not planned by this sweep: it was dropped.`);
    },
    onNote: note,
  });
  site.ending.add({ stage: 'queue', what: 'closing the queue', boundS: asSeconds(20), run: () => work.close() });
  const { unmeasured } = await work.run();
  await site.jobs.end();
  await work.close();
  return unmeasured.map(({ cell: { id }, reason }) => ({ id, reason, folder: attempts.get(id) ?? out }));
}

/** What the tries of a sweep's cells share. */
interface Trials {
  readonly job: Job;
  readonly site: Site;
  /** Records, this sweep's among them. */
  readonly known: CellRecord[];
  /** Folder of what was printed in the last try of a cell without a record. */
  readonly attempts: Map<string, string>;
  readonly failures: FailedAlike;
}

/** Measures a cell once, on locked hosts, and stores its record. */
async function tryCell(cell: Cell, attempt: number, trials: Trials): Promise<void> {
  const { job, site, known, failures } = trials;
  const { out, tell, term } = job;
  const needed = withHead(job.inventory, cell.nodes);
  await term?.admit(expectedS(cell, known));
  await site.lost.refuse(needed);
  tell({ kind: 'cell-started', id: cell.id, attempt });
  const outputFolder = join(out, 'cells', LONG_OUTPUT);
  try {
    // A connection that was lost took its lock with it.
    await site.locks.ensure(needed);
    // Graphs are large: only those of the scale at work stay on the hosts, those of all its node counts.
    await site.keepCacheOf(cell.scale);
    await mkdir(outputFolder, { recursive: true }).catch((error: unknown) => {
      throw unwritable(outputFolder, error);
    });
    const context = { ...contextOf(job, site), outputFolder, isLastTry: attempt >= ATTEMPTS };
    const { record, ...output } = await runCell(cell, context);
    const doubt = site.locks.doubt(needed);
    if (doubt !== null) throw new OutputFault(`The run is invalid: ${doubt}.`, output);
    await store(out, record, output);
    known.push(record);
    tell(finishedNews(record));
    failures.take(record, cellFolder(out, cell.id));
  } catch (error) {
    throw await judgeFault(error, { cell, attempt, needed }, trials);
  } finally {
    // Where that fails, the next sweep of the campaign removes it.
    await rm(outputFolder, { recursive: true, force: true }).catch(() => undefined);
  }
}

function contextOf(
  { workload, sweep: { seed }, cellTimeoutS, signal, tell }: Job,
  { cluster, links, jobs, datasets, probed }: Site,
): Omit<CellContext, 'outputFolder' | 'isLastTry'> {
  const note = (text: string): void => tell({ kind: 'note', text });
  const hosts = new Map(probed.map((host) => [host.host, host]));
  return {
    cluster,
    workload,
    seed,
    links,
    jobs,
    datasets,
    probed: hosts,
    timeoutMs: cellTimeoutS * 1000,
    signal,
    note,
  };
}

interface Try {
  readonly cell: Cell;
  readonly attempt: number;
  readonly needed: readonly Host[];
}

/** What a failed try fails with, once what it printed is kept: the end of the job and a lost host explain other errors. */
async function judgeFault(
  error: unknown,
  { cell, attempt, needed }: Try,
  { job: { out, signal, term }, site: { lost, links }, attempts }: Trials,
): Promise<unknown> {
  const kind = error instanceof PredictError ? error.kind : 'unexpected';
  if (!signal.aborted && kind !== 'unwritable') {
    const fault = faultOutput(error);
    attempts.set(cell.id, await writeAttempt(out, { cell, at: new Date().toISOString(), ...fault }));
  }
  // What fails with the whole job is no cell's fault.
  const over = signal.aborted ? null : await term?.whyOver();
  if (over) return over;
  // What fails may be one host's fault, which must not cost the cells on others.
  const silent = kind === 'infrastructure' ? await lost.find(needed) : null;
  for (const host of needed.filter((each) => lost.has(each))) links.leave(host);
  if (silent === null || attempt < ATTEMPTS) return error;
  lost.note(silent);
  return silent;
}

function finishedNews({ cell: { id }, status, reason, timing, runs, marks }: CellRecord): SweepNews {
  const medianS = runs.length === 0 ? null : median(runs.map(({ ct }) => ct));
  return {
    kind: 'cell-finished',
    id,
    status,
    reason,
    timing,
    runs: runs.length,
    medianS,
    marks: marks.map(({ text }) => text),
  };
}

/** A store that cannot be written will not get better by measuring again. */
async function store(out: string, record: CellRecord, output: CellOutput): Promise<void> {
  try {
    await writeCell(out, record, output);
  } catch (error) {
    if (!(error instanceof PredictError)) throw error;
    throw new PredictError(`The sweep stops: ${messageOf(error)}`, { kind: 'unwritable', cause: error });
  }
}

/** A limit that cells of other sizes or bandwidths may keep: such failures are results. */
const LIMITS = /took longer than|OOM killer/;

/**
 * Ends a sweep of which no run ever worked: two different cells that fail in the same way say that the others will too. `hasWorked`:
 * some cell of the campaign did.
 */
class FailedAlike {
  #hasWorked: boolean;
  readonly #known = new Map<string, string>();

  constructor(hasWorked: boolean) {
    this.#hasWorked = hasWorked;
  }

  /** Errors: `workload` at the second cell that failed like another one; `folder` is where its output is. */
  take({ cell, status, reason }: Pick<CellRecord, 'cell' | 'status' | 'reason'>, folder: string): void {
    this.#hasWorked ||= status === 'ok';
    if (this.#hasWorked || reason === null || LIMITS.test(reason)) return;
    const kind = likeness(reason);
    const before = this.#known.get(kind);
    this.#known.set(kind, cell.id);
    if (before === undefined || before === cell.id) return;
    throw new PredictError(
      `The sweep stops because no run succeeded and two cells failed in the same way: ${reason} Their output is in ${folder}. Rerun the same command to measure the other cells; remove the folders of these two to repeat them.`,
      { kind: 'workload' },
    );
  }
}

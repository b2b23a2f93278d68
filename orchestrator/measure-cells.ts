import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PredictError, unwritable } from '../base/errors.ts';
import { likeness } from '../base/text.ts';
import { asSeconds } from '../base/units.ts';
import type { Cell, CellRecord } from '../experiments/records.ts';
import type { Campaign } from '../experiments/store/campaign.ts';
import { finishedNews, provedNews } from '../experiments/store/campaign-events.ts';
import { cellFolder } from '../experiments/store/campaign-folders.ts';
import { readDoneCells } from '../experiments/store/cells.ts';
import { contentHash } from '../experiments/store/digest.ts';
import { openCampaign } from '../experiments/store/open-campaign.ts';
import { type CellOutput, writeAttempt, writeCell } from '../experiments/store/write-cell.ts';
import type { CellContext } from './cell/cell-context.ts';
import { type CellRun, faultOutput, runCell } from './cell/run-cell.ts';
import type { Ending } from './ending.ts';
import type { HostGroup, HostGroups } from './host-groups.ts';
import type { HostLocks } from './hosts/controller-lock.ts';
import { OutputFault } from './hosts/executor.ts';
import type { ProbedHost } from './hosts/facts.ts';
import type { LostHosts } from './hosts/lost-hosts.ts';
import { compareBeside, type ParallelSizes } from './in-parallel.ts';
import type { Job } from './job.ts';
import { CellWork } from './queue/run-queue.ts';
import { ATTEMPTS } from './queue/work-off.ts';
import { expectedS } from './schedulers/job-term.ts';

/** A cell without a result, and the folder with all that was printed. */
export interface Failure {
  readonly id: string;
  readonly reason: string;
  readonly folder: string;
}

/** What a locked set of hosts and its campaign give to measure cells with. */
export interface Site extends Pick<CellContext, 'cluster' | 'datasets'> {
  readonly groups: HostGroups;
  /** Undefined where one run goes at a time. */
  readonly sizes: ParallelSizes | undefined;
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
    ...{ job, site, attempts, left: new Map(cells.map((cell) => [cell.id, cell])) },
    // By these the time of a cell is judged that must end before its job.
    known: term ? [...(await openCampaign(out)).records] : [],
    failures: new FailedAlike([...finished.values()].includes('ok')),
  };
  for (const id of finished.keys()) trials.left.delete(id);
  const work = new CellWork<HostGroup>({
    redis,
    cells: job.cellsOf,
    // Only a sweep of the same cells goes on with a queue: what another sweep of the campaign queued is not in this plan.
    name: `predict-${inventory.cluster}-${site.campaign.createdAt.replaceAll(':', '')}-${contentHash(ids)}`,
    plan: site.sizes?.inOrder(cells, finished) ?? cells,
    done: finished,
    signal,
    places: site.groups,
    isDone: async ({ id }) => (await readDoneCells(out, { only: id })).has(id),
    run: async (cell, attempt, group) => {
      const record = await tryCell(cell, { attempt, group }, trials);
      const { sizes } = site;
      if (sizes?.isOpen(cell.nodes)) {
        const left = [...trials.left.values()];
        const measureCopy = (copy: Cell, own: HostGroup): Promise<CellRecord> =>
          measureOn(copy, { attempt: 1, group: own }, trials, async (run) => run.record);
        await compareBeside(record, group, { ...site, job, sizes, left, measureCopy });
      }
    },
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
  await site.groups.endJobs();
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
  /** What is not measured yet. */
  readonly left: Map<string, Cell>;
}

interface Attempt {
  readonly attempt: number;
  readonly group: HostGroup;
}

/** Measures a cell once, on locked hosts, and stores its record. */
async function tryCell(cell: Cell, { attempt, group }: Attempt, trials: Trials): Promise<CellRecord> {
  const { job, site, known, failures } = trials;
  const { out, tell, term } = job;
  const needed = group.needed(cell.nodes);
  await term?.admit(expectedS(cell, known));
  await site.lost.refuse(needed);
  tell({ kind: 'cell-started', id: cell.id, attempt });
  try {
    return await measureOn(cell, { attempt, group }, trials, async ({ record, ...output }) => {
      await store(out, record, output);
      known.push(record);
      trials.left.delete(cell.id);
      tell(finishedNews(record));
      failures.take(record, cellFolder(out, cell.id));
      return record;
    });
  } catch (error) {
    throw await judgeFault(error, { cell, attempt, group }, trials);
  }
}

/** Measures a cell once on the hosts of a group, and does `task` while its long outputs are there. */
async function measureOn<T>(
  cell: Cell,
  { attempt, group }: Attempt,
  { job, site }: Trials,
  task: (run: CellRun) => Promise<T>,
): Promise<T> {
  const needed = group.needed(cell.nodes);
  // Beside the cells, so that what is in it can be moved into one; its name is one that a later sweep removes.
  const outputFolder = join(job.out, 'cells', `.output-${cell.id}.partial`);
  try {
    // A connection that was lost took its lock with it.
    await site.locks.ensure(needed);
    // Graphs are large: only those of the scale at work stay on the hosts, those of all its node counts.
    await site.keepCacheOf(cell.scale);
    await mkdir(outputFolder, { recursive: true }).catch((error: unknown) => {
      throw unwritable(outputFolder, error);
    });
    const run = await runCell(cell, { ...contextOf(job, site, group), outputFolder, isLastTry: attempt >= ATTEMPTS });
    const { record: _, ...output } = run;
    const doubt = site.locks.doubt(needed);
    if (doubt !== null) throw new OutputFault(`The run is invalid: ${doubt}.`, output);
    return await task(run);
  } finally {
    // Where that fails, the next sweep of the campaign removes it.
    await rm(outputFolder, { recursive: true, force: true }).catch(() => undefined);
  }
}

function contextOf(
  { workload, sweep: { seed }, cellTimeoutS, signal, tell }: Job,
  { cluster: { inventory }, datasets, probed }: Site,
  { cluster, hosts: own, links, jobs }: HostGroup,
): Omit<CellContext, 'outputFolder' | 'isLastTry'> {
  const note = (text: string): void => tell({ kind: 'note', text });
  const hosts = new Map(probed.map((host) => [host.host, host]));
  const beside = inventory.hosts.filter(({ name }) => !own.some((host) => host.name === name));
  return {
    cluster,
    workload,
    seed,
    links,
    jobs,
    datasets,
    beside,
    probed: hosts,
    timeoutMs: cellTimeoutS * 1000,
    signal,
    note,
    onLevel: (cell, level, isNew) => tell(provedNews(cell, level, isNew)),
  };
}

/** What a failed try fails with, once what it printed is kept: the end of the job and a lost host explain other errors. */
async function judgeFault(
  error: unknown,
  { cell, attempt, group }: Attempt & { readonly cell: Cell },
  { job: { out, signal, term }, site: { lost, groups }, attempts }: Trials,
): Promise<unknown> {
  const needed = group.needed(cell.nodes);
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
  for (const host of needed.filter((each) => lost.has(each))) group.links.leave(host);
  if (silent === null || (attempt < ATTEMPTS && !groups.hasOthersFor(cell))) return error;
  lost.note(silent);
  return silent;
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

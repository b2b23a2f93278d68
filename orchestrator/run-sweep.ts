import { basename, resolve } from 'node:path';
import { badInput, infrastructure, messageOf, PredictError } from '../base/errors.ts';
import { sameOfHosts } from '../base/text.ts';
import { asSeconds } from '../base/units.ts';
import { latencyOf } from '../experiments/latency.ts';
import { plan } from '../experiments/plan.ts';
import type { Cell } from '../experiments/records.ts';
import type { Campaign } from '../experiments/store/campaign.ts';
import { readInParallel } from '../experiments/store/campaign-events.ts';
import { cellFolder } from '../experiments/store/campaign-folders.ts';
import { readDoneCells, readRecord } from '../experiments/store/cells.ts';
import type { Workload } from '../experiments/workloads/workload.ts';
import { type Host, withHead } from '../inventory/inventory-schema.ts';
import { areRootless } from '../inventory/lab/spec.ts';
import { Ending } from './ending.ts';
import { HostGroups, mayGoInParallel } from './host-groups.ts';
import { checkLauncher, checkProgram, programOnHosts } from './hosts/check-program.ts';
import { Cluster } from './hosts/cluster.ts';
import { controllerName, lockHosts } from './hosts/controller-lock.ts';
import { provideDatasets } from './hosts/datasets.ts';
import { deployPrograms } from './hosts/deployment.ts';
import { LostHosts } from './hosts/lost-hosts.ts';
import { provideRecorder } from './hosts/mpi-recorder.ts';
import { provideEnd } from './hosts/preloaded-library.ts';
import { stacksProblem } from './hosts/stack-recorder.ts';
import { requireNetem } from './hosts/throttle-hosts.ts';
import { ParallelSizes } from './in-parallel.ts';
import { announcer, type Job, type SweepOptions } from './job.ts';
import { type Failure, measureCells, type Site } from './measure-cells.ts';
import { moreVisits } from './more-visits.ts';
import { extendCampaign, prepareCampaign } from './prepare-campaign.ts';
import { mayRunAtOnce } from './probe-switch.ts';
import { hasLinkRate, LinkSteps } from './schedulers/link-steps.ts';

export interface SweepResult {
  readonly campaign: Campaign;
  readonly out: string;
  readonly planned: number;
  readonly done: number;
  readonly failed: readonly Failure[];
  /** Given up after all their tries; what else is missing was not tried. */
  readonly unmeasured: readonly Failure[];
}

/** Said once a sweep, and by `inventory check`. */
export const AS_ROOT =
  'Programs run as root on the hosts, because ssh.user is root. Better use an unprivileged user and the rules of `predict inventory init --sudoers` (docs/security.md).';

export const cellsText = (count: number): string => `${count} ${count === 1 ? 'cell' : 'cells'}`;

/** `2 cells could not be measured and 5 were not tried`: what is missing at the end of a sweep. */
export function missingText({ planned, done, unmeasured }: Omit<SweepResult, 'campaign'>): string {
  const untried = planned - done - unmeasured.length;
  const tried = unmeasured.length === 0 ? [] : [`${cellsText(unmeasured.length)} could not be measured`];
  const rest = unmeasured.length === 0 ? cellsText(untried) : String(untried);
  return [...tried, ...(untried > 0 ? [`${rest} ${untried === 1 ? 'was' : 'were'} not tried`] : [])].join(' and ');
}

/** The cells of a sweep on this inventory; bad node counts are refused here, before anything is touched. */
export function planSweep({
  sweep,
  workload,
  inventory,
  cells,
}: Pick<SweepOptions, 'sweep' | 'workload' | 'inventory' | 'cells'>): readonly Cell[] {
  const { queue } = inventory.network;
  if (queue !== 'fair' && (sweep.latency ?? []).some((ms) => ms > 0)) {
    throw badInput(`--latency: latency is added to fair queues only, but network.queue in the inventory is ${queue}.`);
  }
  return cells ?? plan(sweep, { workload, ranksPerNode: inventory.ranksPerNode, hosts: inventory.hosts.length });
}

/** Measures every cell that has no record yet. Links are released and hosts unlocked however it ends. */
export async function runSweep(options: SweepOptions): Promise<SweepResult> {
  const out = resolve(options.out);
  const cells = planSweep(options);
  const tell = announcer(out, options.onEvent);
  const note = (text: string): void => tell({ kind: 'note', text });
  const ending = new Ending(note);
  // The last thing: as long as this sweep says what happens, no other one may.
  const unlocking = new Ending(note);
  try {
    const result = await onLockedHosts({ ...options, out, cells, tell }, { ending, unlocking }).finally(() =>
      ending.run(),
    );
    const missing = result.planned - result.done;
    const reason = `${missingText(result)}. ${result.unmeasured[0]?.reason ?? ''}`.trimEnd();
    tell({
      kind: 'sweep-ended',
      ...(missing === 0 ? { how: 'complete', reason: null } : { how: 'incomplete', reason }),
    });
    return result;
  } catch (thrown) {
    const error = await ofTerm(thrown, options);
    const interrupted = error instanceof PredictError && ['interrupted', 'unfinished'].includes(error.kind);
    tell({ kind: 'sweep-ended', how: interrupted ? 'interrupted' : 'failed', reason: messageOf(error) });
    throw error;
  } finally {
    await unlocking.run();
  }
}

/** What fails with the whole job, or is stopped by its end, is said of the job. */
async function ofTerm(error: unknown, { term }: SweepOptions): Promise<unknown> {
  const mayBe = error instanceof PredictError && ['interrupted', 'infrastructure'].includes(error.kind);
  return (mayBe ? await term?.whyOver() : null) ?? error;
}

/** What is undone when a sweep ends, and after that. */
interface Endings {
  readonly ending: Ending;
  readonly unlocking: Ending;
}

async function onLockedHosts(asked: Job, endings: Endings): Promise<SweepResult> {
  const began = performance.now();
  const reached = await reachHosts(asked, endings.ending);
  const { job } = reached;
  const site = await prepareSite(reached, endings);
  await requireLaunchable(reached);
  const unmeasured = [...(await measureCells(job, site))];
  // Profiled runs are visited once.
  const planned = job.cells.filter(({ role }) => role !== 'profile');
  const cells = [...planned];
  // What could not be measured once is not tried again here.
  while (unmeasured.length === 0) {
    const elapsedS = (performance.now() - began) / 1000;
    const more = await moreVisits({ ...job, cells, planned: planned.length, elapsedS });
    if (more.cells.length === 0) {
      if (more.why !== '') job.tell({ kind: 'note', text: more.why });
      break;
    }
    cells.push(...more.cells);
    job.tell({ kind: 'visits-added', cells: [...more.cells], why: more.why });
    const added = { ...job, cells: more.cells };
    await extendCampaign(added, site);
    unmeasured.push(...(await measureCells(added, site)));
  }
  const profiled = job.cells.filter(({ role }) => role === 'profile');
  return await outcome({ ...job, cells: [...cells, ...profiled] }, { campaign: site.campaign, unmeasured });
}

/** Hosts that have what a sweep needs on them. */
interface Reached {
  /** As far as these hosts let it be done. */
  readonly job: Job;
  readonly cluster: Cluster;
  readonly hosts: readonly Host[];
  /** With the head. */
  readonly everyone: readonly Host[];
  readonly datasets: Awaited<ReturnType<typeof provideDatasets>>;
}

async function reachHosts(asked: Job, ending: Ending): Promise<Reached> {
  const { inventory, workload } = asked;
  const most = Math.max(...asked.cells.map(({ nodes }) => nodes));
  const used = mayGoInParallel(inventory) ? mostAtOnce(asked) : most;
  const [hosts, everyone] = [inventory.hosts.slice(0, used), withHead(inventory, used)];
  const cluster = new Cluster({ ...inventory, hosts }, asked.open);
  ending.add({ stage: 'connections', what: 'closing connections', boundS: asSeconds(5), run: () => cluster.close() });
  // Links that nobody changes are read without root, and SLURM may have a plugin that throttles them.
  const isLate = asked.cells.some((cell) => latencyOf(cell) > 0);
  const allFree = !isLate && asked.cells.every(({ bw }) => bw === 100);
  const orAsUser = allFree || (inventory.job?.scheduler === 'slurm' && (await hasLinkRate(cluster)));
  await deployPrograms(cluster, everyone, { programs: asked.programs, wanted: workload.programs, orAsUser });
  if (isLate) await requireNetem(cluster, hosts);
  const job = await withoutProfilesWhereForbidden(asked, { cluster, hosts });
  const asUser = everyone.filter(({ name }) => cluster.isUnprivileged(name)).length;
  if (asUser > 0) {
    const where = asUser === everyone.length ? 'the hosts' : `${asUser} of ${everyone.length} hosts`;
    const how = allFree ? 'links are only read, not throttled' : "links are throttled by SLURM's --link-rate";
    const text = `nothing runs as root on ${where}: ${how}, and only controllers of the same user are locked out.`;
    job.tell({ kind: 'note', text });
    if (isLate)
      throw infrastructure("SLURM's --link-rate adds no latency: leave out --latency, or let predict run as root.");
    if (!allFree) cluster.throttler = new LinkSteps(cluster);
  }
  const lacksEnd = workload.launch === 'ranks' ? await provideEnd(cluster, everyone) : null;
  if (lacksEnd !== null) job.tell({ kind: 'note', text: lacksEnd });
  if (workload.recorder !== null) await provideRecorder(cluster, everyone);
  return { job, cluster, hosts, everyone, datasets: await provideDatasets(cluster, hosts, workload.datasets) };
}

/** No more hosts than all of a sweep's runs have. */
function mostAtOnce({ inventory, cells }: Job): number {
  return Math.min(
    inventory.hosts.length,
    cells.reduce((sum, { nodes }) => sum + nodes, 0),
  );
}

/** Locks hosts and campaign for this sweep, and says how all of it is undone. */
async function prepareSite(
  { job, cluster, hosts, everyone, datasets }: Reached,
  { ending, unlocking }: Endings,
): Promise<Site> {
  const owner = controllerName(`sweep ${basename(job.out)}`);
  const locks = await lockHosts(cluster, everyone, owner);
  ending.add({ stage: 'locks', what: 'unlocking the hosts', boundS: asSeconds(10), run: () => locks.release() });
  const isWide = job.slots !== 1 && cluster.throttler === undefined && (await mayRunAtOnce(job, { cluster, hosts }));
  const sizes = isWide ? new ParallelSizes(hosts.length, readInParallel(job.out)) : undefined;
  // Each group has a head of its own where the inventory names none.
  const lost = new LostHosts(cluster, isWide && job.inventory.mpi.head === undefined ? { head: null } : {});
  const { workload } = job;
  const lease = { seconds: job.leaseS, owner };
  const groups = new HostGroups(cluster, {
    ...{ lease, workload, lost, mayBeParallel: sizes?.mayBeParallel, most: job.slots },
  });
  ending.add({ stage: 'workload', what: 'ending a run', boundS: asSeconds(20), run: () => groups.dropJobs() });
  ending.add({
    stage: 'links',
    what: 'restoring the links (an unreachable host restores its own when the lease ends)',
    boundS: asSeconds(30),
    run: () => groups.releaseLinks(),
  });
  const { cacheFolder } = workload;
  const removeCache = async (): Promise<void> => {
    const from = hosts.filter((host) => !lost.has(host));
    if (cacheFolder !== null) await cluster.remove(from, cacheFolder);
  };
  let cached: number | null = null;
  const keepCacheOf = async (scale: number): Promise<void> => {
    if (cached !== scale) await removeCache();
    cached = scale;
  };
  ending.add({
    stage: 'workload',
    what: 'removing the files of the workload from the hosts',
    boundS: asSeconds(20),
    run: removeCache,
  });
  const { campaign, probed, lock } = await prepareCampaign(job, { cluster, hosts, owner });
  const what = 'unlocking the campaign';
  unlocking.add({ stage: 'locks', what, boundS: asSeconds(5), run: () => lock.release() });
  const isRoot = everyone.some(({ name }) => cluster.account(name).uid === 0);
  if (isRoot && !areRootless(job.inventory)) job.tell({ kind: 'note', text: AS_ROOT });
  return { cluster, campaign, probed, lost, locks, ending, groups, sizes, datasets, keepCacheOf };
}

/** Errors, where anything is left to be measured: `infrastructure` for hosts that lack something, those of `checkLauncher`. */
async function requireLaunchable({ job, cluster, hosts }: Reached): Promise<void> {
  const { workload, signal } = job;
  const states = await readDoneCells(job.out);
  if (workload.launch !== 'ranks' || job.cells.every(({ id }) => states.has(id))) return;
  const { ranks, nodes } = job.cells.reduce((most, cell) => (cell.nodes > most.nodes ? cell : most));
  const problems = await findProgramProblems(cluster, hosts, workload);
  if (problems.length > 0) throw infrastructure(problems.join('\n'));
  const waitMs = job.cellTimeoutS * 1000;
  await checkLauncher(cluster, hosts, { ranksPerNode: ranks / nodes, signal, waitMs });
}

/** Where stacks cannot be recorded, the measurements are made all the same. */
async function withoutProfilesWhereForbidden(
  job: Job,
  { cluster, hosts }: { readonly cluster: Cluster; readonly hosts: readonly Host[] },
): Promise<Job> {
  const { profile } = job.sweep;
  const problem = profile === undefined ? null : await stacksProblem(cluster, hosts, profile);
  if (problem === null) return job;
  job.tell({ kind: 'note', text: `no call stacks are recorded, and the sweep continues without them: ${problem}.` });
  const { profile: _, ...sweep } = job.sweep;
  return { ...job, sweep, cells: job.cells.filter(({ role }) => role !== 'profile') };
}

/** What hosts lack for a workload's program, a sentence each. */
export async function findProgramProblems(
  cluster: Cluster,
  hosts: readonly Host[],
  workload: Workload,
): Promise<readonly string[]> {
  const program = programOnHosts(cluster, workload);
  const problems = program === null ? [] : [...(await checkProgram(cluster, hosts, program))];
  return sameOfHosts(problems.map(([host, problem]) => ({ host, message: `${host}: ${problem}` })));
}

/** What became of planned cells, by their campaign's folder. */
export async function outcome(
  { out, cells }: Pick<Job, 'out' | 'cells'>,
  rest: Pick<SweepResult, 'campaign' | 'unmeasured'>,
): Promise<SweepResult> {
  const states = await readDoneCells(out);
  const ids = cells.map(({ id }) => id);
  const failed = ids.filter((id) => states.get(id) === 'failed');
  return {
    ...rest,
    out,
    planned: ids.length,
    done: ids.filter((id) => states.has(id)).length,
    failed: await Promise.all(
      failed.map(async (id) => {
        return { id, reason: (await readRecord(out, id)).reason ?? '', folder: cellFolder(out, id) };
      }),
    ),
  };
}

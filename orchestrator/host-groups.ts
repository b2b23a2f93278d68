import { startOf } from '../experiments/plan.ts';
import type { Cell } from '../experiments/records.ts';
import type { Workload } from '../experiments/workloads/workload.ts';
import { type Host, type Inventory, withHead } from '../inventory/inventory-schema.ts';
import type { Lease } from '../throttle/link-command.ts';
import { JobKeeper, servedByOrders } from './cell/job-keeper.ts';
import { LinkKeeper } from './cell/link-keeper.ts';
import type { Cluster } from './hosts/cluster.ts';
import type { LostHosts } from './hosts/lost-hosts.ts';
import { LAUNCHERS } from './launchers/launchers.ts';
import type { MeasuringPlace, MeasuringPlaces } from './queue/queue.ts';

/** Hosts on which one run at a time goes, with links and a waiting run of their own. */
export class HostGroup implements MeasuringPlace {
  /** These hosts alone; the first starts runs where the inventory names no head. */
  readonly cluster: Cluster;
  readonly links: LinkKeeper;
  readonly jobs = new JobKeeper();
  /** What its run was started for, where that serves several cells. */
  start: string | null = null;
  #tasks = 0;
  #last: Promise<unknown> = Promise.resolve();
  readonly #onEnd: () => void;

  constructor(cluster: Cluster, lease: Lease, onEnd: () => void) {
    this.cluster = cluster;
    this.links = new LinkKeeper(cluster, { lease });
    this.#onEnd = onEnd;
  }

  get hosts(): readonly Host[] {
    return this.cluster.inventory.hosts;
  }

  /** Where a run of so many nodes takes place, with the host that starts it. */
  needed(nodes: number): readonly Host[] {
    return withHead(this.cluster.inventory, nodes);
  }

  get isIdle(): boolean {
    return this.#tasks === 0;
  }

  inTurn(task: () => Promise<void>): Promise<void> {
    this.#tasks += 1;
    const turn = this.#last.then(task).finally(() => {
      this.#tasks -= 1;
      this.#onEnd();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** Whether runs on different hosts may go at once: not where one host has a part in all of them, as a scheduler's steps or a head that computes. */
export function mayGoInParallel({ network, mpi, hosts, job }: Inventory): boolean {
  const headComputes = hosts.some(({ name }) => name === mpi.head?.name);
  return (
    network.blocking !== true && !LAUNCHERS[mpi.launcher].startsSteps && job?.scheduler !== 'slurm' && !headComputes
  );
}

interface GroupOptions {
  readonly lease: Lease;
  readonly workload: Workload;
  readonly lost: LostHosts;
  /** Whether runs of so many nodes may go beside others; undefined where every run has all hosts to itself. */
  readonly mayBeParallel?: ((nodes: number) => boolean) | undefined;
  /** Most runs at once; any number by default. */
  readonly most?: number | undefined;
}

/**
 * The hosts of a sweep in groups, each as large as its run. A cell gets the group that has its waiting run, an idle one of its size, or
 * one of hosts that are free; it has all to itself where its size may not go beside others. Without `mayBeParallel` there is one group.
 */
export class HostGroups implements MeasuringPlaces<HostGroup> {
  readonly #cluster: Cluster;
  readonly #options: GroupOptions;
  #groups: HostGroup[] = [];
  /** All that ever were: what they throttled is theirs to restore. */
  readonly #made: HostGroup[] = [];
  #alone: HostGroup | undefined;
  #scale: number | undefined;
  #waiting: (() => void)[] = [];

  /** `cluster` has the hosts of the sweep. */
  constructor(cluster: Cluster, options: GroupOptions) {
    this.#cluster = cluster;
    this.#options = options;
    if (options.mayBeParallel === undefined) this.#make(cluster);
  }

  async ready(): Promise<void> {
    while (!this.#hasRoom()) await this.#change();
  }

  async enter(cell: Cell): Promise<HostGroup> {
    const { mayBeParallel, workload } = this.#options;
    const cluster = this.#cluster;
    for (;;) {
      const changed = this.#change();
      const isAlone = mayBeParallel?.(cell.nodes) !== true;
      // Of what hosts keep of a problem, that of one scale has room.
      const waits = isAlone || cell.scale !== this.#scale;
      const group = waits && !this.#isQuiet() ? null : await this.#find(cell);
      if (group !== null) {
        group.start = servedByOrders(cell, { cluster, workload }) ? startOf(cell) : null;
        this.#alone = isAlone ? group : undefined;
        this.#scale = cell.scale;
        return group;
      }
      await changed;
    }
  }

  hasOthersFor({ nodes }: Cell): boolean {
    return this.#options.mayBeParallel !== undefined && this.#living().length >= nodes;
  }

  /** While a cell has all hosts to itself: its group, and as many others of its size as there are hosts for. */
  async groupsLike(group: HostGroup): Promise<readonly HostGroup[]> {
    await this.#keepOnly((each) => each === group);
    const nodes = group.hosts.length;
    const { most = Number.POSITIVE_INFINITY } = this.#options;
    for (let free = this.#free(); free.length >= nodes && this.#groups.length < most; free = this.#free())
      this.#make(this.#part(free, nodes));
    return this.#groups;
  }

  /** Ends runs that wait. */
  async endJobs(): Promise<void> {
    await Promise.all(this.#groups.map(({ jobs }) => jobs.end()));
  }

  /** Ends runs at once. */
  async dropJobs(): Promise<void> {
    await Promise.all(this.#made.map(({ jobs }) => jobs.drop()));
  }

  /** Restores all links; none is throttled afterwards. */
  async releaseLinks(): Promise<void> {
    await Promise.all(this.#made.map(({ links }) => links.release()));
  }

  #hasRoom(): boolean {
    if (this.#options.mayBeParallel === undefined || this.#alone?.isIdle === false) return this.#isQuiet();
    const busy = this.#groups.filter(({ isIdle }) => !isIdle);
    if (busy.length >= (this.#options.most ?? Number.POSITIVE_INFINITY)) return false;
    return busy.flatMap(({ hosts }) => hosts).length < this.#living().length;
  }

  #isQuiet(): boolean {
    return this.#groups.every(({ isIdle }) => isIdle);
  }

  /** Null where others must end first. */
  async #find(cell: Cell): Promise<HostGroup | null> {
    const { mayBeParallel, workload } = this.#options;
    if (mayBeParallel === undefined) return this.#groups[0] ?? null;
    const whole = (group: HostGroup): boolean => group.hosts.every((host) => this.#isUsable(host, cell.nodes));
    const like = this.#groups.filter((group) => group.hosts.length === cell.nodes && whole(group));
    const start = servedByOrders(cell, { cluster: this.#cluster, workload }) ? startOf(cell) : null;
    const known = like.find((group) => start !== null && group.start === start) ?? like.find(({ isIdle }) => isIdle);
    if (known !== undefined) return known;
    if (this.#free(cell.nodes).length < cell.nodes) await this.#keepOnly(({ isIdle }) => !isIdle);
    const free = this.#free(cell.nodes);
    return free.length < cell.nodes ? null : this.#make(this.#part(free, cell.nodes));
  }

  /** Lets the other groups go: their hosts are free then. */
  async #keepOnly(isKept: (group: HostGroup) => boolean): Promise<void> {
    const gone = this.#groups.filter((group) => !isKept(group));
    this.#groups = this.#groups.filter(isKept);
    // What fails there, the next run on those hosts meets again; a host out of reach restores its own link.
    await Promise.all(
      gone.map(async ({ jobs, links }) => {
        await jobs.end().catch(() => undefined);
        await links.free().catch(() => undefined);
      }),
    );
  }

  #living(): readonly Host[] {
    return this.#cluster.inventory.hosts.filter((host) => !this.#options.lost.has(host));
  }

  /** A lost host is asked again only where the others are too few. */
  #isUsable(host: Host, nodes: number): boolean {
    return !this.#options.lost.has(host) || this.#living().length < nodes;
  }

  #free(nodes = 1): readonly Host[] {
    const taken = new Set(this.#groups.flatMap(({ hosts }) => hosts.map(({ name }) => name)));
    return this.#cluster.inventory.hosts.filter((host) => !taken.has(host.name) && this.#isUsable(host, nodes));
  }

  #part(free: readonly Host[], nodes: number): Cluster {
    return this.#cluster.part(free.slice(0, nodes));
  }

  #make(cluster: Cluster): HostGroup {
    const group = new HostGroup(cluster, this.#options.lease, () => this.#tell());
    this.#groups.push(group);
    this.#made.push(group);
    return group;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

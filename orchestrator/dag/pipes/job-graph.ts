import { computeDepths } from '../../../analysis/dag/judge/graph.ts';
import { at, groupBy } from '../../../base/lists.ts';
import { likeness, shortened } from '../../../base/text.ts';
import type { DagEdge, DagVertex } from '../../../experiments/dag/dag-records.ts';
import { programName, type WatchedProcess } from './host-watch.ts';
import type { DataWay, JoinedProcesses } from './joined.ts';

/** A task with the processes that are its instances. */
export interface LiveTask {
  readonly vertex: DagVertex;
  readonly processes: readonly WatchedProcess[];
}

/** An edge with its channels: ways of the same hops are one channel. */
export interface LiveEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly channels: readonly (readonly DataWay[])[];
}

/** Tasks and edges of a moment, sources first. */
export interface LiveGraph {
  readonly tasks: readonly LiveTask[];
  readonly edges: readonly LiveEdge[];
}

/** Names that stay: a process keeps its task for life, and a task that comes back keeps its name. */
export class JobGraph {
  readonly #taskOf = new WeakMap<WatchedProcess, string>();
  /** What each task is known by, beside its processes. */
  readonly #signatures = new Map<string, string>();
  readonly #retired = new Set<string>();

  update({ ways, tasks }: JoinedProcesses): LiveGraph {
    const ordered = bySourceFirst(tasks, ways);
    const groups = alike(ordered, ways);
    const taken = new Set<string>();
    const live = groups.map((processes): LiveTask => {
      const id = this.#idOf(processes, taken);
      taken.add(id);
      for (const process of processes) this.#taskOf.set(process, id);
      return { vertex: vertexOf(id, processes), processes };
    });
    return { tasks: live, edges: this.#edgesOf(ways) };
  }

  #idOf(processes: readonly WatchedProcess[], taken: ReadonlySet<string>): string {
    const known = processes
      .map((process) => this.#taskOf.get(process))
      .find((id) => id !== undefined && !taken.has(id));
    if (known !== undefined) return known;
    const [first] = processes;
    const name = first === undefined ? 'process' : programName(first);
    const signature = first === undefined ? name : sortOf(first);
    const back = [...this.#retired].find((id) => this.#signatures.get(id) === signature && !taken.has(id));
    if (back !== undefined) {
      this.#retired.delete(back);
      return back;
    }
    let id = name;
    for (let number = 2; this.#signatures.has(id); number += 1) id = `${name}-${number}`;
    this.#signatures.set(id, signature);
    return id;
  }

  /** A task of which no process lives; the next one of its kind takes its name. */
  retire(id: string): void {
    this.#retired.add(id);
  }

  #edgesOf(ways: readonly DataWay[]): LiveEdge[] {
    const edges = new Map<string, { readonly from: string; readonly to: string; readonly ways: DataWay[] }>();
    for (const way of ways) {
      const [from, to] = [this.#taskOf.get(way.from), this.#taskOf.get(way.to)];
      if (from === undefined || to === undefined || from === to) continue;
      const edge = edges.get(`${from}>${to}`) ?? { from, to, ways: [] };
      edges.set(`${from}>${to}`, edge);
      edge.ways.push(way);
    }
    const hopsText = ({ hops }: DataWay): string => hops.map(({ host, name }) => `${host} ${name}`).join(' ');
    return [...edges].map(([id, edge]) => ({
      ...{ id, from: edge.from, to: edge.to, channels: groupBy(edge.ways, hopsText) },
    }));
  }
}

function vertexOf(id: string, processes: readonly WatchedProcess[]): DagVertex {
  const alive = processes.filter((process) => process.alive);
  const shown = alive.length > 0 ? alive : processes;
  const [first] = shown;
  // The folder of a program says nothing of what it does.
  const label =
    first === undefined ? id : shortened((first.args === '' ? first.name : first.args).replace(/^\S*\//, ''));
  return { id, label, hosts: shown.map(({ host }) => host), instances: shown.length };
}

/** Program and arguments, numbers aside: `stage --part 1` and `stage --part 2` do the same. */
function sortOf(process: WatchedProcess): string {
  return `${programName(process)} ${likeness(process.args)}`;
}

/**
 * Processes that are instances of one task: the same program with the same neighbours. Classes are divided by those of their
 * neighbours until nothing changes (colour refinement), so that equal programs one behind the other stay apart.
 */
function alike(processes: readonly WatchedProcess[], ways: readonly DataWay[]): WatchedProcess[][] {
  let groups = groupBy(processes, sortOf);
  for (;;) {
    const classes = new Map(groups.flatMap((group, number) => group.map((process) => [process, number])));
    const finer = groupBy(processes, (process) => {
      const before = ways.filter(({ to }) => to === process).map(({ from }) => classes.get(from));
      const after = ways.filter(({ from }) => from === process).map(({ to }) => classes.get(to));
      return [classes.get(process), ...[before, after].map((own) => [...new Set(own)].sort().join(','))].join('|');
    });
    if (finer.length === groups.length) return finer;
    groups = finer;
  }
}

/** By the longest way from a source, then by host and pid. */
function bySourceFirst(tasks: readonly WatchedProcess[], ways: readonly DataWay[]): WatchedProcess[] {
  const numbers = new Map(tasks.map((task, number) => [task, number]));
  const numberOf = (task: WatchedProcess): number => numbers.get(task) ?? -1;
  const edges = ways.map(({ from, to }) => ({ from: numberOf(from), to: numberOf(to) }));
  const depths = computeDepths(tasks.length, edges);
  const depthOf = (task: WatchedProcess): number => at(depths, numberOf(task));
  return [...tasks].sort(
    (a, b) => depthOf(a) - depthOf(b) || (a.host < b.host ? -1 : a.host > b.host ? 1 : a.pid - b.pid),
  );
}

/** An edge of this moment as runs record it; `linkBps`: of the links between hosts. */
export function recordedEdge({ id, from, to, channels }: LiveEdge, linkBps: number | null): DagEdge {
  const [way] = channels[0] ?? [];
  const rooms = (way?.hops ?? []).map(({ level }) => level?.capacity ?? Number.NaN);
  const room = rooms.reduce((sum, own) => sum + own, 0);
  const isKnown = rooms.length > 0 && !Number.isNaN(room);
  const isBetween = way !== undefined && way.from.host !== way.to.host;
  return { id, from, to, capacity: isKnown ? room : null, unit: 'bytes', linkBps: isBetween ? linkBps : null };
}

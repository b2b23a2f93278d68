import { own } from '../../../base/lists.ts';
import type { DagEdge, DagLine, DagPeriod, DagRun, DagVertex } from '../../../experiments/dag/dag-records.ts';
import { readDagRun } from '../../../experiments/dag/read-run.ts';
import {
  computeShares,
  DagJudge,
  type DagThresholds,
  type JudgedPeriod,
  measuredSaturation,
  type Saturation,
} from '../judge/judge.ts';
import type { Bottleneck } from '../judge/summarise-job.ts';

/** What a period did, beside its verdict. */
interface PeriodWork {
  /** Of each unit, what came into the job; null where it was not counted. */
  readonly records: number | null;
  readonly bytes: number | null;
  /** Bytes that each edge carried, by its place; NaN where they were not counted. */
  readonly edgeBytes: Float64Array;
  /** Share of the time in which producers of each edge were blocked writing to it, their mean; NaN where that was not measured. */
  readonly blocked: Float64Array;
  /** Of each task by its place, the parts of PROCESSING; NaN where they were not measured. */
  readonly cpu: Float64Array;
  /** Of each task whose PROCESSING is not known, the most that it can have been; NaN where that is not known either. */
  readonly busyAtMost: Float64Array;
  readonly disk: Float64Array;
  readonly onCpu: Float64Array;
}

/** Something that happened at a time, a sentence. */
interface JobEvent {
  readonly atNs: number;
  readonly text: string;
}

/**
 * A job that is or was watched: lines of its record in, verdicts out. Tasks and edges that ended keep their places, so that the
 * history stays whole.
 */
export class WatchedJob {
  readonly run: DagRun;
  readonly vertices: DagVertex[];
  readonly edges: DagEdge[];
  readonly judge: DagJudge;
  readonly work: PeriodWork[] = [];
  readonly events: JobEvent[] = [];
  /** Edges by id that some period has no measure of SATURATED for. */
  readonly unmeasured = new Set<string>();
  readonly #saturation: Saturation | undefined;

  /** Errors: `badInput` for a graph that is none, as `dagGraph`. */
  constructor(
    run: DagRun,
    { thresholds, saturation }: { readonly thresholds: DagThresholds; readonly saturation?: Saturation | undefined },
  ) {
    this.run = run;
    this.vertices = [...run.vertices];
    this.edges = [...run.edges];
    this.judge = new DagJudge(this, thresholds);
    this.#saturation = saturation;
  }

  /** Takes a line in; of a period its verdict. Errors: `badInput` as `dagGraph`. */
  add(line: DagLine): JudgedPeriod | null {
    switch (line.kind) {
      case 'period':
        return this.#addPeriod(line);
      case 'vertex':
        this.#put(this.vertices, line.vertex);
        return this.#tell(
          line,
          `Task '${line.vertex.label}' has ${line.vertex.instances} ${line.vertex.instances === 1 ? 'instance' : 'instances'} from now on.`,
        );
      case 'edge':
        this.#put(this.edges, line.edge);
        return this.#tell(line, `Edge ${this.labelOf(line.edge.id, 'io')} was added.`);
      case 'vertex-gone':
        return this.#tell(line, `Task '${this.labelOf(line.id, 'cpu')}' ended (${line.why}).`);
      case 'edge-gone':
        return this.#tell(line, `Edge ${this.labelOf(line.id, 'io')} ended (${line.why}).`);
      case 'note':
        return this.#tell(line, line.text);
    }
  }

  /** What people call a task (`cpu`), or the two tasks that an edge (`io`) joins; whichever has the id where no kind is said. */
  readonly labelOf = (id: string, kind?: Bottleneck['kind']): string => {
    const vertex = kind === 'io' ? undefined : this.vertices.find((one) => one.id === id);
    if (vertex !== undefined) return vertex.label;
    const edge = kind === 'cpu' ? undefined : this.edges.find((one) => one.id === id);
    return edge === undefined ? id : edgeLabel(edge, this.edges, (task) => this.labelOf(task, 'cpu'));
  };

  instances(): ReadonlyMap<string, number> {
    return new Map(this.vertices.map(({ id, instances }) => [id, instances]));
  }

  /** Records where at least half of the periods counted some, else bytes; null where neither is known. */
  unit(): WorkUnit | null {
    const counted = (unit: WorkUnit): boolean => {
      const known = this.work.filter((one) => one[unit] !== null);
      return known.length * 2 >= this.work.length && known.some((one) => one[unit] !== 0);
    };
    return counted('records') ? 'records' : counted('bytes') ? 'bytes' : null;
  }

  #addPeriod(period: DagPeriod): JudgedPeriod {
    for (const [id, entry] of Object.entries(period.edges)) {
      if (measuredSaturation(entry, this.#saturation) === null) this.unmeasured.add(id);
    }
    const vertices = this.vertices.map(({ id }) => own(period.vertices, id));
    const edges = this.edges.map(({ id }) => own(period.edges, id));
    this.work.push({
      records: workOf(this, period, 'records'),
      bytes: workOf(this, period, 'bytes'),
      edgeBytes: Float64Array.from(edges, (edge) => edge?.bytes ?? Number.NaN),
      blocked: Float64Array.from(edges, (edge) => meanOf(edge?.writer ?? [])),
      cpu: Float64Array.from(vertices, (vertex) => vertex?.cpu ?? Number.NaN),
      busyAtMost: Float64Array.from(vertices, (vertex) => vertex?.busyAtMost ?? Number.NaN),
      onCpu: Float64Array.from(vertices, (vertex) => vertex?.onCpu ?? Number.NaN),
      disk: Float64Array.from(vertices, (vertex) => vertex?.disk ?? Number.NaN),
    });
    return this.judge.add(computeShares(period, this.#saturation));
  }

  /** What has the same id is replaced in its place. */
  #put<T extends { readonly id: string }>(list: T[], one: T): void {
    const place = list.findIndex(({ id }) => id === one.id);
    if (place < 0) list.push(one);
    else list[place] = one;
    this.judge.grow(this);
  }

  #tell({ atNs }: { readonly atNs: number }, text: string): null {
    this.events.push({ atNs, text });
    return null;
  }
}

/** Mean of those that lived; NaN for none. */
function meanOf(shares: readonly (number | null)[]): number {
  const lived = shares.filter((share) => share !== null);
  return lived.reduce((sum, share) => sum + share, 0) / lived.length;
}

/** What people call an edge: `reader → ocr`; of parallel ones each with its id: `reader → ocr (left)`. */
function edgeLabel(edge: DagEdge, edges: readonly DagEdge[], taskLabel: (id: string) => string): string {
  const { id, from, to } = edge;
  const name = `${taskLabel(from)} → ${taskLabel(to)}`;
  return edges.some((one) => one.id !== id && one.from === from && one.to === to) ? `${name} (${id})` : name;
}

/** Whether an edge goes over a network, so that its rate follows the link's. */
export function isLink(edge: DagEdge | undefined, { vertices }: Pick<WatchedJob, 'vertices'>): boolean {
  if (edge === undefined) return false;
  if (edge.linkBps !== null) return true;
  const hostsOf = (task: string): readonly string[] => vertices.find(({ id }) => id === task)?.hosts ?? [];
  const [from, to] = [hostsOf(edge.from), hostsOf(edge.to)];
  return from.length > 0 && to.length > 0 && !from.some((host) => to.includes(host));
}

/** Whether an edge is a pipe within a host: memory, which is full where its reader does not take, not because it carries all it can. */
export function isPipe(edge: DagEdge | undefined, job: Pick<WatchedJob, 'vertices' | 'run'>): boolean {
  return edge !== undefined && job.run.source === 'pipes' && !isLink(edge, job);
}

export interface ReadJob {
  readonly folder: string;
  readonly job: WatchedJob;
  /** What was passed over in the folder, a sentence each. */
  readonly problems: readonly string[];
}

/** Judges the record of a run, one line in memory at a time. Errors: `badInput` as `readDagRun`. */
export async function readWatchedJob(
  folder: string,
  options: { readonly thresholds: DagThresholds; readonly saturation?: Saturation | undefined },
): Promise<ReadJob> {
  const { run, lines, problems } = await readDagRun(folder);
  const job = new WatchedJob(run, options);
  for await (const line of lines) job.add(line);
  return { folder, job, problems };
}

/** What the rate of a job counts. */
export type WorkUnit = 'records' | 'bytes';

/**
 * What came into the job in a period: what its sources went through, or what they handed on where only that was counted. A record that
 * a source hands to several edges counts on each, in every run alike. Null where something of it was not counted.
 */
function workOf(
  { vertices, edges }: Pick<WatchedJob, 'vertices' | 'edges'>,
  period: DagPeriod,
  unit: WorkUnit,
): number | null {
  const fed = new Set(edges.map(({ to }) => to));
  const sources = vertices.filter(({ id }) => !fed.has(id) && edges.some(({ from }) => from === id));
  if (sources.length === 0) return null;
  const read = unit === 'records' ? total(sources.map(({ id }) => amount(own(period.vertices, id), unit))) : null;
  if (read !== null) return read;
  const feeding = new Set(sources.map(({ id }) => id));
  return total(edges.filter(({ from }) => feeding.has(from)).map(({ id }) => amount(own(period.edges, id), unit)));
}

/** Who did not live in the period did nothing. */
function amount(
  entry: { readonly records: number | null; readonly bytes?: number | null } | undefined,
  unit: WorkUnit,
): number | null {
  return entry === undefined ? 0 : (entry[unit] ?? null);
}

function total(amounts: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const one of amounts) {
    if (one === null) return null;
    sum += one;
  }
  return sum;
}

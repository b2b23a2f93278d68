import type { DagEdge, DagLine, DagRun, DagVertex } from '../../../experiments/dag/dag-records.ts';
import type { DagListener } from '../source.ts';
import { programName } from './host-watch.ts';
import type { LiveTask } from './job-graph.ts';
import type { JoinedProcesses } from './joined.ts';

/** The run of a story, but for what only its first period tells. */
type StoryHead = Omit<DagRun, 'schema' | 'startedAt' | 'cores' | 'vertices' | 'edges' | 'notes'>;

/** The job in a period. */
interface JobNow {
  readonly tasks: readonly LiveTask[];
  readonly edges: readonly DagEdge[];
  /** ns since the run's begin. */
  readonly atNs: number;
}

/** What a listener is told of a job: how it began, who joined and left, what people should know, each once. */
export class JobStory {
  readonly #listener: DagListener;
  readonly #head: StoryHead;
  readonly #vertices = new Map<string, DagVertex>();
  readonly #edges = new Set<string>();
  readonly #gone = new Set<string>();
  readonly #told = new Set<string>();
  /** What is told before the job is there. */
  readonly notes: string[] = [];
  hasBegun = false;

  constructor(listener: DagListener, head: StoryHead) {
    this.#listener = listener;
    this.#head = head;
  }

  /** `cores`: processors by host. */
  begin({ tasks, edges }: JobNow, { startedAt, cores }: Pick<DagRun, 'startedAt' | 'cores'>): void {
    this.hasBegun = true;
    const vertices = tasks.map(({ vertex }) => vertex);
    for (const vertex of vertices) this.#vertices.set(vertex.id, vertex);
    for (const { id } of edges) this.#edges.add(id);
    const { notes } = this;
    this.#listener.onBegin({ ...this.#head, startedAt, cores, vertices, edges: [...edges], notes: [...notes] });
  }

  /** Tasks and edges that joined, and tasks that have other instances. */
  change({ tasks, edges, atNs }: JobNow): void {
    for (const { vertex, processes } of tasks) {
      const known = this.#vertices.get(vertex.id);
      // Instances that end with the job say nothing of how many it takes.
      const isAlive = processes.some(({ alive }) => alive);
      const isBack = isAlive && this.#gone.delete(vertex.id);
      if (known !== undefined && !isBack && (known.instances === vertex.instances || !isAlive)) continue;
      this.#vertices.set(vertex.id, vertex);
      this.#say({ kind: 'vertex', atNs, vertex });
    }
    for (const edge of edges) {
      if (this.#edges.has(edge.id)) continue;
      this.#edges.add(edge.id);
      this.#say({ kind: 'edge', atNs, edge });
    }
  }

  /** Ids of tasks whose last processes ended since it was asked last. */
  takeDepartures(tasks: readonly LiveTask[], atNs: number): string[] {
    const over = tasks.filter(({ processes }) => processes.every(({ alive }) => !alive));
    // What ends with the job is no event.
    if (over.length === tasks.length) return [];
    const gone = over.map(({ vertex }) => vertex.id).filter((id) => !this.#gone.has(id));
    for (const id of gone) {
      this.#gone.add(id);
      this.#say({ kind: 'vertex-gone', atNs, id, why: 'its processes ended' });
    }
    return gone;
  }

  /** What joins the job to others, and what lies between its tasks. `outsiders`: who holds the other end, by host and channel. */
  describeSurroundings(
    { open, ways, tasks }: JoinedProcesses,
    outsiders: ReadonlyMap<string, string>,
    atNs: number,
  ): void {
    for (const { process, channel, way } of open) {
      const who = outsiders.get(`${channel.host} ${channel.name}`) ?? 'an unknown process';
      const does = way === 'w' ? 'reads from a pipe that is written by' : 'writes into a pipe that is read by';
      this.tell(
        `${programName(process)} (pid ${process.pid}) ${does} ${who}, which is not watched: waiting for it counts as waiting.`,
        atNs,
      );
    }
    for (const transport of new Set(ways.flatMap(({ transports }) => transports))) {
      this.tell(
        `${transport.host}: ${programName(transport)} only forwards bytes: it counts as part of the channel.`,
        atNs,
      );
    }
    if (ways.length === 0 && tasks.length > 1)
      this.tell('No process sends data to another one through an observed pipe or connection.', atNs);
  }

  tell(text: string, atNs: number): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    if (this.hasBegun) this.#say({ kind: 'note', atNs, text });
    else this.notes.push(text);
  }

  #say(line: DagLine): void {
    this.#listener.onLine(line);
  }
}

import type { DagLine, DagPeriod, DagRun } from '../../../experiments/dag/dag-records.ts';

/** A job to be simulated: records go one by one through tasks, over queues of fixed capacity and links of fixed rate. */
export interface SimulatedJob {
  readonly tasks: readonly {
    readonly id: string;
    readonly instances: number;
    /** Seconds for a record; `spread` of them more or less, evenly. */
    readonly serviceS: number;
    readonly spread?: number;
    readonly hosts?: readonly string[];
  }[];
  readonly edges: readonly {
    readonly id: string;
    readonly from: string;
    readonly to: string;
    readonly capacity: number;
    /** Records handed on for each that the task went through; 1 by default. */
    readonly ratio?: number;
    /** Records per second; none for a channel within a host. */
    readonly linkRate?: number;
    readonly recordBytes?: number;
  }[];
  /** Records of each source. */
  readonly records: number;
  readonly random?: () => number;
}

export interface Simulated {
  readonly run: Omit<DagRun, 'schema'>;
  readonly lines: readonly DagLine[];
  readonly seconds: number;
  /** Records of the job per second, over the middle of it. */
  readonly rate: number;
}

type Task = SimulatedJob['tasks'][number] & {
  readonly inputs: Edge[];
  readonly outputs: Edge[];
  readonly waiting: Instance[];
  left: number;
  readonly owed: Map<Edge, number>;
};
interface Instance {
  readonly task: Task;
  readonly number: number;
  state: 'busy' | 'starved' | 'blocked';
  since: number;
  on: Edge | null;
  readonly pending: Edge[];
}
type Edge = SimulatedJob['edges'][number] & {
  readonly reader: Task;
  /** Records at the writers' and at the readers' end; one queue where there is no link. */
  sent: number;
  arrived: number;
  moving: boolean;
  readonly writers: Instance[];
  fullSince: number | null;
};

/** Shares of time per period, by key. */
class Account {
  readonly sums = new Map<string, Map<number, number>>();
  readonly periodS: number;
  constructor(periodS: number) {
    this.periodS = periodS;
  }
  add(key: string, from: number, to: number): void {
    const sums = this.sums.get(key) ?? new Map<number, number>();
    this.sums.set(key, sums);
    for (let at = from; at < to; ) {
      const period = Math.floor(at / this.periodS + 1e-9);
      const end = Math.min(to, (period + 1) * this.periodS);
      sums.set(period, (sums.get(period) ?? 0) + end - at);
      at = end;
    }
  }
  count(key: string, at: number): void {
    const sums = this.sums.get(key) ?? new Map<number, number>();
    this.sums.set(key, sums);
    const period = Math.floor(at / this.periodS + 1e-9);
    sums.set(period, (sums.get(period) ?? 0) + 1);
  }
  of(key: string, period: number): number {
    return this.sums.get(key)?.get(period) ?? 0;
  }
}

/** Runs a job in virtual time, watched in periods. Knows nothing of bottlenecks. */
export function simulateJob(
  job: SimulatedJob,
  { periodS, mostS = Number.POSITIVE_INFINITY }: { periodS: number; mostS?: number },
): Simulated {
  const random = job.random ?? (() => 0.5);
  const account = new Account(periodS);
  const events: { at: number; order: number; act: () => void }[] = [];
  let [now, order, last] = [0, 0, 0];
  const doneAt: number[] = [];
  const schedule = (delay: number, act: () => void): void => push(events, { at: now + delay, order: order++, act });

  const tasks = new Map<string, Task>(
    job.tasks.map((task) => [
      task.id,
      { ...task, inputs: [], outputs: [], waiting: [], left: job.records, owed: new Map<Edge, number>() },
    ]),
  );
  const edges = job.edges.map((edge): Edge => {
    const reader = tasks.get(edge.to) as Task;
    const made: Edge = { ...edge, reader, sent: 0, arrived: 0, moving: false, writers: [], fullSince: null };
    tasks.get(edge.from)?.outputs.push(made);
    reader.inputs.push(made);
    return made;
  });

  const enter = (instance: Instance, state: Instance['state'], on: Edge | null = null): void => {
    const { task, number, since } = instance;
    if (instance.state === 'starved') account.add(`wait ${task.id} ${number}`, since, now);
    if (instance.state === 'blocked') {
      account.add(`wait ${task.id} ${number}`, since, now);
      account.add(`blocked ${instance.on?.id} ${number}`, since, now);
    }
    Object.assign(instance, { state, on, since: now });
  };
  const isFull = (edge: Edge): boolean => edge.sent >= edge.capacity;
  const noteFull = (edge: Edge): void => {
    if (isFull(edge) && edge.fullSince === null) edge.fullSince = now;
    if (!isFull(edge) && edge.fullSince !== null) {
      account.add(`full ${edge.id}`, edge.fullSince, now);
      edge.fullSince = null;
    }
  };
  const available = (edge: Edge): number => (edge.linkRate === undefined ? edge.sent : edge.arrived);
  /** After a place in the edge became free or a record was put in: links go on, writers put theirs in, readers take. */
  const kick = (edge: Edge): void => {
    for (let goesOn = true; goesOn; ) {
      goesOn = false;
      if (edge.linkRate !== undefined && !edge.moving && edge.sent > 0 && edge.arrived < edge.capacity) {
        edge.sent -= 1;
        edge.moving = true;
        schedule(1 / edge.linkRate, () => {
          edge.moving = false;
          edge.arrived += 1;
          kick(edge);
        });
        goesOn = true;
      }
      const writer = isFull(edge) ? undefined : edge.writers.shift();
      if (writer !== undefined) {
        put(edge);
        writer.pending.shift();
        handOn(writer);
        goesOn = true;
      }
      noteFull(edge);
      const reader = available(edge) > 0 ? edge.reader.waiting.shift() : undefined;
      if (reader !== undefined) {
        start(reader);
        goesOn = true;
      }
    }
  };
  const put = (edge: Edge): void => {
    edge.sent += 1;
    account.count(`carried ${edge.id}`, now);
    noteFull(edge);
  };
  const start = (instance: Instance): void => {
    const { task } = instance;
    const edge = task.inputs.find((one) => available(one) > 0);
    if (edge === undefined && (task.inputs.length > 0 || task.left === 0)) {
      enter(instance, 'starved');
      if (task.inputs.length > 0) task.waiting.push(instance);
      return;
    }
    if (edge === undefined) task.left -= 1;
    else if (edge.linkRate === undefined) edge.sent -= 1;
    else edge.arrived -= 1;
    enter(instance, 'busy');
    const { serviceS, spread = 0 } = task;
    schedule(serviceS * (1 + spread * (2 * random() - 1)), () => finish(instance));
    if (edge !== undefined) {
      noteFull(edge);
      kick(edge);
    }
  };
  const finish = (instance: Instance): void => {
    const { task } = instance;
    account.count(`records ${task.id}`, now);
    if (task.inputs.length === 0) doneAt.push(now);
    for (const edge of task.outputs) {
      const owed = (task.owed.get(edge) ?? 0) + (edge.ratio ?? 1);
      for (let one = 1; one <= owed + 1e-9; one += 1) instance.pending.push(edge);
      task.owed.set(edge, owed - Math.floor(owed + 1e-9));
    }
    handOn(instance);
  };
  const handOn = (instance: Instance): void => {
    for (let [edge] = instance.pending; edge !== undefined; [edge] = instance.pending) {
      if (isFull(edge)) {
        edge.writers.push(instance);
        enter(instance, 'blocked', edge);
        return;
      }
      instance.pending.shift();
      put(edge);
      kick(edge);
    }
    start(instance);
  };

  const instances = [...tasks.values()].flatMap((task) =>
    Array.from(
      { length: task.instances },
      (_, number): Instance => ({ task, number, state: 'busy', since: 0, on: null, pending: [] }),
    ),
  );
  for (const instance of instances) start(instance);
  for (let event = pop(events); event !== undefined && event.at <= mostS; event = pop(events)) {
    now = event.at;
    last = now;
    event.act();
  }
  now = Math.min(last, mostS);
  for (const instance of instances) enter(instance, 'busy');
  for (const edge of edges) if (edge.fullSince !== null) account.add(`full ${edge.id}`, edge.fullSince, now);

  const whole = Math.max(1, Math.floor(now / periodS));
  const lines = Array.from({ length: whole }, (_, period) => periodLine(job, { account, period, periodS }));
  const [early, late] = [0.2, 0.8].map((share) => Math.floor(share * doneAt.length)) as [number, number];
  const rate = (late - early) / ((doneAt[late] ?? 0) - (doneAt[early] ?? 0));
  return { run: runOf(job, periodS), lines, seconds: now, rate };
}

function periodLine(
  { tasks, edges }: SimulatedJob,
  { account, period, periodS }: { account: Account; period: number; periodS: number },
): DagPeriod {
  const share = (key: string): number => Math.min(1, Math.max(0, account.of(key, period) / periodS));
  return {
    kind: 'period',
    startNs: Math.round(period * periodS * 1e9),
    endNs: Math.round((period + 1) * periodS * 1e9),
    vertices: Object.fromEntries(
      tasks.map(({ id, instances }) => [
        id,
        {
          processing: Array.from({ length: instances }, (_, number) => 1 - share(`wait ${id} ${number}`)),
          ...{ cpu: null, disk: null, records: account.of(`records ${id}`, period) },
        },
      ]),
    ),
    edges: Object.fromEntries(
      edges.map(({ id, from, recordBytes }) => {
        const writers = Array.from(
          { length: tasks.find((task) => task.id === from)?.instances ?? 0 },
          (_, number) => number,
        );
        const records = account.of(`carried ${id}`, period);
        const writer = writers.map((number) => share(`blocked ${id} ${number}`));
        const pressure = writer.map((blocked, number) => {
          const waits = share(`wait ${from} ${number}`);
          return waits < 0.05 ? 0 : Math.min(1, blocked / waits);
        });
        return [
          id,
          {
            buffer: [share(`full ${id}`)],
            writer,
            pressure,
            records,
            bytes: recordBytes === undefined ? null : records * recordBytes,
          },
        ];
      }),
    ),
  };
}

function runOf({ tasks, edges }: SimulatedJob, periodS: number): Simulated['run'] {
  return {
    source: 'simulation',
    startedAt: '2020-01-01T00:00:00Z',
    periodS,
    hz: null,
    vertices: tasks.map(({ id, instances, hosts = [] }) => ({ id, label: id, hosts: [...hosts], instances })),
    edges: edges.map(({ id, from, to, capacity, linkRate, recordBytes }) => ({
      ...{ id, from, to, capacity, unit: 'records' as const },
      linkBps: linkRate === undefined || recordBytes === undefined ? null : linkRate * recordBytes * 8 * (1514 / 1448),
    })),
    ...{ command: null, bw: null, notes: [] },
  };
}

type Event = { readonly at: number; readonly order: number; readonly act: () => void };
const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** A binary heap, the earliest event first. */
function push(heap: Event[], event: Event): void {
  let place = heap.push(event) - 1;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (!before(event, heap[parent] as Event)) break;
    heap[place] = heap[parent] as Event;
    place = parent;
  }
  heap[place] = event;
}

function pop(heap: Event[]): Event | undefined {
  const [first] = heap;
  const moved = heap.pop();
  if (moved === undefined || heap.length === 0) return first;
  let place = 0;
  for (;;) {
    const [left, right] = [2 * place + 1, 2 * place + 2];
    const least = right < heap.length && before(heap[right] as Event, heap[left] as Event) ? right : left;
    if (least >= heap.length || !before(heap[least] as Event, moved)) break;
    heap[place] = heap[least] as Event;
    place = least;
  }
  heap[place] = moved;
  return first;
}

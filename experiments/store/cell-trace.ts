import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IFB_PREFIX } from '../../throttle/index.ts';
import { keysOf, MESSAGE_COLUMNS, OLD_NAMES, SPAN_COLUMNS } from '../trace.ts';
import { columnsOf, identifier, literal, parquet, query, queryNumbers } from './duckdb.ts';
import { cellFolder, FILES } from './layout.ts';
import { unreadable } from './tables.ts';

/** What one run left, as columns; times in ns since the earliest of all, on the hosts' own clocks. */
export interface CellTrace {
  readonly spans: Spans;
  readonly messages: Messages;
  /** One per host and metric (instances summed), of metrics named `rank.` one per worker; in order of time. */
  readonly counters: readonly Counter[];
}

/** A worker was in a phase. None for programs that report no phases. */
export interface Spans {
  readonly worker: Int32Array;
  readonly phase: readonly string[];
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** Of that, ns in which the worker slept, waiting for messages; NaN where it was not measured. */
  readonly asleepNs: Float64Array;
  /** Of that, ns in which the worker could have run but had no processor; NaN where it was not measured. */
  readonly queuedNs: Float64Array;
  /** Bytes handed over for other workers; NaN where it was not counted. */
  readonly bytesSent: Float64Array;
  /** What tells spans of one phase apart, by name: a search, a level; NaN where it does not apply. */
  readonly keys: Readonly<Record<string, Float64Array>>;
}

/** One end of a message each. None for programs that report no messages. */
interface Messages {
  readonly worker: Int32Array;
  readonly kind: readonly ('send' | 'receive')[];
  readonly timeNs: Float64Array;
  readonly peer: Int32Array;
  /** NaN where not given, as are ids. */
  readonly bytes: Float64Array;
  readonly id: Float64Array;
  /** Of a send, when its buffer was free again; NaN where not given, and for receives. */
  readonly doneNs: Float64Array;
  /** How long the worker had been waiting by then; NaN where not given. */
  readonly waitedNs: Float64Array;
  /** How long it had no processor right before it saw a message; of a send, while it handed it over. NaN where not given. */
  readonly queuedNs: Float64Array;
  /** Of a receive, when it was asked for; NaN where not given, and for sends. */
  readonly postedNs: Float64Array;
}

export interface Counter {
  readonly host: string;
  readonly metric: string;
  /** Null for a metric of the whole host. */
  readonly worker: number | null;
  readonly timesNs: Float64Array;
  readonly values: Float64Array;
}

/**
 * Reads what a cell's run left in phases.parquet, messages.parquet (either may be missing) and samples.parquet; null for a cell
 * that was not sampled. Received bytes are those behind the throttle's own device where there is one: the interface counts what still waits in its queue.
 */
export async function cellTrace(dir: string, id: string, metrics: readonly string[]): Promise<CellTrace | null> {
  const folder = cellFolder(dir, id);
  const source = (file: string): string | null => (existsSync(join(folder, file)) ? parquet(join(folder, file)) : null);
  const [spans, messages, samples] = [source(FILES.phases), source(FILES.messages), source(FILES.samples)];
  if (samples === null) return null;
  try {
    const heads = await headsOf(spans, messages);
    const first = heads.spans?.firstNs ?? (await query(`SELECT min(t_ns) FROM ${samples}`))[0]?.[0];
    const since = sinceOf(first);
    const own = await Promise.all([readSpans(heads.spans, since), readMessages(heads.messages, since)]);
    return { spans: own[0], messages: own[1], counters: await readCounters(samples, metrics, since) };
  } catch (error) {
    throw await unreadable(folder, error);
  }
}

/** What a run's program told of itself, without the counters of its hosts. */
export interface CellSpans extends Pick<CellTrace, 'spans' | 'messages'> {
  /** On which host each rank was seen. */
  readonly places: readonly Pick<Counter, 'host' | 'worker'>[];
}

/** What a cell's run left in phases.parquet and messages.parquet; null where its program traced no phases. */
export async function cellSpans(dir: string, id: string): Promise<CellSpans | null> {
  const folder = cellFolder(dir, id);
  const source = (file: string): string | null => (existsSync(join(folder, file)) ? parquet(join(folder, file)) : null);
  const [spans, messages, samples] = [source(FILES.phases), source(FILES.messages), source(FILES.samples)];
  if (spans === null) return null;
  try {
    // Every answer that is waited for costs a turn of the whole program: what can be is asked at once.
    const [heads, places] = await Promise.all([headsOf(spans, messages), samples === null ? [] : placesIn(samples)]);
    const since = sinceOf(heads.spans?.firstNs);
    const own = await Promise.all([readSpans(heads.spans, since), readMessages(heads.messages, since)]);
    return { spans: own[0], messages: own[1], places };
  } catch (error) {
    throw await unreadable(folder, error);
  }
}

/** What must be known of files before their rows are asked for: their columns, the names of phases and the first start. */
interface Heads {
  readonly spans: {
    readonly source: string;
    readonly present: readonly string[];
    readonly phases: readonly string[];
    /** By the hosts' clocks; null where there are no spans. */
    readonly firstNs: bigint | null;
  } | null;
  readonly messages: { readonly source: string; readonly present: readonly string[] } | null;
}

async function headsOf(spans: string | null, messages: string | null): Promise<Heads> {
  const [present, [names = [], starts = []], messageColumns] = await Promise.all([
    spans === null ? [] : columnsOf(spans),
    spans === null ? [] : query(`SELECT phase::VARCHAR, min(start_ns)::BIGINT FROM ${spans} GROUP BY 1 ORDER BY 1`),
    messages === null ? [] : columnsOf(messages),
  ]);
  const known = starts.filter((start) => typeof start === 'bigint');
  const firstNs = known.reduce<bigint | null>((least, one) => (least === null || one < least ? one : least), null);
  return {
    spans: spans === null ? null : { source: spans, present, phases: names.map(String), firstNs },
    messages: messages === null ? null : { source: messages, present: messageColumns },
  };
}

function sinceOf(firstNs: unknown): Since {
  return (column) => `(${column} - ${firstNs ?? 0})::DOUBLE`;
}

/** Metrics named `rank.` have the rank as their instance. */
async function placesIn(samples: string): Promise<readonly Pick<Counter, 'host' | 'worker'>[]> {
  const [hosts = [], ranks = []] = await query(
    `SELECT DISTINCT host, TRY_CAST(instance AS INTEGER) AS rank FROM ${samples} WHERE metric = 'rank.cpu_ns' ORDER BY rank, host`,
  );
  return hosts.map((host, row) => ({ host: String(host), worker: ranks[row] === null ? null : Number(ranks[row]) }));
}

type Since = (column: string) => string;

async function readSpans(head: Heads['spans'], since: Since): Promise<Spans> {
  if (head === null) return { ...NO_SPANS, phase: [], keys: {} };
  const { source, present, phases } = head;
  const old = present.find((name) => OLD_NAMES.get(name) === 'worker');
  const names = present.map((name) => OLD_NAMES.get(name) ?? name).filter((name) => name !== 'cell');
  const keys = keysOf(names, SPAN_COLUMNS);
  const optional = ['asleep_ns', 'queued_ns', 'bytes_sent'].map((name) =>
    names.includes(name) ? `${name}::DOUBLE` : 'NULL::DOUBLE',
  );
  // Where a key did not apply, traces of before had -1.
  const keyColumns = keys.map(
    (key) => `${old === undefined ? identifier(key) : `nullif(${identifier(key)}, -1)`}::DOUBLE`,
  );
  const phase = `list_position([${phases.map(literal).join(', ')}], phase::VARCHAR)::DOUBLE`;
  const wanted = [`${old ?? 'worker'}::DOUBLE`, phase, since('start_ns'), since('end_ns'), ...optional, ...keyColumns];
  const none = new Float64Array(0);
  const columns = await queryNumbers(`SELECT ${wanted.join(', ')} FROM ${source} ORDER BY start_ns, 1`);
  const [worker = none, number = none, startNs = none, endNs = none, asleepNs = none, queuedNs = none] = columns;
  const [bytesSent = none, ...rest] = columns.slice(6);
  return {
    worker: Int32Array.from(worker),
    phase: Array.from(number, (place) => phases[place - 1] ?? ''),
    ...{ startNs, endNs, asleepNs, queuedNs, bytesSent },
    keys: Object.fromEntries(keys.map((key, index) => [key, rest[index] ?? none])),
  };
}

const NO_SPANS = {
  worker: new Int32Array(0),
  startNs: new Float64Array(0),
  endNs: new Float64Array(0),
  asleepNs: new Float64Array(0),
  queuedNs: new Float64Array(0),
  bytesSent: new Float64Array(0),
};

async function readMessages(head: Heads['messages'], since: Since): Promise<Messages> {
  const wanted = MESSAGE_COLUMNS.map(({ name }) => {
    if (head?.present.includes(name) !== true) return 'NULL::DOUBLE';
    if (name === 'kind') return "(kind = 'send')::DOUBLE";
    return ['t_ns', 'done_ns', 'posted_ns'].includes(name) ? since(name) : `${name}::DOUBLE`;
  });
  const none = new Float64Array(0);
  const columns =
    head === null ? [] : await queryNumbers(`SELECT ${wanted.join(', ')} FROM ${head.source} ORDER BY t_ns, worker`);
  const [worker = none, isSend = none, timeNs = none, peer = none, bytes = none, id = none] = columns;
  const [doneNs = none, waitedNs = none, queuedNs = none, postedNs = none] = columns.slice(6);
  return {
    worker: Int32Array.from(worker),
    kind: Array.from(isSend, (one) => (one === 1 ? 'send' : 'receive')),
    peer: Int32Array.from(peer),
    ...{ timeNs, bytes, id, doneNs, waitedNs, queuedNs, postedNs },
  };
}

async function readCounters(source: string, metrics: readonly string[], since: Since): Promise<readonly Counter[]> {
  if (metrics.length === 0) return [];
  const own = `starts_with(instance, ${literal(IFB_PREFIX)})`;
  const found = await query(
    `SELECT host, metric, coalesce(worker, -1) AS worker, ${since('t_ns')} AS t, sum(value)::DOUBLE AS v
     FROM (SELECT *, CASE WHEN starts_with(metric, 'rank.') THEN TRY_CAST(instance AS INTEGER) END AS worker, ${own} AS own,
             metric = 'net.rx_bytes' AND bool_or(${own}) OVER (PARTITION BY host, metric) AS shaped
           FROM ${source} WHERE isfinite(value) AND metric IN (${metrics.map(literal).join(', ')}))
     WHERE own = shaped GROUP BY host, metric, worker, t_ns ORDER BY host, metric, worker, t_ns`,
  );
  return grouped(found);
}

function grouped([
  hosts = [],
  metrics = [],
  workers = [],
  times = [],
  values = [],
]: readonly (readonly unknown[])[]): readonly Counter[] {
  const counters: Counter[] = [];
  for (let start = 0; start < hosts.length; ) {
    const same = (row: number): boolean =>
      hosts[row] === hosts[start] && metrics[row] === metrics[start] && workers[row] === workers[start];
    let end = start + 1;
    while (end < hosts.length && same(end)) end += 1;
    const worker = Number(workers[start]);
    counters.push({
      host: String(hosts[start]),
      metric: String(metrics[start]),
      worker: worker < 0 ? null : worker,
      timesNs: Float64Array.from(times.slice(start, end), Number),
      values: Float64Array.from(values.slice(start, end), Number),
    });
    start = end;
  }
  return counters;
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../base/lists.ts';
import { IFB_PREFIX } from '../../throttle/state.ts';
import { keysOf, MESSAGE_COLUMNS, OLD_NAMES, SPAN_COLUMNS } from '../trace.ts';
import { cellFolder, FILES } from './campaign-folders.ts';
import { columnsByCell, identifier, literal, parquetByCell, query, queryNumbers } from './duckdb.ts';

/** Traces of the sampled ones among some cells, with a few questions to DuckDB for all that have the same files and columns. */
export async function readTracesOfCells(
  dir: string,
  ids: readonly string[],
  metrics: readonly string[],
): Promise<Map<string, CellTrace>> {
  const sampled = ids.filter((id) => existsSync(join(cellFolder(dir, id), FILES.samples)));
  const found = new Map<string, CellTrace>();
  for (const alike of await alikeOf(dir, sampled)) {
    const [spans, messages] = await Promise.all([spansOf(alike), messagesOf(alike)]);
    const counters = await countersOf(alike, metrics);
    for (const [number, { id }] of alike.cells.entries()) {
      found.set(id, { spans: spans(number), messages: messages(number), counters: counters(number) });
    }
  }
  return found;
}

/** Spans and messages of those among some cells whose programs traced phases. */
export async function readSpansOfCells(dir: string, ids: readonly string[]): Promise<Map<string, CellSpans>> {
  const traced = ids.filter((id) => existsSync(join(cellFolder(dir, id), FILES.phases)));
  const found = new Map<string, CellSpans>();
  for (const alike of await alikeOf(dir, traced)) {
    // Every answer that is waited for costs a turn of the whole program: what can be is asked at once.
    const [spans, messages, places] = await Promise.all([spansOf(alike), messagesOf(alike), placesOf(alike)]);
    for (const [number, { id }] of alike.cells.entries()) {
      found.set(id, { spans: spans(number), messages: messages(number), places: places(number) });
    }
  }
  return found;
}

/** Cells whose tables have the same columns, and what must be known before their rows are asked for. */
interface Alike {
  /** The first start by the hosts' clocks, or the first reading where there are no spans. */
  readonly cells: readonly { readonly id: string; readonly firstNs: bigint }[];
  /** A table of all of them as a source, beside each row `number` (its cell, by place) and `first_ns`; null where they have none. */
  readonly source: (name: string) => string | null;
  readonly spanColumns: readonly string[];
  readonly messageColumns: readonly string[];
  /** All names of phases. */
  readonly phases: readonly string[];
}

async function alikeOf(dir: string, ids: readonly string[]): Promise<readonly Alike[]> {
  const pathsOf = (name: string, some: readonly string[]): readonly string[] =>
    some.map((id) => join(cellFolder(dir, id), name)).filter((path) => existsSync(path));
  const [spans, messages] = await Promise.all(
    [FILES.phases, FILES.messages].map((name) => columnsByCell(pathsOf(name, ids))),
  );
  const hasSamples = (id: string): boolean => existsSync(join(cellFolder(dir, id), FILES.samples));
  const groups = groupBy(ids, (id) => JSON.stringify([spans?.get(id), messages?.get(id), hasSamples(id)]));
  return await Promise.all(
    groups.map(async (own): Promise<Alike> => {
      const [first = ''] = own;
      const table = (name: string): string | null => {
        const paths = pathsOf(name, own);
        return paths.length === 0 ? null : parquetByCell(paths);
      };
      const { phases, firstOf } = await startsOf(table(FILES.phases), table(FILES.samples));
      const cells = own.map((id) => ({ id, firstNs: firstOf.get(id) ?? 0n }));
      const values = cells.map(({ id, firstNs }, number) => `(${literal(id)}, ${number}, ${firstNs}::BIGINT)`);
      const numbered = `(VALUES ${values.join(', ')}) AS cells(in_cell, number, first_ns)`;
      return {
        ...{ cells, phases, spanColumns: spans?.get(first) ?? [], messageColumns: messages?.get(first) ?? [] },
        source: (name) => {
          const found = table(name);
          return found === null ? null : `(SELECT * FROM ${found} JOIN ${numbered} USING (in_cell))`;
        },
      };
    }),
  );
}

/** Names of phases, and the first time of each cell. */
async function startsOf(
  spans: string | null,
  samples: string | null,
): Promise<{ readonly phases: readonly string[]; readonly firstOf: ReadonlyMap<string, bigint> }> {
  const [ids = [], names = [], starts = []] =
    spans === null
      ? []
      : await query(`SELECT in_cell, phase::VARCHAR, min(start_ns)::BIGINT FROM ${spans} GROUP BY 1, 2`);
  const firstOf = new Map<string, bigint>();
  for (const [row, start] of starts.entries()) {
    const [id, before] = [String(ids[row]), firstOf.get(String(ids[row]))];
    if (typeof start === 'bigint' && (before === undefined || start < before)) firstOf.set(id, start);
  }
  if (firstOf.size === 0 && samples !== null) {
    const [cells = [], times = []] = await query(`SELECT in_cell, min(t_ns)::BIGINT FROM ${samples} GROUP BY 1`);
    for (const [row, time] of times.entries()) if (typeof time === 'bigint') firstOf.set(String(cells[row]), time);
  }
  return { phases: [...new Set(names.map(String))].sort(), firstOf };
}

const since = (column: string): string => `(${column} - first_ns)::DOUBLE`;

/** Reads columns of numbers of all cells, and hands out those of one. `from` and `order` as in SQL. */
async function columnsOfCells(
  wanted: readonly string[],
  { from, order }: { readonly from: string; readonly order: string },
): Promise<(number: number) => readonly Float64Array[]> {
  const [numbers = NONE, ...columns] = await queryNumbers(
    `SELECT number::DOUBLE, ${wanted.join(', ')} FROM ${from} ORDER BY number, ${order}`,
  );
  const ranges = new Map<number, [start: number, end: number]>();
  for (const [row, number] of numbers.entries()) {
    const range = ranges.get(number);
    if (range === undefined) ranges.set(number, [row, row + 1]);
    else range[1] = row + 1;
  }
  return (number) => {
    const [start, end] = ranges.get(number) ?? [0, 0];
    return columns.map((column) => column.slice(start, end));
  };
}

const NONE = new Float64Array(0);

async function spansOf({ source, spanColumns: present, phases }: Alike): Promise<(number: number) => Spans> {
  const from = source(FILES.phases);
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
  const worker = old ?? 'worker';
  const wanted = [`${worker}::DOUBLE`, phase, since('start_ns'), since('end_ns'), ...optional, ...keyColumns];
  const columnsOf = from === null ? () => [] : await columnsOfCells(wanted, { from, order: `start_ns, ${worker}` });
  return (number) => {
    const columns = columnsOf(number);
    const [workers = NONE, name = NONE, startNs = NONE, endNs = NONE, asleepNs = NONE, queuedNs = NONE] = columns;
    const [bytesSent = NONE, ...rest] = columns.slice(6);
    return {
      worker: Int32Array.from(workers),
      phase: Array.from(name, (place) => phases[place - 1] ?? ''),
      ...{ startNs, endNs, asleepNs, queuedNs, bytesSent },
      keys: Object.fromEntries(keys.map((key, index) => [key, rest[index] ?? NONE])),
    };
  };
}

async function messagesOf({ source, messageColumns: present }: Alike): Promise<(number: number) => Messages> {
  const from = source(FILES.messages);
  const wanted = MESSAGE_COLUMNS.map(({ name }) => {
    if (!present.includes(name)) return 'NULL::DOUBLE';
    if (name === 'kind') return "(kind = 'send')::DOUBLE";
    return ['t_ns', 'done_ns', 'posted_ns'].includes(name) ? since(name) : `${name}::DOUBLE`;
  });
  const columnsOf = from === null ? () => [] : await columnsOfCells(wanted, { from, order: 't_ns, worker' });
  return (number) => {
    const columns = columnsOf(number);
    const [worker = NONE, isSend = NONE, timeNs = NONE, peer = NONE, bytes = NONE, id = NONE] = columns;
    const [doneNs = NONE, waitedNs = NONE, queuedNs = NONE, postedNs = NONE] = columns.slice(6);
    return {
      worker: Int32Array.from(worker),
      kind: Array.from(isSend, (one) => (one === 1 ? 'send' : 'receive')),
      peer: Int32Array.from(peer),
      ...{ timeNs, bytes, id, doneNs, waitedNs, queuedNs, postedNs },
    };
  };
}

/** Metrics named `rank.` have the rank as their instance. */
async function placesOf({ source }: Alike): Promise<(number: number) => CellSpans['places']> {
  const from = source(FILES.samples);
  const [numbers = [], hosts = [], ranks = []] =
    from === null
      ? []
      : await query(
          `SELECT DISTINCT number, host, TRY_CAST(instance AS INTEGER) AS rank FROM ${from} WHERE metric = 'rank.cpu_ns'
           ORDER BY number, rank, host`,
        );
  const found = new Map<number, CellSpans['places'][number][]>();
  for (const [row, number] of numbers.entries()) {
    const own = found.get(Number(number)) ?? [];
    found.set(Number(number), own);
    own.push({ host: String(hosts[row]), worker: ranks[row] === null ? null : Number(ranks[row]) });
  }
  return (number) => found.get(number) ?? [];
}

async function countersOf(
  { source }: Alike,
  metrics: readonly string[],
): Promise<(number: number) => readonly Counter[]> {
  const from = source(FILES.samples);
  if (metrics.length === 0 || from === null) return () => [];
  const own = `starts_with(instance, ${literal(IFB_PREFIX)})`;
  const readings = `
    (SELECT number, host, metric, coalesce(worker, -1) AS worker, ${since('t_ns')} AS t, sum(value)::DOUBLE AS v
     FROM (SELECT *, CASE WHEN starts_with(metric, 'rank.') THEN TRY_CAST(instance AS INTEGER) END AS worker, ${own} AS own,
             metric = 'net.rx_bytes' AND bool_or(${own}) OVER (PARTITION BY number, host, metric) AS shaped
           FROM ${from} WHERE isfinite(value) AND metric IN (${metrics.map(literal).join(', ')}))
     WHERE own = shaped GROUP BY number, host, metric, worker, t_ns, first_ns)`;
  const order = 'number, host, metric, worker';
  const [series, [times = NONE, values = NONE]] = await Promise.all([
    query(`SELECT ${order}, count(*)::INTEGER FROM ${readings} GROUP BY ALL ORDER BY ${order}`),
    queryNumbers(`SELECT t, v FROM ${readings} ORDER BY ${order}, t`),
  ]);
  const [numbers = [], hosts = [], names = [], workers = [], counts = []] = series;
  const found = new Map<number, Counter[]>();
  let start = 0;
  for (const [row, number] of numbers.entries()) {
    const [end, worker] = [start + Number(counts[row]), Number(workers[row])];
    const counters = found.get(Number(number)) ?? [];
    found.set(Number(number), counters);
    counters.push({
      host: String(hosts[row]),
      metric: String(names[row]),
      worker: worker < 0 ? null : worker,
      timesNs: times.slice(start, end),
      values: values.slice(start, end),
    });
    start = end;
  }
  return (number) => found.get(number) ?? [];
}

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

/** What a run's program told of itself, without the counters of its hosts. */
export interface CellSpans extends Pick<CellTrace, 'spans' | 'messages'> {
  /** On which host each rank was seen. */
  readonly places: readonly Pick<Counter, 'host' | 'worker'>[];
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { badInput, messageOf } from '../../base/index.ts';
import { duckdb, literal, pathLiteral } from './duckdb.ts';

/** Phases and counters of one run, as columns; times in ns since `originNs`, on the hosts' own clocks. */
export interface CellTrace {
  readonly phases: {
    readonly rank: Int32Array;
    readonly root: Int32Array;
    readonly level: Int32Array;
    readonly phase: readonly string[];
    readonly startNs: Float64Array;
    readonly endNs: Float64Array;
    /** Of that, ns in which the rank slept, waiting for messages; NaN where it was not measured. */
    readonly asleepNs: Float64Array;
  };
  /** One per host and metric (instances summed), of metrics named `rank.` one per rank; in order of time. */
  readonly counters: readonly Counter[];
}

export interface Counter {
  readonly host: string;
  readonly metric: string;
  /** Null for a metric of the whole host. */
  readonly rank: number | null;
  readonly timesNs: Float64Array;
  readonly values: Float64Array;
}

/**
 * Reads what a cell's run left in phases.parquet (none for programs that report no phases) and samples.parquet. Received
 * bytes are those behind the throttle's own device where there is one: the interface counts what still waits in its queue.
 */
export async function cellTrace(dir: string, id: string, metrics: readonly string[]): Promise<CellTrace> {
  const folder = join(dir, 'cells', id);
  const [phases, samples] = [join(folder, 'phases.parquet'), join(folder, 'samples.parquet')];
  if (!existsSync(samples)) throw badInput(`${samples} is not there: the cell was not sampled.`);
  const traced = existsSync(phases);
  const from = (path: string): string => `read_parquet(${pathLiteral(path)})`;
  const origin = traced ? `(SELECT min(start_ns) FROM ${from(phases)})` : `(SELECT min(t_ns) FROM ${from(samples)})`;
  try {
    const connection = await duckdb();
    // Campaigns of before do not have the last column.
    const asleep = traced && (await columnsOf(from(phases))).includes('asleep_ns') ? 'asleep_ns::DOUBLE' : 'NULL';
    const rows = traced
      ? await connection.runAndReadAll(
          `SELECT rank, root, level, phase, (start_ns - ${origin})::DOUBLE AS s, (end_ns - ${origin})::DOUBLE AS e, ${asleep} AS a
           FROM ${from(phases)} ORDER BY start_ns, rank`,
        )
      : null;
    const readings = await connection.runAndReadAll(
      `SELECT host, metric, coalesce(rank, -1) AS rank, (t_ns - ${origin})::DOUBLE AS t, sum(value)::DOUBLE AS v
       FROM (SELECT *, CASE WHEN starts_with(metric, 'rank.') THEN instance::INTEGER END AS rank,
               starts_with(instance, 'predict') AS own,
               metric = 'net.rx_bytes' AND bool_or(starts_with(instance, 'predict')) OVER (PARTITION BY host, metric) AS shaped
             FROM ${from(samples)} WHERE metric IN (${metrics.map(literal).join(', ')}))
       WHERE own = shaped GROUP BY host, metric, rank, t_ns ORDER BY host, metric, rank, t_ns`,
    );
    const column = rows?.getColumnsJS() ?? [];
    return {
      phases: {
        rank: Int32Array.from(column[0] ?? [], Number),
        root: Int32Array.from(column[1] ?? [], Number),
        level: Int32Array.from(column[2] ?? [], Number),
        phase: (column[3] ?? []).map(String),
        startNs: Float64Array.from(column[4] ?? [], Number),
        endNs: Float64Array.from(column[5] ?? [], Number),
        asleepNs: Float64Array.from(column[6] ?? [], (value) => (value === null ? Number.NaN : Number(value))),
      },
      counters: grouped(readings.getColumnsJS()),
    };
  } catch (error) {
    const message = messageOf(error).split('\n')[0] ?? '';
    throw badInput(
      `The Parquet files in ${folder} cannot be read (${message}): delete the folder to run the cell again.`,
      error,
    );
  }
}

async function columnsOf(source: string): Promise<readonly unknown[]> {
  const described = await (await duckdb()).runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
  return described.getColumnsJS()[0] ?? [];
}

function grouped([
  hosts = [],
  metrics = [],
  ranks = [],
  times = [],
  values = [],
]: readonly (readonly unknown[])[]): readonly Counter[] {
  const counters: Counter[] = [];
  for (let start = 0; start < hosts.length; ) {
    const same = (row: number): boolean =>
      hosts[row] === hosts[start] && metrics[row] === metrics[start] && ranks[row] === ranks[start];
    let end = start + 1;
    while (end < hosts.length && same(end)) end += 1;
    const rank = Number(ranks[start]);
    counters.push({
      host: String(hosts[start]),
      metric: String(metrics[start]),
      rank: rank < 0 ? null : rank,
      timesNs: Float64Array.from(times.slice(start, end), Number),
      values: Float64Array.from(values.slice(start, end), Number),
    });
    start = end;
  }
  return counters;
}

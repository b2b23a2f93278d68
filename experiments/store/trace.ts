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
  };
  /** One per host and metric (instances summed), in order of time. */
  readonly counters: readonly {
    readonly host: string;
    readonly metric: string;
    readonly timesNs: Float64Array;
    readonly values: Float64Array;
  }[];
}

/** Reads what a cell's run left in phases.parquet and samples.parquet; devices of the throttle itself are left out. */
export async function cellTrace(dir: string, id: string, metrics: readonly string[]): Promise<CellTrace> {
  const folder = join(dir, 'cells', id);
  const [phases, samples] = ['phases.parquet', 'samples.parquet'].map((name) => join(folder, name));
  for (const path of [phases, samples]) {
    if (path === undefined || !existsSync(path)) {
      throw badInput(`${path} is not there: the cell's program reports no phases, or it was not sampled.`);
    }
  }
  const from = (path: string | undefined): string => `read_parquet(${pathLiteral(path ?? '')})`;
  const origin = `(SELECT min(start_ns) FROM ${from(phases)})`;
  try {
    const connection = await duckdb();
    const rows = await connection.runAndReadAll(
      `SELECT rank, root, level, phase, (start_ns - ${origin})::DOUBLE AS s, (end_ns - ${origin})::DOUBLE AS e
       FROM ${from(phases)} ORDER BY start_ns, rank`,
    );
    const readings = await connection.runAndReadAll(
      `SELECT host, metric, (t_ns - ${origin})::DOUBLE AS t, sum(value)::DOUBLE AS v FROM ${from(samples)}
       WHERE metric IN (${metrics.map(literal).join(', ')}) AND NOT starts_with(instance, ${literal('predict')})
       GROUP BY host, metric, t_ns ORDER BY host, metric, t_ns`,
    );
    const column = rows.getColumnsJS();
    return {
      phases: {
        rank: Int32Array.from(column[0] ?? [], Number),
        root: Int32Array.from(column[1] ?? [], Number),
        level: Int32Array.from(column[2] ?? [], Number),
        phase: (column[3] ?? []).map(String),
        startNs: Float64Array.from(column[4] ?? [], Number),
        endNs: Float64Array.from(column[5] ?? [], Number),
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

function grouped([
  hosts = [],
  metrics = [],
  times = [],
  values = [],
]: readonly (readonly unknown[])[]): CellTrace['counters'] {
  const counters: { host: string; metric: string; timesNs: Float64Array; values: Float64Array }[] = [];
  for (let start = 0; start < hosts.length; ) {
    let end = start + 1;
    while (end < hosts.length && hosts[end] === hosts[start] && metrics[end] === metrics[start]) end += 1;
    counters.push({
      host: String(hosts[start]),
      metric: String(metrics[start]),
      timesNs: Float64Array.from(times.slice(start, end), Number),
      values: Float64Array.from(values.slice(start, end), Number),
    });
    start = end;
  }
  return counters;
}

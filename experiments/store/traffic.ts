import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PredictError } from '../../base/index.ts';
import { duckdb, literal, pathLiteral } from './duckdb.ts';

/** Bytes that a host sent during one timed search, mean over the hosts and the searches of a cell. */
export interface CellTraffic {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
  readonly bytes: number;
}

/**
 * What the hosts' interface counters recorded within the searches of every good cell. A search lasts from the first rank's
 * start to the last rank's end (phase `bfs`); between two readings a counter is taken to rise evenly. Cells without such
 * phases, of programs that report none, are left out.
 */
export async function traffic(dir: string): Promise<CellTraffic[]> {
  const folder = join(dir, 'cells');
  const found: CellTraffic[] = [];
  for (const id of (await readdir(folder).catch(() => [])).filter((name) => /^[0-9a-f]{16}$/.test(name))) {
    const own = await readdir(join(folder, id));
    if (!['roots.parquet', 'phases.parquet', 'samples.parquet'].every((name) => own.includes(name))) continue;
    const cell = await cellTraffic(join(folder, id));
    if (cell) found.push(cell);
  }
  return found;
}

async function cellTraffic(cell: string): Promise<CellTraffic | null> {
  const file = (name: string): string => `read_parquet(${pathLiteral(join(cell, name))})`;
  const sql = `
    WITH searches AS (
      SELECT root, min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM ${file('phases.parquet')}
      WHERE phase = ${literal('bfs')} GROUP BY root
    ), readings AS (
      SELECT host, t_ns, value, lead(t_ns) OVER later AS next_ns, lead(value) OVER later AS next_value
      FROM (SELECT host, t_ns, sum(value) AS value FROM ${file('samples.parquet')}
            WHERE metric = ${literal('net.tx_bytes')} AND NOT starts_with(instance, ${literal('predict')}) GROUP BY host, t_ns)
      WINDOW later AS (PARTITION BY host ORDER BY t_ns)
    ), edges AS (
      SELECT root, -1 AS sign, start_ns AS t_ns, host FROM searches, (SELECT DISTINCT host FROM readings)
      UNION ALL SELECT root, 1, end_ns, host FROM searches, (SELECT DISTINCT host FROM readings)
    ), at_edges AS (
      SELECT edges.root, edges.host, edges.sign * (readings.value + coalesce((readings.next_value - readings.value)
        * (edges.t_ns - readings.t_ns)::DOUBLE / nullif(readings.next_ns - readings.t_ns, 0), 0)) AS part
      FROM edges ASOF JOIN readings ON edges.host = readings.host AND edges.t_ns >= readings.t_ns
    ), sent AS (SELECT root, host, sum(part) AS bytes FROM at_edges GROUP BY root, host HAVING count(*) = 2)
    SELECT (SELECT avg(bytes) FROM sent) AS bytes, nodes, scale, bw FROM ${file('roots.parquet')} LIMIT 1`;
  try {
    const [row] = (await (await duckdb()).runAndReadAll(sql)).getRowObjectsJS();
    if (!row || row.bytes === null) return null;
    return { nodes: Number(row.nodes), scale: Number(row.scale), bw: Number(row.bw), bytes: Number(row.bytes) };
  } catch (error) {
    const message = messageOf(error).split('\n')[0] ?? '';
    throw new PredictError(
      `The Parquet files in ${cell} cannot be read (${message}): delete the folder to run the cell again.`,
      {
        kind: 'badInput',
        cause: error,
      },
    );
  }
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IFB_PREFIX } from '../../throttle/index.ts';
import { workloadOf } from '../workloads/adapters.ts';
import { readCampaign } from './campaign.ts';
import { storedRecords } from './cells.ts';
import { columnsOf, literal, parquet, query } from './duckdb.ts';
import { cellFolder, FILES } from './layout.ts';
import { unreadable } from './tables.ts';

/** Bytes that a host sent during one timed run, mean over the hosts and the runs of a cell. */
interface CellTraffic {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
  readonly bytes: number;
}

/**
 * What the hosts' interface counters recorded within the timed runs of every good cell. A run lasts from the first worker's
 * start to the last worker's end of the phase that its workload names (`timed`); between two readings a counter is taken to
 * rise evenly. Cells without such phases, of programs that report none, are left out.
 */
export async function traffic(dir: string): Promise<CellTraffic[]> {
  const { timed } = workloadOf((await readCampaign(dir)).workload);
  if (timed === null) return [];
  const found: CellTraffic[] = [];
  for (const [id, record] of await storedRecords(dir)) {
    if (record.status !== 'ok' || !isTraced(cellFolder(dir, id))) continue;
    const bytes = await bytesPerRun(cellFolder(dir, id), timed);
    const { nodes, scale, bw } = record.cell;
    if (bytes !== null) found.push({ nodes, scale, bw, bytes });
  }
  return found;
}

function isTraced(folder: string): boolean {
  return [FILES.phases, FILES.samples].every((name) => existsSync(join(folder, name)));
}

async function bytesPerRun(
  folder: string,
  { phase, key }: { readonly phase: string; readonly key: string },
): Promise<number | null> {
  const file = (name: string): string => parquet(join(folder, name));
  const sql = `
    WITH runs AS (
      SELECT ${key} AS run, min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM ${file(FILES.phases)}
      WHERE phase = ${literal(phase)} GROUP BY ${key}
    ), readings AS (
      SELECT host, t_ns, value, lead(t_ns) OVER later AS next_ns, lead(value) OVER later AS next_value
      FROM (SELECT host, t_ns, sum(value) AS value FROM ${file(FILES.samples)}
            WHERE metric = ${literal('net.tx_bytes')} AND NOT starts_with(instance, ${literal(IFB_PREFIX)}) GROUP BY host, t_ns)
      WINDOW later AS (PARTITION BY host ORDER BY t_ns)
    ), edges AS (
      SELECT run, -1 AS sign, start_ns AS t_ns, host FROM runs, (SELECT DISTINCT host FROM readings)
      UNION ALL SELECT run, 1, end_ns, host FROM runs, (SELECT DISTINCT host FROM readings)
    ), at_edges AS (
      SELECT edges.run, edges.host, edges.sign * (readings.value + coalesce((readings.next_value - readings.value)
        * (edges.t_ns - readings.t_ns)::DOUBLE / nullif(readings.next_ns - readings.t_ns, 0), 0)) AS part
      FROM edges ASOF JOIN readings ON edges.host = readings.host AND edges.t_ns >= readings.t_ns
    ), sent AS (SELECT run, host, sum(part) AS bytes FROM at_edges GROUP BY run, host HAVING count(*) = 2)
    SELECT avg(bytes) FROM sent`;
  try {
    if (!(await columnsOf(file(FILES.phases))).includes(key)) return null;
    const [[bytes] = []] = await query(sql);
    return bytes === null || bytes === undefined ? null : Number(bytes);
  } catch (error) {
    throw await unreadable(folder, error);
  }
}

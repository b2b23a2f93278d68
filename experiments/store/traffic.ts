import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IFB_PREFIX } from '../../throttle/index.ts';
import type { CellRecord } from '../records.ts';
import { workloadOf } from '../workloads/adapters.ts';
import type { Campaign } from './campaign.ts';
import { columnsOf, literal, parquet, query } from './duckdb.ts';
import { cellFolder, FILES } from './layout.ts';
import { unreadable } from './tables.ts';

/** What a host sent per timed run of a cell, mean over the hosts and the runs. */
export interface CellTraffic {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
  readonly bytes: number;
  /** Seconds of the full link for those of them that passed within the timed run for sure: the rest of the run is too short for all. */
  readonly least: number;
}

/**
 * What the hosts' counters recorded in the good cells among some records. Where a workload names the phase that is one timed run (`timed`), from the
 * first worker's start to the last worker's end of it; between two readings a counter is taken to rise evenly. Where its whole run
 * tells of its timed runs (`wholeRun`), from before the run to after it, as the record's proof has it. Others are left out.
 */
export async function traffic(
  dir: string,
  { inventory, workload: definition }: Campaign,
  records: readonly CellRecord[],
): Promise<CellTraffic[]> {
  const { timed, wholeRun } = workloadOf(definition);
  const found = timed !== null ? await withinTimedRuns(dir, records, timed) : wholeRun ? overWholeRuns(records) : [];
  return found.map(({ within, ...one }) => ({ ...one, least: (8 * within) / inventory.lineRateBps }));
}

/** `within`: bytes that passed within a timed run for sure. */
type Found = Omit<CellTraffic, 'least'> & { readonly within: number };

async function withinTimedRuns(dir: string, records: readonly CellRecord[], timed: Timed): Promise<Found[]> {
  const found: Found[] = [];
  for (const { cell, status } of records) {
    const folder = cellFolder(dir, cell.id);
    if (status !== 'ok' || !isTraced(folder)) continue;
    const bytes = await bytesPerRun(folder, timed);
    const { nodes, scale, bw } = cell;
    if (bytes !== null) found.push({ nodes, scale, bw, bytes, within: bytes });
  }
  return found;
}

/** A free link's counters hold what the controller sent as well: such cells count where the same was not measured on a throttled one. */
function overWholeRuns(records: readonly CellRecord[]): Found[] {
  const found = records.flatMap((record) => {
    const bytes = record.status === 'ok' ? sentPerHost(record) : 0;
    const { cell, proof, runs, timing } = record;
    if (proof === null || bytes === 0 || runs.length === 0) return [];
    const beside = timing.workloadMs / 1000 - runs.reduce((sum, { ct }) => sum + ct, 0);
    // Timed runs that take longer than their run lie one in another: they say nothing of what is beside them.
    const most = beside < 0 ? bytes : (beside * proof.rateBps) / 8;
    const { nodes, scale, bw } = cell;
    return [{ nodes, scale, bw, bytes: bytes / runs.length, within: Math.max(0, bytes - most) / runs.length }];
  });
  const throttled = new Set(found.flatMap(({ nodes, scale, bw }) => (bw < 100 ? [`${nodes} ${scale}`] : [])));
  return found.filter(({ nodes, scale, bw }) => bw < 100 || !throttled.has(`${nodes} ${scale}`));
}

function sentPerHost({ proof, hosts }: CellRecord): number {
  const sent = (proof?.classes ?? []).filter(({ direction }) => direction === 'out');
  return sent.reduce((sum, { bytes }) => sum + bytes, 0) / hosts.length;
}

type Timed = NonNullable<ReturnType<typeof workloadOf>['timed']>;

function isTraced(folder: string): boolean {
  return [FILES.phases, FILES.samples].every((name) => existsSync(join(folder, name)));
}

async function bytesPerRun(folder: string, { phase, key }: Timed): Promise<number | null> {
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

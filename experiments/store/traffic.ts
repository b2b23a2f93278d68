import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IFB_PREFIX } from '../../throttle/state.ts';
import { type ToldVolumes, toldVolumes } from '../graphs/traffic/told-volumes.ts';
import type { CellRecord } from '../records.ts';
import { workloadOf } from '../workloads/adapters.ts';
import type { TimedPhases } from '../workloads/workload.ts';
import type { Campaign } from './campaign.ts';
import { cellFolder, FILES } from './campaign-folders.ts';
import type { Derivation } from './derived.ts';
import { columnsByCell, literal, parquetByCell, query, unreadable } from './duckdb.ts';

/** What a host sent per timed run of a cell, mean over the hosts and the runs. */
export interface CellTraffic {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
  readonly bytes: number;
  /** Of the full link. */
  readonly lineRateBps: number;
  /** Seconds of the full link for those of them that passed within the timed run for sure: the rest of the run is too short for all. */
  readonly least: number;
  /** What a host sends on other numbers of nodes, up to a constant, where the program tells. */
  readonly told?: ToldVolumes | undefined;
}

/**
 * What the hosts' counters recorded in the good cells among some records. Where a workload names the phase that is one timed run (`timed`), from the
 * first worker's start to the last worker's end of it; between two readings a counter is taken to rise evenly. Where its whole run
 * tells of its timed runs (`wholeRun`), from before the run to after it, as the record's proof has it. Others are left out.
 */
export async function readTraffic(open: Opened, records: readonly CellRecord[]): Promise<CellTraffic[]> {
  const { inventory, workload: definition } = open.campaign;
  const { timed, wholeRun } = workloadOf(definition);
  const found = timed !== null ? await withinTimedRuns(open, records, timed) : wholeRun ? overWholeRuns(records) : [];
  return found.map(({ within, ...one }) => ({
    ...one,
    lineRateBps: inventory.lineRateBps,
    least: (8 * within) / inventory.lineRateBps,
  }));
}

/** What of an open campaign is needed. */
interface Opened {
  readonly dir: string;
  readonly campaign: Campaign;
  derived<T>(derivation: Derivation<T>): Promise<ReadonlyMap<string, T>>;
}

/** `within`: bytes that passed within a timed run for sure. */
type Found = Omit<CellTraffic, 'least' | 'lineRateBps'> & { readonly within: number };

async function withinTimedRuns(
  { dir, derived }: Opened,
  records: readonly CellRecord[],
  timed: TimedPhases,
): Promise<Found[]> {
  const traced = records.filter(({ cell, status }) => status === 'ok' && isTraced(cellFolder(dir, cell.id)));
  const found = await derived({
    kind: 'traffic',
    settings: JSON.stringify(timed),
    ids: traced.map(({ cell }) => cell.id),
    make: (ids) => bytesOfCells(dir, ids, timed),
  });
  return traced.flatMap((record) => {
    const { id, nodes, ranks, scale, bw, params = {} } = record.cell;
    const bytes = found.get(id) ?? null;
    const told = toldVolumes(record.summary.degrees, { algorithm: params.algorithm, ranksPerNode: ranks / nodes });
    return bytes === null ? [] : [{ nodes, scale, bw, bytes, within: bytes, told }];
  });
}

/**
 * Where a printed time is the mean of iterations (`timed_iterations` of all times together), a timed run is one of them. A free link's counters hold what the controller sent as well: such cells count where the
 * same was not measured on a throttled one.
 */
function overWholeRuns(records: readonly CellRecord[]): Found[] {
  const found = records.flatMap((record) => {
    const bytes = record.status === 'ok' ? sentPerHost(record) : 0;
    const { cell, proof, runs, timing, summary } = record;
    if (proof === null || bytes === 0 || runs.length === 0) return [];
    const count = Number(summary.timed_iterations ?? runs.length);
    const timedS = (runs.reduce((sum, { ct }) => sum + ct, 0) * count) / runs.length;
    const beside = timing.workloadMs / 1000 - timedS;
    // Timed runs that take longer than their run lie one in another: they say nothing of what is beside them.
    const most = beside < 0 ? bytes : (beside * proof.rateBps) / 8;
    const { nodes, scale, bw } = cell;
    return [{ nodes, scale, bw, bytes: bytes / count, within: Math.max(0, bytes - most) / count }];
  });
  const throttled = new Set(found.flatMap(({ nodes, scale, bw }) => (bw < 100 ? [`${nodes} ${scale}`] : [])));
  return found.filter(({ nodes, scale, bw }) => bw < 100 || !throttled.has(`${nodes} ${scale}`));
}

function sentPerHost({ proof, hosts }: CellRecord): number {
  const sent = (proof?.classes ?? []).filter(({ direction }) => direction === 'out');
  return sent.reduce((sum, { bytes }) => sum + bytes, 0) / hosts.length;
}

function isTraced(folder: string): boolean {
  return [FILES.phases, FILES.samples].every((name) => existsSync(join(folder, name)));
}

/** Cells that DuckDB is asked for at once: their readings lie in memory together. */
const AT_ONCE = 64;

/** Bytes per timed run, mean over hosts and runs; null where the trace does not tell runs apart. */
async function bytesOfCells(
  dir: string,
  ids: readonly string[],
  timed: TimedPhases,
): Promise<Map<string, number | null>> {
  const found = new Map<string, number | null>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    const together = await bytesPerRun(dir, some, timed).catch(() => null);
    for (const id of some) found.set(id, null);
    for (const [id, bytes] of together ?? []) found.set(id, bytes);
    // One by one it shows which of them cannot be read.
    for (const id of together === null ? some : []) {
      const [[, bytes] = ['', null]] = await bytesPerRun(dir, [id], timed).catch(async (error: unknown) => {
        throw await unreadable(cellFolder(dir, id), error);
      });
      found.set(id, bytes);
    }
  }
  return found;
}

/** Of those among some cells that have any. */
async function bytesPerRun(
  dir: string,
  ids: readonly string[],
  { phases, key }: TimedPhases,
): Promise<readonly [id: string, bytes: number | null][]> {
  const files = (name: string, some: readonly string[]): string =>
    parquetByCell(some.map((id) => join(cellFolder(dir, id), name)));
  const columns = await columnsByCell(ids.map((id) => join(cellFolder(dir, id), FILES.phases)));
  const keyed = ids.filter((id) => columns.get(id)?.includes(key));
  if (keyed.length === 0) return [];
  const sql = `
    WITH runs AS (
      SELECT in_cell, ${key} AS run, min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM ${files(FILES.phases, keyed)}
      WHERE phase IN (${phases.map(literal).join(', ')}) GROUP BY in_cell, ${key}
    ), readings AS (
      SELECT in_cell, host, t_ns, value, lead(t_ns) OVER later AS next_ns, lead(value) OVER later AS next_value
      FROM (SELECT in_cell, host, t_ns, sum(value) AS value FROM ${files(FILES.samples, keyed)}
            WHERE metric = ${literal('net.tx_bytes')} AND NOT starts_with(instance, ${literal(IFB_PREFIX)})
            GROUP BY in_cell, host, t_ns)
      WINDOW later AS (PARTITION BY in_cell, host ORDER BY t_ns)
    ), hosts AS (SELECT DISTINCT in_cell, host FROM readings), edges AS (
      SELECT in_cell, run, -1 AS sign, start_ns AS t_ns, host FROM runs JOIN hosts USING (in_cell)
      UNION ALL SELECT in_cell, run, 1, end_ns, host FROM runs JOIN hosts USING (in_cell)
    ), at_edges AS (
      SELECT in_cell, edges.run, edges.host, edges.sign * (readings.value + coalesce((readings.next_value - readings.value)
        * (edges.t_ns - readings.t_ns)::DOUBLE / nullif(readings.next_ns - readings.t_ns, 0), 0)) AS part
      FROM edges ASOF JOIN readings USING (in_cell, host, t_ns)
    ), sent AS (
      SELECT in_cell, run, host, sum(part) AS bytes FROM at_edges GROUP BY in_cell, run, host HAVING count(*) = 2
    )
    SELECT in_cell, avg(bytes ORDER BY run, host) FROM sent GROUP BY in_cell`;
  const [cells = [], bytes = []] = await query(sql);
  return cells.map((id, row) => [String(id), bytes[row] === null ? null : Number(bytes[row])]);
}

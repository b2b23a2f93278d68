import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IFB_PREFIX } from '../../throttle/state.ts';
import { expectedCoveredValues, expectedValues } from '../graphs/traffic/expected-values.ts';
import type { CellRecord } from '../records.ts';
import { workloadOf } from '../workloads/adapters.ts';
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
  readonly told?: { readonly nodes: readonly number[]; readonly volumes: readonly number[] } | undefined;
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
  timed: Timed,
): Promise<Found[]> {
  const traced = records.filter(({ cell, status }) => status === 'ok' && isTraced(cellFolder(dir, cell.id)));
  const found = await derived({
    kind: 'traffic',
    settings: JSON.stringify(timed),
    ids: traced.map(({ cell }) => cell.id),
    make: (ids) => bytesOfCells(dir, ids, timed),
  });
  return traced.flatMap((record) => {
    const { id, nodes, scale, bw } = record.cell;
    const bytes = found.get(id) ?? null;
    return bytes === null ? [] : [{ nodes, scale, bw, bytes, within: bytes, told: toldBy(record) }];
  });
}

/** Numbers of ranks that a law is asked for; between two of them it is a power. */
const LAW_RANKS = Array.from({ length: 23 }, (_, index) => (index % 2 === 0 ? 2 : 3) * 2 ** Math.floor(index / 2));
const laws = new Map<string, readonly number[]>();
/** Kernels that send values of most vertices; the others a few, which depend on more than degrees. */
const LAWS: ReadonlyMap<string, typeof expectedValues> = new Map([
  ['pr', expectedCoveredValues],
  ['cdlp', expectedValues],
  ['lcc', expectedValues],
  ['sssp', expectedValues],
]);

/**
 * What a bundled kernel of Graphalytics says of its graph, `degrees` of its summary such as `1:1200 2:640` (vertices by number of neighbours),
 * and so of what a rank sends on any number of ranks. Of that the part for other hosts counts. Undefined where it says nothing.
 */
function toldBy({ cell: { nodes, ranks, params = {} }, summary }: CellRecord): CellTraffic['told'] {
  const { degrees } = summary;
  const law = LAWS.get(String(params.algorithm));
  if (typeof degrees !== 'string' || law === undefined) return undefined;
  const key = `${params.algorithm} ${degrees}`;
  const values = laws.get(key) ?? valuesByLaw(degrees, law);
  laws.set(key, values);
  const perNode = ranks / nodes;
  const places = LAW_RANKS.map((count, index) => ({
    n: count / perNode,
    volume: ((values[index] ?? NaN) * (count - perNode)) / (count - 1),
  })).filter(({ n, volume }) => n > 1 && volume > 0);
  if (places.length < 2) return undefined;
  return { nodes: places.map(({ n }) => n), volumes: places.map(({ volume }) => volume) };
}

/** More neighbours than this count as so many: on a usual number of ranks all have a copy. */
const MOST_NEIGHBOURS = 1e6;

function valuesByLaw(text: string, law: typeof expectedValues): readonly number[] {
  const degrees = new Map<number, number>();
  for (const [, neighbours, vertices] of text.matchAll(/(?<!\S)([\d.]{1,12}):(\d{1,12})(?!\S)/g)) {
    const degree = Math.min(MOST_NEIGHBOURS, Math.round(Number(neighbours)));
    if (degree > 0) degrees.set(degree, (degrees.get(degree) ?? 0) + Number(vertices));
  }
  return LAW_RANKS.map((ranks) => law(degrees, ranks));
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

type Timed = NonNullable<ReturnType<typeof workloadOf>['timed']>;

function isTraced(folder: string): boolean {
  return [FILES.phases, FILES.samples].every((name) => existsSync(join(folder, name)));
}

/** Cells that DuckDB is asked for at once: their readings lie in memory together. */
const AT_ONCE = 64;

/** Bytes per timed run, mean over hosts and runs; null where the trace does not tell runs apart. */
async function bytesOfCells(dir: string, ids: readonly string[], timed: Timed): Promise<Map<string, number | null>> {
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
  { phase, key }: Timed,
): Promise<readonly [id: string, bytes: number | null][]> {
  const files = (name: string, some: readonly string[]): string =>
    parquetByCell(some.map((id) => join(cellFolder(dir, id), name)));
  const columns = await columnsByCell(ids.map((id) => join(cellFolder(dir, id), FILES.phases)));
  const keyed = ids.filter((id) => columns.get(id)?.includes(key));
  if (keyed.length === 0) return [];
  const sql = `
    WITH runs AS (
      SELECT in_cell, ${key} AS run, min(start_ns) AS start_ns, max(end_ns) AS end_ns FROM ${files(FILES.phases, keyed)}
      WHERE phase = ${literal(phase)} GROUP BY in_cell, ${key}
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

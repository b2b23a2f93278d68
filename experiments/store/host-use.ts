import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IFB_PREFIX } from '../../throttle/state.ts';
import { cellFolder, FILES } from './campaign-folders.ts';
import { literal, parquet, query } from './duckdb.ts';

/** What one host used, in equal parts of the time: NaN where nothing was read. */
export interface HostUse {
  readonly host: string;
  /** Percent of the cores that the host may use. */
  readonly cpuPercent: readonly number[];
  readonly outBps: readonly number[];
  readonly inBps: readonly number[];
}

/** The last minute of a cell's run at most, by its samplers, which are read when the run is over. */
export interface CellUse {
  readonly id: string;
  readonly seconds: number;
  /** ISO time, by the hosts' clocks. */
  readonly endedAt: string;
  readonly hosts: readonly HostUse[];
}

/** Points of a line, and the longest time that they cover. */
const POINTS = 48;
const MOST_S = 60;

const COUNTERS = ['cpu.busy_ns', 'net.tx_bytes', 'net.rx_bytes'] as const;
/** Cores that ranks keep to of themselves, else all that the host may use (agents/host/sample-cpu.c). */
const CAPACITIES = ['cpu.share_mcores', 'cpu.capacity_mcores'] as const;

/**
 * What the hosts of a cell used at the end of its run; null where it was not sampled. DuckDB thins the readings out, so that little passes
 * through this process. Received bytes are those behind the throttle's own device where there is one.
 */
export async function readCellUse(dir: string, id: string): Promise<CellUse | null> {
  const path = join(cellFolder(dir, id), FILES.samples);
  if (!existsSync(path)) return null;
  const list = (names: readonly string[]): string => names.map(literal).join(', ');
  const isOwn = `starts_with(instance, ${literal(IFB_PREFIX)})`;
  const readings = `(SELECT host, metric, t_ns, sum(value)::DOUBLE AS v FROM (
      SELECT *, ${isOwn} AS own, metric = 'net.rx_bytes' AND bool_or(${isOwn}) OVER (PARTITION BY host, metric) AS shaped
      FROM ${parquet(path)} WHERE isfinite(value) AND metric IN (${list(COUNTERS)}))
    WHERE own = shaped GROUP BY ALL)`;
  const span = `(SELECT max(t_ns) AS until, greatest(min(t_ns), max(t_ns) - ${MOST_S * 1e9}) AS since FROM ${readings})`;
  const capacities = CAPACITIES.map((name) => `arg_max(value, t_ns) FILTER (metric = ${literal(name)})`);
  const slot = `least(floor((t_ns - since)::DOUBLE / greatest(until - since, 1) * ${POINTS}), ${POINTS - 1})`;
  const [
    [hosts = [], metrics = [], slots = [], times = [], values = [], untils = [], seconds = []],
    [owners = [], cores = []],
  ] = await Promise.all([
    query(`SELECT host, metric, ${slot} AS slot, max(t_ns)::DOUBLE AS t, arg_max(v, t_ns), until::DOUBLE, (until - since) / 1e9
        FROM ${readings}, ${span} WHERE t_ns >= since GROUP BY host, metric, slot, until, since ORDER BY host, metric, slot`),
    query(`SELECT host, coalesce(${capacities.join(', ')})::DOUBLE / 1000 FROM ${parquet(path)} GROUP BY host`),
  ]);
  if (hosts.length === 0) return null;
  const coresOf = new Map(
    owners.map((host, row) => [String(host), cores[row] === null ? Number.NaN : Number(cores[row])]),
  );
  const lines = new Map<string, Line>();
  for (const [row, host] of hosts.entries()) {
    const key = `${metrics[row]} ${host}`;
    const line = lines.get(key) ?? new Line();
    lines.set(key, line);
    line.add(Number(slots[row]), Number(times[row]), Number(values[row]));
  }
  const rates = (metric: (typeof COUNTERS)[number], host: string, factor: number): readonly number[] =>
    (lines.get(`${metric} ${host}`) ?? new Line()).rates.map((rate) => rate * factor);
  return {
    id,
    seconds: Number(seconds[0]),
    endedAt: new Date(Number(untils[0]) / 1e6).toISOString(),
    hosts: [...new Set(hosts.map(String))].map((host) => ({
      host,
      // Nanoseconds of work per second of time.
      cpuPercent: rates('cpu.busy_ns', host, 1 / 1e7 / (coresOf.get(host) ?? Number.NaN)),
      outBps: rates('net.tx_bytes', host, 8),
      inBps: rates('net.rx_bytes', host, 8),
    })),
  };
}

/** How a counter grows from point to point, per second. */
class Line {
  readonly rates: number[] = Array.from({ length: POINTS }, () => Number.NaN);
  #before: readonly [time: number, value: number] | undefined;

  add(place: number, time: number, value: number): void {
    const [start, first] = this.#before ?? [time, value];
    if (time > start) this.rates[place] = (Math.max(0, value - first) / (time - start)) * 1e9;
    this.#before = [time, value];
  }
}

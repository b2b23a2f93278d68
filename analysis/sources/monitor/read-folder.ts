import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { badInput, messageOf } from '../../../base/errors.ts';
import { compareText } from '../../../base/text.ts';
import { readRegular } from '../../../experiments/store/regular.ts';
import type { MetricInput } from '../../grade10/model/metrics.ts';
import { Cursor } from './cursor.ts';
import { type Content, KINDS, type Kind } from './proc-files.ts';

interface MonitorData {
  /** What the metrics' times count from, ns since 1970 on the clock of the hosts. */
  readonly originNs: bigint;
  /** Those with metrics, sorted. */
  readonly hosts: readonly string[];
  /** By host: `/host[host=HOST]/cpu`, `.../network/bytes-in`, `bytes-out`, `.../disk/bytes-read`, `bytes-written`. */
  readonly metrics: readonly MetricInput[];
  readonly notices: readonly string[];
}

/**
 * Reads what Grade10's own resource monitor wrote to a folder and those below it, proc-meminfo left aside: cores busy, and
 * bytes per second of network and disks, all consumable. Times are ns since `originNs`, by default the earliest record
 * used. Files without two usable records are left out with a notice. Errors: badInput, naming the file and the byte.
 *
 * @example
 * const { metrics, notices } = await readMonitorFolder('run-1/monitor', { networkBytesPerSecond: 125e6 });
 */
export async function readMonitorFolder(
  folder: string,
  { originNs, ...capacities }: MonitorOptions & { readonly originNs?: bigint | undefined } = {},
): Promise<MonitorData> {
  const notices: string[] = [];
  const measured: Measured[] = [];
  let earliest: bigint | null = null;
  for (const file of await findFiles(folder)) {
    const bytes = await readRegular(file.path).catch((error: unknown) => {
      throw badInput(`${file.path} cannot be read (${messageOf(error)}): make it readable or leave it out.`, error);
    });
    const content = KINDS[file.kind].read(new Cursor(file.path, bytes), notices);
    if (content === null) {
      notices.push(`${file.path} has fewer than two usable records (${bytes.length} bytes): it is left out.`);
      continue;
    }
    measured.push({ ...content, ...file });
    const first = bytes.readBigUInt64LE(0);
    if (earliest === null || first < earliest) earliest = first;
  }
  const origin = originNs ?? earliest ?? 0n;
  return {
    originNs: origin,
    hosts: [...new Set(measured.map(({ host }) => host))],
    metrics: toMetrics(measured, { ...capacities, originNs: origin, notices }),
    notices,
  };
}

interface MonitorFile {
  readonly kind: Kind;
  readonly host: string;
  readonly path: string;
}

const ORDER = Object.keys(KINDS) as Kind[];
const FILE_NAME = new RegExp(`^proc-(${ORDER.join('|')})-(.+)$`, 's');

/** The monitor's files below a folder, by host and kind. Errors: badInput without any, or with two of a kind and host. */
async function findFiles(folder: string): Promise<MonitorFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    throw badInput(`${folder} cannot be read (${messageOf(error)}): give the folder with the monitor's files.`, error);
  });
  const files = entries.flatMap((entry): MonitorFile[] => {
    const [, kind, host] = FILE_NAME.exec(entry.name) ?? [];
    if (kind === undefined || host === undefined || entry.isDirectory()) return [];
    return [{ kind: kind as Kind, host, path: join(entry.parentPath, entry.name) }];
  });
  if (files.length === 0) {
    throw badInput(
      `${folder} has no file named proc-stat-HOST, proc-net-dev-HOST or proc-diskstats-HOST: give the folder that Grade10's resource monitor wrote to.`,
    );
  }
  const seen = new Map<string, string>();
  for (const { kind, host, path } of files) {
    if (host.includes(']')) {
      throw badInput(`${path} is of the host '${host}', which cannot be used in a metric path: rename it without ].`);
    }
    const other = seen.get(`${kind} ${host}`);
    if (other !== undefined) {
      throw badInput(`${other} and ${path} are of the same host, ${host}: give the folder of one run.`);
    }
    seen.set(`${kind} ${host}`, path);
  }
  return files.sort((a, b) => compareText(a.host, b.host) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

interface MonitorOptions {
  /** What one host can send and, at the same time, receive. Null or left out: the largest rate measured on any host. */
  readonly networkBytesPerSecond?: number | null | undefined;
  /** What the disks of one host can read, and write. Null or left out: the largest rate measured on any host. */
  readonly diskBytesPerSecond?: number | null | undefined;
}

type Measured = MonitorFile & Content;

/** The files' columns as metrics; adds a notice for each capacity it had to guess. */
function toMetrics(
  files: readonly Measured[],
  options: MonitorOptions & { readonly originNs: bigint; readonly notices: string[] },
): MetricInput[] {
  const guess = (kind: Measured['kind'], what: string): number => {
    const columns = files.filter((file) => file.kind === kind).flatMap((file) => file.columns);
    const rate = columns.reduce((largest, column) => column.reduce((a, b) => Math.max(a, b), largest), 0);
    if (columns.length > 0) {
      options.notices.push(
        `The capacity of the ${what} was not given. The largest measured rate is used, ${Math.round(rate)} bytes/s, so the busiest period counts as full.`,
      );
    }
    return rate;
  };
  const network = options.networkBytesPerSecond ?? guess('net-dev', 'network');
  const disk = options.diskBytesPerSecond ?? guess('diskstats', 'disks');
  return files.flatMap(({ path, host, kind, cpus, boundsNs, columns }): MetricInput[] => {
    const times = boundsNs.map((boundNs) => sinceOrigin(path, boundNs, options.originNs));
    const [startNs, endNs] = [Float64Array.from(times.slice(0, -1)), Float64Array.from(times.slice(1))];
    return columns.map((column, index) => ({
      class: 'consumable',
      path: `/host[host=${host}]/${KINDS[kind].metrics[index]}`,
      capacity: cpus ?? (kind === 'net-dev' ? network : disk),
      startNs,
      endNs,
      rates: Float64Array.from(column),
    }));
  });
}

/** The one place where times become numbers, which hold 104 days exactly. */
function sinceOrigin(path: string, timeNs: bigint, originNs: bigint): number {
  const ns = Number(timeNs - originNs);
  if (Number.isSafeInteger(ns)) return ns;
  throw badInput(
    `${path} has a record of ${timeNs} ns, more than 104 days from the origin (${originNs} ns). Use the files of one run, or give the origin in ns since 1970.`,
  );
}

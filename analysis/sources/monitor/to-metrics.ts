import { badInput } from '../../../base/errors.ts';
import type { MetricInput } from '../../grade10/model/metrics.ts';
import type { MonitorFile } from './find-files.ts';
import { type Content, KINDS } from './proc-files.ts';

export interface MonitorOptions {
  /** What one host can send and, at the same time, receive. Null or left out: the largest rate measured on any host. */
  readonly networkBytesPerSecond?: number | null | undefined;
  /** What the disks of one host can read, and write. Null or left out: the largest rate measured on any host. */
  readonly diskBytesPerSecond?: number | null | undefined;
}

export type Measured = MonitorFile & Content;

/** The files' columns as metrics; adds a notice for each capacity it had to guess. */
export function toMetrics(
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

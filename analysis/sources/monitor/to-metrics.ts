import { badInput } from '../../../base/index.ts';
import type { MetricInput } from '../../grade10/index.ts';
import type { Periods } from './periods.ts';

export interface MonitorOptions {
  /** What one host can send and, at the same time, receive. Null or left out: the largest rate measured on any host. */
  readonly networkBytesPerSecond?: number | null | undefined;
  /** What the disks of one host can read, and write. Null or left out: the largest rate measured on any host. */
  readonly diskBytesPerSecond?: number | null | undefined;
}

/** One file's content; a union because only CPUs know their capacity. */
export type Measured = Periods & {
  readonly host: string;
  readonly path: string;
  /** Time of the first record, be it usable or not. */
  readonly firstNs: bigint;
} & ({ readonly kind: 'stat'; readonly cpus: number } | { readonly kind: 'net-dev' | 'diskstats' });

/** The metric of each column, below the host. */
const NAMES = {
  stat: ['cpu'],
  'net-dev': ['network/bytes-in', 'network/bytes-out'],
  diskstats: ['disk/bytes-read', 'disk/bytes-written'],
} as const;

/** The files' columns as metrics; adds a notice for each capacity it had to guess. */
export function toMetrics(
  files: readonly Measured[],
  {
    networkBytesPerSecond,
    diskBytesPerSecond,
    originNs,
    notices,
  }: MonitorOptions & { readonly originNs: bigint; readonly notices: string[] },
): MetricInput[] {
  const guess = (kind: Measured['kind'], what: string): number => {
    const same = files.filter((file) => file.kind === kind);
    const rate = largest(same);
    if (same.length > 0) {
      notices.push(
        `The capacity of the ${what} was not given: the largest rate measured is taken, ${Math.round(rate)} bytes/s, so that the busiest period counts as full.`,
      );
    }
    return rate;
  };
  const network = networkBytesPerSecond ?? guess('net-dev', 'network');
  const disk = diskBytesPerSecond ?? guess('diskstats', 'disks');
  return files.flatMap((file): MetricInput[] => {
    const times = file.boundsNs.map((boundNs) => sinceOrigin(file.path, boundNs, originNs));
    const startNs = Float64Array.from(times.slice(0, -1));
    const endNs = Float64Array.from(times.slice(1));
    const capacity = file.kind === 'stat' ? file.cpus : file.kind === 'net-dev' ? network : disk;
    return file.columns.map((column, index) => ({
      class: 'consumable',
      path: `/host[host=${file.host}]/${NAMES[file.kind][index]}`,
      capacity,
      startNs,
      endNs,
      rates: Float64Array.from(column),
    }));
  });
}

function largest(files: readonly Periods[]): number {
  let rate = 0;
  for (const { columns } of files) for (const column of columns) for (const one of column) rate = Math.max(rate, one);
  return rate;
}

/** The one place where times become numbers, which hold 104 days exactly. */
function sinceOrigin(path: string, timeNs: bigint, originNs: bigint): number {
  const ns = Number(timeNs - originNs);
  if (Number.isSafeInteger(ns)) return ns;
  throw badInput(
    `${path} has a record of ${timeNs} ns, more than 104 days from the origin (${originNs} ns): take the files of one run, or give the origin in ns since 1970.`,
  );
}

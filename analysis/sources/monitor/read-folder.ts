import { readFile } from 'node:fs/promises';
import { assertNever, badInput, messageOf } from '../../../base/index.ts';
import type { MetricInput } from '../../grade10/index.ts';
import { Cursor } from './cursor.ts';
import { findFiles, type MonitorFile } from './find-files.ts';
import { diskStats, netDev } from './list-formats.ts';
import { readLists } from './proc-lists.ts';
import { readProcStat } from './proc-stat.ts';
import { type Measured, type MonitorOptions, toMetrics } from './to-metrics.ts';

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
  for (const file of await findFiles(folder)) {
    const bytes = await bytesOf(file.path);
    const found = measure(file, bytes, notices);
    if (found) measured.push(found);
    else notices.push(`${file.path} has fewer than two usable records (${bytes.length} bytes): it is left out.`);
  }
  const origin = originNs ?? measured.reduce<bigint | null>(earlier, null) ?? 0n;
  return {
    originNs: origin,
    hosts: [...new Set(measured.map(({ host }) => host))],
    metrics: toMetrics(measured, { ...capacities, originNs: origin, notices }),
    notices,
  };
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw badInput(`${path} cannot be read (${messageOf(error)}): make it readable or leave it out.`, error);
  }
}

function measure({ kind, host, path }: MonitorFile, bytes: Buffer, notices: string[]): Measured | null {
  const cursor = new Cursor(path, bytes);
  const firstNs = (): bigint => bytes.readBigUInt64LE(0);
  switch (kind) {
    case 'stat': {
      const periods = readProcStat(cursor, notices);
      return periods && { ...periods, host, path, kind, firstNs: firstNs() };
    }
    case 'net-dev':
    case 'diskstats': {
      const periods = readLists(cursor, notices, kind === 'net-dev' ? netDev : diskStats);
      return periods && { ...periods, host, path, kind, firstNs: firstNs() };
    }
    default:
      return assertNever(kind);
  }
}

function earlier(before: bigint | null, { firstNs }: Measured): bigint {
  return before === null || firstNs < before ? firstNs : before;
}

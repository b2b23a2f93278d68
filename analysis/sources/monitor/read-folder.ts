import { badInput, messageOf } from '../../../base/errors.ts';
import { readRegular } from '../../../experiments/store/regular.ts';
import type { MetricInput } from '../../grade10/model/metrics.ts';
import { Cursor } from './cursor.ts';
import { findFiles } from './find-files.ts';
import { KINDS } from './proc-files.ts';
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

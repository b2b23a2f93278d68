import type { WatchedProcess } from './host-watch.ts';

/** Samples scatter: by so many standard deviations, and so much beside, they may differ from what the kernel counts. */
const [DEVIATIONS, BESIDE] = [4, 0.05];

/**
 * Share of the time in which a process was on a processor or in line for one. The kernel counts both (schedstat), which has no scatter; where
 * samples contradict it, as for a control group at its quota, or it counts nothing, the samples say it.
 */
export function runShare({ sums: { seen, running, runNs, timedNs } }: WatchedProcess): number {
  const sampled = running / seen;
  if (timedNs === 0 || running === seen) return sampled;
  const counted = Math.min(1, runNs / timedNs);
  const scatter = Math.sqrt((counted * (1 - counted)) / seen);
  return Math.abs(counted - sampled) <= DEVIATIONS * scatter + BESIDE ? counted : sampled;
}

/** Of its time on a processor alone; null where the kernel does not count it. */
export function onCpuShare({ sums: { onCpuNs, timedNs } }: WatchedProcess): number | null {
  return timedNs === 0 ? null : Math.min(1, onCpuNs / timedNs);
}

/** Share of the time of some of the samples in which a process did not run: of what it did then, they say how it is divided. */
export function stillShare(process: WatchedProcess, samples: number): number {
  const { seen, running } = process.sums;
  return samples === 0 ? 0 : ((1 - runShare(process)) * samples) / (seen - running);
}

// proc-stat-HOST of Grade10's resource monitor (https://github.com/atlarge-research/grade10, utils/resource-monitor): per
// record a u64 time, the number of CPUs, and per CPU ten differences in jiffies in the order of proc(5)'s /proc/stat.
import { badInput } from '../../../base/index.ts';
import type { Cursor } from './cursor.ts';
import { DeltaSum } from './deltas.ts';
import { type Periods, PeriodsWriter } from './periods.ts';
import { readRecords } from './read-records.ts';

const FIELDS = 10;
/** user, nice, system, irq, softirq, steal. Idle and iowait are not busy; guest and guestnice are within user and nice. */
const BUSY = [0, 1, 2, 5, 6, 7];

/** Cores busy, in one column, and how many there are; null without a period. Errors: badInput if the CPUs change. */
export function readProcStat(cursor: Cursor, notices: string[]): (Periods & { readonly cpus: number }) | null {
  const writer = new PeriodsWriter({ columns: 1, scale: 1 / 100 });
  // Written as 32-bit numbers, whatever the kernel has.
  const deltas = new DeltaSum({ bits: 32 });
  let cpus: number | null = null;
  let busy: number[] = [];
  for (const { timeNs, body } of readRecords(cursor, notices, () => readCpus(cursor, cpus))) {
    if (cpus === null) {
      cpus = body.cpus;
      busy = Array.from({ length: cpus }, (_, cpu) => BUSY.map((field) => cpu * FIELDS + field)).flat();
      writer.baseline(timeNs);
    } else {
      writer.add(timeNs, [deltas.of(body.values, busy)]);
    }
  }
  notices.push(...deltas.notices(cursor.file));
  const periods = writer.finish();
  return periods && { ...periods, cpus: cpus ?? 0 };
}

function readCpus(cursor: Cursor, expected: number | null): { readonly cpus: number; readonly values: number[] } {
  const { file, offset } = cursor;
  const cpus = cursor.varint();
  if (expected !== null && cpus !== expected) {
    throw badInput(
      `${file} gives the number of CPUs as ${cpus} at byte ${offset}, its first record as ${expected}: the file is damaged or two were joined, so leave it out.`,
    );
  }
  const values: number[] = [];
  for (let left = cpus * FIELDS; left > 0; left -= 1) values.push(cursor.varint());
  return { cpus, values };
}

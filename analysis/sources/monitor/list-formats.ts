// Fields of proc-net-dev-HOST and proc-diskstats-HOST (https://github.com/atlarge-research/grade10, utils/resource-monitor).
import type { ListFormat } from './proc-lists.ts';

/** Per interface: rx bytes, rx packets, tx bytes, tx packets. */
export const netDev: ListFormat = {
  things: 'interfaces',
  fields: 4,
  columns: [0, 2],
  scale: 1,
  counted: (name) => name !== 'lo',
};

/**
 * Per disk: reads, sectors read, ms reading, writes, sectors written, ms writing, ms of I/O. The monitor's document leaves
 * one of the seven out. A sector is 512 bytes, whatever the disk's own are.
 */
export const diskStats: ListFormat = {
  things: 'disks',
  fields: 7,
  columns: [1, 4],
  scale: 512,
  // /proc/diskstats repeats a disk's traffic in its partitions and in what lies on it; RAM disks are no disks.
  counted: (name, names) => !STACKED.test(name) && !isPartition(name, names),
};

const STACKED = /^(?:bcache|dm-|drbd|loop|md|ram|zd|zram)\d/;

/** `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`; without its disk in the list a partition stands for it. */
function isPartition(name: string, names: ReadonlySet<string>): boolean {
  const stem = name.replace(/\d+$/, '');
  if (stem === name) return false;
  return names.has(stem) || (/\dp$/.test(stem) && names.has(stem.slice(0, -1)));
}

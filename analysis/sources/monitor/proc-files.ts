import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { withoutEnd } from '../../../base/text.ts';
import type { Cursor } from './cursor.ts';

// Bodies of the records of Grade10's resource monitor (https://github.com/atlarge-research/grade10, utils/resource-monitor).

/** The content of one file. */
export interface Content extends Periods {
  /** How many CPUs the host has, of proc-stat only. */
  readonly cpus?: number;
}

interface ListFormat {
  /** What the names are of, for messages. */
  readonly things: string;
  /** Differences per name. */
  readonly fields: number;
  /** Of which these become columns. */
  readonly columns: readonly number[];
  /** Bytes per count. */
  readonly scale: number;
  /** Whether a thing adds to the host's sum, given all names of the list. */
  readonly counted: (name: string, names: ReadonlySet<string>) => boolean;
}

/** Kinds of files, in the order in which they are read: their metrics below the host, a column each, and how they are read. */
export const KINDS = {
  stat: { metrics: ['cpu'], read: readStat },
  'net-dev': {
    metrics: ['network/bytes-in', 'network/bytes-out'],
    /** Per interface: rx bytes, rx packets, tx bytes, tx packets. */
    read: lists({ things: 'interfaces', fields: 4, columns: [0, 2], scale: 1, counted: (name) => name !== 'lo' }),
  },
  diskstats: {
    metrics: ['disk/bytes-read', 'disk/bytes-written'],
    /**
     * Per disk: reads, sectors read, ms reading, writes, sectors written, ms writing, ms of I/O. The monitor's document leaves
     * one of the seven out. A sector is 512 bytes, whatever the disk's own are.
     */
    read: lists({ things: 'disks', fields: 7, columns: [1, 4], scale: 512, counted: isDisk }),
  },
} as const;
export type Kind = keyof typeof KINDS;

const STACKED = /^(?:bcache|dm-|drbd|loop|md|ram|zd|zram)\d/;

/** /proc/diskstats repeats a disk's traffic in its partitions and in what lies on it; RAM disks are no disks. */
function isDisk(name: string, names: ReadonlySet<string>): boolean {
  if (STACKED.test(name)) return false;
  // `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`; without its disk in the list a partition stands for it.
  const stem = withoutEnd(name, '0123456789');
  return stem === name || !(names.has(stem) || (/\dp$/.test(stem) && names.has(stem.slice(0, -1))));
}

const CPU_FIELDS = 10;
/** user, nice, system, irq, softirq, steal. Idle and iowait are not busy; guest and guestnice are within user and nice. */
const BUSY = [0, 1, 2, 5, 6, 7];

/**
 * Cores busy, in one column; null without a period. Per record the number of CPUs, and per CPU ten differences in jiffies in the
 * order of proc(5)'s /proc/stat, as 32-bit numbers whatever the kernel has. Errors: badInput if the CPUs change.
 */
function readStat(cursor: Cursor, notices: string[]): Content | null {
  const writer = new PeriodsWriter({ columns: 1, scale: 1 / 100, bits: 32 });
  let cpus: number | null = null;
  let busy: number[] = [];
  for (const { timeNs, body } of cursor.records(notices, () => readCpus(cursor, cpus))) {
    if (cpus === null) {
      cpus = body.cpus;
      busy = Array.from({ length: cpus }, (_, cpu) => BUSY.map((field) => cpu * CPU_FIELDS + field)).flat();
      writer.baseline(timeNs);
    } else {
      writer.add(timeNs, body.values, [busy]);
    }
  }
  const periods = writer.finish(cursor.file, notices);
  return periods && { ...periods, cpus: cpus ?? 0 };
}

function readCpus(cursor: Cursor, expected: number | null): { readonly cpus: number; readonly values: number[] } {
  const { file, offset } = cursor;
  const cpus = cursor.varint();
  if (expected !== null && cpus !== expected) {
    throw badInput(
      `${file} gives ${cpus} CPUs at byte ${offset}, but ${expected} in its first record. The file is damaged or was joined from two: leave it out.`,
    );
  }
  return { cpus, values: cursor.times(cpus * CPU_FIELDS, () => cursor.varint()) };
}

/**
 * Bytes per second summed over what counts, a column per entry of `columns`; null without a period. After the time a type;
 * 0: a count and as many names; 1: the count again and differences per name. Errors: badInput.
 */
function lists(format: ListFormat) {
  const { things, columns, scale, fields, counted: counts } = format;
  return (cursor: Cursor, notices: string[]): Content | null => {
    const writer = new PeriodsWriter({ columns: columns.length, scale, bits: 64 });
    let names: readonly string[] | null = null;
    let places: readonly (readonly number[])[] = [];
    let [isBaseline, listed, counted] = [true, 0, 0];
    for (const { timeNs, body } of cursor.records(notices, () => readList(cursor, format, names))) {
      if ('names' in body) {
        names = body.names;
        const all = new Set(names);
        const rows = [...names.entries()].filter(([, name]) => counts(name, all)).map(([row]) => row);
        places = columns.map((column) => rows.map((row) => row * fields + column));
        // The monitor forgets its previous reading with the list: the next one is since boot.
        isBaseline = true;
        listed += 1;
        counted += rows.length;
      } else if (isBaseline) {
        writer.baseline(timeNs);
        isBaseline = false;
      } else {
        writer.add(timeNs, body.values, places);
      }
    }
    const periods = writer.finish(cursor.file, notices);
    if (listed > 0 && counted === 0) {
      notices.push(`${cursor.file} lists no ${things} that count, only ${names?.join(', ') || 'none'}.`);
      return null;
    }
    if (listed > 1) {
      notices.push(
        `${cursor.file} has ${listed} lists of ${things}: the rate around each change is unknown, so that of the next period is used.`,
      );
    }
    return periods;
  };
}

function readList(
  cursor: Cursor,
  { things, fields }: ListFormat,
  listed: readonly string[] | null,
): { readonly names: readonly string[] } | { readonly values: readonly number[] } {
  const { file, offset } = cursor;
  const type = cursor.byte();
  if (type !== 0 && type !== 1) {
    throw badInput(
      `${file} has a record of type ${type} at byte ${offset}, but only 0 (names) and 1 (values) are known. The file is damaged or of another program: leave it out.`,
    );
  }
  if (type === 1 && listed === null) {
    throw badInput(
      `${file} has values at byte ${offset} before any list of ${things} (type ${type}). Its beginning is missing: copy it again or leave it out.`,
    );
  }
  const countAt = cursor.offset;
  const count = cursor.varint();
  if (type === 0) return { names: cursor.times(count, () => cursor.text()) };
  if (listed !== null && count !== listed.length) {
    throw badInput(
      `${file} gives ${count} ${things} at byte ${countAt}, but lists ${listed.length}. The file is damaged: copy it again or leave it out.`,
    );
  }
  return { values: cursor.times(count * fields, () => cursor.varint()) };
}

/** Rates over touching periods, one column per metric; period i is from bound i to bound i + 1. */
interface Periods {
  readonly boundsNs: readonly bigint[];
  readonly columns: readonly (readonly number[])[];
}

/**
 * Turns differences of counters into rates. The monitor subtracts unsigned words, so a counter that ran backwards (an interface
 * set up anew, steal time on some hypervisors) shows as one close to 2^bits: what happened is unknown and counts as 0.
 */
class PeriodsWriter {
  readonly #perSecond: number;
  readonly #limit: number;
  readonly #boundsNs: bigint[] = [];
  readonly #columns: readonly number[][];
  #fromNs: bigint | null = null;
  #backwards = 0;

  /** `scale`: what a count of 1 is, in the rates' unit times seconds: 1/100 for jiffies as cores, 512 for sectors as bytes. */
  constructor({ columns, scale, bits }: { readonly columns: number; readonly scale: number; readonly bits: 32 | 64 }) {
    this.#perSecond = scale * 1e9;
    this.#limit = 2 ** (bits - 1);
    this.#columns = Array.from({ length: columns }, () => []);
  }

  /** A reading whose counts are since boot: only what is counted after it has a known beginning. */
  baseline(timeNs: bigint): void {
    this.#fromNs = timeNs;
    if (this.#boundsNs.length < 2) this.#boundsNs[0] = timeNs;
  }

  /**
   * A reading and its differences to the one before it; per column the places of those that it sums. After a later baseline the
   * period reaches back to close the gap.
   */
  add(timeNs: bigint, values: readonly number[], places: readonly (readonly number[])[]): void {
    const ns = Number(timeNs - (this.#fromNs ?? timeNs));
    this.#boundsNs.push(timeNs);
    for (const [index, column] of this.#columns.entries()) {
      let sum = 0;
      for (const place of at(places, index)) {
        const value = at(values, place);
        if (value < this.#limit) sum += value;
        else this.#backwards += 1;
      }
      column.push((sum * this.#perSecond) / ns);
    }
    this.#fromNs = timeNs;
  }

  /** Null when there is no period. */
  finish(file: string, notices: string[]): Periods | null {
    if (this.#backwards > 0) {
      notices.push(`${file} has ${this.#backwards} counter differences below zero: they count as 0.`);
    }
    return this.#boundsNs.length < 2 ? null : { boundsNs: this.#boundsNs, columns: this.#columns };
  }
}

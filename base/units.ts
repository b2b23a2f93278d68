import { badInput } from './errors.ts';
import { capital, shortened } from './text.ts';

declare const unit: unique symbol;
/** A number of one unit, for which no other number passes; what is computed with it is a plain number again. */
type Brand<Unit extends string> = number & { readonly [unit]: Unit };

/** Bits per second of link and data rates; 1 kbit = 1000 bit, as tc counts. */
export type BitsPerSecond = Brand<'bit/s'>;
/** Above 0 and up to 100. */
export type Percent = Brand<'%'>;
/** Of leases and timeouts. */
export type Seconds = Brand<'s'>;

/** Numbers as rates, percentages and times. Errors: RangeError for what is none, a fault in the program. */
export const asBitsPerSecond = (value: number): BitsPerSecond => branded(value, 'bit/s');
export const asPercent = (value: number): Percent => branded(value, '%', 100);
export const asSeconds = (value: number): Seconds => branded(value, 's');

function branded<Unit extends string>(value: number, name: Unit, max = Number.MAX_VALUE): Brand<Unit> {
  if (!(value > 0 && value <= max)) throw new RangeError(`${value} ${name} is outside its range`);
  return value as Brand<Unit>;
}

const RATE_FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };
const BYTE_FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
};

/** No link is slower or faster, bits per second; the agent takes no more (agents/host/link-tree.c). */
const LINK_RATES = { least: 1e3, most: 1e13 } as const;
/** An EiB, far from what a number holds exactly no more. */
const MOST_BYTES = 2 ** 60;

/** How rates and sizes are written: a number and its unit. */
export const RATE = /^\s*(\d+(?:\.\d+)?)\s*([kmgtKMGT]?)(?:bit|bits|bps|bit\/s|b\/s|B\/s)\s*$/;
export const BYTES = /^\s*(\d+(?:\.\d+)?)(?:\s*(?:([kmgtKMGT][iI]?)[bB]?|[bB]))?\s*$/;

/**
 * `200mbit`, `56gbit`, `10Gbps`, `9600bit`, and of bytes `25MB/s`, as bits per second, from 1 kbit/s to 10 Tbit/s. A number without
 * a unit is an error, and so is a capital B without `/s`.
 */
export function parseRate(text: string): BitsPerSecond {
  const isBytes = /^[\s\d.]+[kmgtKMGT]?B/.test(text);
  if (isBytes && !/B\/s\s*$/.test(text)) {
    throw badInput(
      `'${shortened(text)}' has a capital B, which means bytes: write bits, such as 200mbit or 56gbit, or bytes, such as 25MB/s.`,
    );
  }
  const match = RATE.exec(text);
  const factor = RATE_FACTORS[match?.[2]?.toLowerCase() ?? ''];
  const rate = Number(match?.[1]) * (factor ?? Number.NaN) * (isBytes ? 8 : 1);
  if (!match || !(rate > 0)) {
    throw badInput(
      `'${shortened(text)}' is not a link rate: write a positive number with its unit, such as 200mbit or 56gbit.`,
    );
  }
  if (rate < LINK_RATES.least || rate > LINK_RATES.most) {
    throw badInput(`'${shortened(text)}' is outside the range of link rates, 1kbit to 10tbit.`);
  }
  return asBitsPerSecond(rate);
}

/** The rate that `percent` of a line rate is. */
export function rateOf(lineRate: BitsPerSecond, share: Percent): BitsPerSecond {
  return asBitsPerSecond((lineRate * share) / 100);
}

/** Bits per second as people write them: 200 Mbit/s. */
export function formatRate(rate: number): string {
  const [divisor, unit] = rate >= 1e9 ? [1e9, 'Gbit/s'] : rate >= 1e6 ? [1e6, 'Mbit/s'] : [1e3, 'kbit/s'];
  return `${trimNumber(rate / divisor)} ${unit}`;
}

/** `256GiB`, `64 GB`, `1024` -> bytes. */
export function parseBytes(text: string): number {
  const match = BYTES.exec(text);
  const bytes = Number(match?.[1]) * (BYTE_FACTORS[match?.[2]?.toLowerCase() ?? ''] ?? Number.NaN);
  if (!match || !(bytes > 0)) {
    throw badInput(`'${shortened(text)}' is not a size in bytes: write a positive number such as 256GiB or 64GB.`);
  }
  if (bytes < 1 || bytes > MOST_BYTES) {
    throw badInput(`'${shortened(text)}' is outside the range of sizes, 1 byte to 1048576TiB.`);
  }
  return bytes;
}

export function formatBytes(bytes: number): string {
  const [divisor, unit] =
    bytes >= 2 ** 40
      ? [2 ** 40, 'TiB']
      : bytes >= 2 ** 30
        ? [2 ** 30, 'GiB']
        : bytes >= 2 ** 20
          ? [2 ** 20, 'MiB']
          : [2 ** 10, 'KiB'];
  return `${trimNumber(bytes / divisor)} ${unit}`;
}

/** How percentages are written. */
export const PERCENTAGE = /^\s*(\d+(?:\.\d+)?)(?:\s*%)?\s*$/;

/** `6%` or `6` -> 6: from 0.001 to 100, both included. */
export function parsePercent(text: string, what: string): Percent {
  const match = PERCENTAGE.exec(text);
  const value = Number(match?.[1]);
  if (!match || !(value >= 0.001) || value > 100) {
    throw badInput(
      `${what}: '${shortened(text)}' is outside its range: write a percentage from 0.001 up to 100, such as 20%.`,
    );
  }
  return asPercent(value);
}

/** Seconds as people read them: 850 ms, 12.3 s, 4 min 05 s, 2 h 07 min. */
export function formatSeconds(time: number): string {
  if (!Number.isFinite(time)) return 'unknown';
  if (time < 1e-3) return `${trimNumber(time * 1e6)} µs`;
  if (time < 1) return `${trimNumber(time * 1e3)} ms`;
  if (time < 60) return `${trimNumber(time)} s`;
  const whole = Math.round(time);
  const pad = (value: number): string => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
}

/** At most three significant digits, without an exponent or trailing zeros. */
export function trimNumber(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return String(Number(value.toFixed(Math.min(digits, 12))));
}

/** Three significant digits for columns, so with trailing zeros; thousands are whole: `1.00`, `574`, `2783`. */
export function threeDigits(value: number): string {
  return Math.abs(value) >= 999.5 ? value.toFixed(0) : value.toPrecision(3);
}

/** Percent with no more digits than an estimate deserves: `9.1 %`, `12 %`. */
export function roughly(value: number): string {
  return `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
}

/** `1 node`, `4 nodes`. */
export function nodesText(nodes: number): string {
  return `${nodes} ${nodes === 1 ? 'node' : 'nodes'}`;
}

/**
 * The size of a problem in a sentence, `, scale 20`, behind `before`. Nothing for a program without sizes: its runs have scale 0.
 */
export function sizeText(scale: number, before = ', ', show: (scale: number) => string = String): string {
  return scale === 0 ? '' : `${before}scale ${show(scale)}`;
}

/** `Scale 20: time over nodes`; `Time over nodes` for a program without sizes. */
export function underSize(scale: number, text: string, show: (scale: number) => string = String): string {
  return scale === 0 ? capital(text) : `Scale ${show(scale)}: ${text}`;
}

/** The ends of an interval; null is an end without a bound. */
interface Ends {
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * The ends of an interval, the unit once where both have it: `366 to 480 ms`. For columns whose head names the level; a sentence
 * takes `estimateText`. An end of null is written as `unbounded`.
 */
export function endsText({ low, high }: Ends, show: (value: number) => string, unbounded = '?'): string {
  const [from, to] = [low, high].map((end) => (end === null ? unbounded : show(end))) as [string, string];
  const unit = unitOf(from);
  return `${unit !== '' && unit === unitOf(to) ? from.slice(0, -unit.length) : from} to ${to}`;
}

/** An interval with its level (a probability): `90 % interval 366 to 480 ms`. */
export function intervalText(
  ends: Ends,
  show: (value: number) => string,
  { level = 0.9, unbounded }: { readonly level?: number; readonly unbounded?: string } = {},
): string {
  return `${Math.round(level * 100)} % interval ${endsText(ends, show, unbounded)}`;
}

/** A value with its interval: `412 ms (90 % interval 366 to 480 ms)`; the value alone where an end is not known. */
export function estimateText(
  { value, ...ends }: Ends & { readonly value: number | null },
  show: (value: number) => string,
  level = 0.9,
): string {
  if (value === null) return 'unknown';
  return ends.low === null || ends.high === null
    ? show(value)
    : `${show(value)} (${intervalText(ends, show, { level })})`;
}

/** ` ms` of `366 ms`; nothing of a text with several numbers, such as `1 min 30 s`. */
function unitOf(text: string): string {
  return /^[−-]?[\d.,\u202f]+(\s?[^\d\s.,\u202f][^\d]*)$/u.exec(text)?.[1] ?? '';
}

/** What a full link needs for a byte of a TCP stream, headers of TCP, IP and Ethernet included: 1448 of 1514 bytes of a packet carry it. */
export const WIRE_BYTES = 1514 / 1448;

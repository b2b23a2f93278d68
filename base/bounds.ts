import { badInput } from './errors.ts';
import { shortened } from './text.ts';
import { asSeconds, formatSeconds, type Seconds } from './units.ts';

/** Both ends included. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

const between = (least: number, most: number): Bounds => ({ least, most });
const HOUR = 3600;
/** Timers hold 2^31 ms, 24 days; a week leaves room for what is added to a time-out on its way. */
const WEEK = 168 * HOUR;

/**
 * What times may be, in seconds. A lease is renewed at a third, by a round trip to every host that may take half a second: 2 s
 * is the least that holds. The most is how long a link may stay throttled when nobody is there any more.
 */
export const TIMES = {
  '--lease': between(2, HOUR),
  'throttle set --lease': between(2, 24 * HOUR),
  '--cell-timeout': between(1, WEEK),
  '--job-wait': between(1, WEEK),
  '--timeout': between(0.1, WEEK),
  '--slice': between(1e-6, HOUR),
  '--deadline': between(1e-6, 10_000 * HOUR),
  '--overhead': between(1e-3, WEEK),
  '--period': between(0.1, HOUR),
  '--for': between(0.1, WEEK),
  'sweep --budget': between(1, WEEK),
} as const satisfies Readonly<Record<string, Bounds>>;

/** What whole numbers may be. */
export const COUNTS = {
  '--reps': between(1, 10_000),
  /** The most that the bundled Graph500 takes. */
  '--roots': between(1, 2 ** 20),
  '--most-roots': between(1, 2 ** 20),
  /** A search by its number. */
  '--root': between(0, 2 ** 31 - 1),
  /** Messages before a wait. */
  '--before': between(1, 1000),
  /** Samples of a rank's stack per second on a processor. */
  '--profile-hz': between(1, 9999),
  /** Of a disturbed visit. */
  '--repeats': between(0, 100),
  '--validate': between(1, 2 ** 20),
  /** Jobs that wait. */
  '--capacity': between(1, 1e9),
  /** Runs before a candidate: a deviation needs two. */
  '--window': between(2, 10_000),
  /** Profiles with a code path: a coefficient needs two. */
  '--least': between(2, 10_000),
  /** Calls below a code path. */
  '--degree': between(0, 1_000_000),
  /** Steps of a branch, extensions of one. */
  '--max-depth': between(0, 1000),
  '--max-breadth': between(1, 1000),
  /** Rows of a ranking. */
  '--most': between(1, 1_000_000),
  /** Of a campaign in a queue: the lowest is first. */
  '--priority': between(1, 1000),
  /** Runs of a campaign that a site may begin in an hour; 0 is any number. */
  'queue rate': between(0, 3600),
  /** Runs of a worker at once. */
  '--slots': between(1, 10_000),
  '--seed': between(0, Number.MAX_SAFE_INTEGER),
  '--at-nodes': between(1, 1e7),
  '--ranks-per-node': between(1, 100_000),
  '--threads': between(1, 100_000),
  '--base-scale': between(0, 60),
  '--bootstrap': between(20, 100_000),
  /** Of a lab: its addresses are 10.77.0.1 and on. */
  '--hosts': between(1, 400),
  /** 2^scale labels; the sizes of a graph that one process holds. */
  'graph generate --scale': between(1, 30),
  'graph generate --edge-factor': between(1, 1024),
} as const satisfies Readonly<Record<string, Bounds>>;

/** What other numbers may be. */
export const NUMBERS = {
  '--hz': between(1, 1000),
  '--interval': between(0.501, 0.9999),
  '--budget': between(1e-6, 1e9),
  '--gain': between(0.001, 100),
  '--efficiency': between(0.001, 100),
  '--cti': between(0.001, 10_000),
  '--runs': between(1, 1e12),
  '--price': between(1e-9, 1e9),
  '--link-price': between(1e-9, 1e9),
  '--reference': between(1, 1e7),
  '--bytes-per-edge': between(0.001, 1e6),
  '--edge-factor': between(0.001, 1e6),
  /** How many times as long something lasts. */
  '--what-if': between(0, 1000),
  /** A metric of a run, mostly its seconds. */
  '--metric': between(0, 1e18),
  /** Scores up to which a branch is not followed. */
  '--threshold': between(-1e9, 1e9),
  /** Percent of the slice. */
  '--near': between(0, 100),
  /** Shares of the time of a period. */
  '--alpha': between(0, 1),
  '--beta': between(0, 1),
  /** Records per s of a dataflow job, and records of all of it. */
  '--target': between(1e-9, 1e15),
  '--size': between(1e-9, 1e18),
  /** Milliseconds one way; the agent takes no more (agents/host/link.c). */
  '--latency': between(0, 1000),
  /** Percent of a time. */
  '--fail-above': between(0, 10_000),
} as const satisfies Readonly<Record<string, Bounds>>;

/** What ranges may hold: the counts of nodes of a sweep, those of a model, scales, and percent of the line rate. */
export const RANGES = {
  'sweep --nodes': between(1, 100_000),
  '--nodes': between(1, 1e7),
  '--scale': between(0, 60),
  '--bw': between(0.001, 100),
} as const satisfies Readonly<Record<string, Bounds>>;

/** How much one command may make of them. */
export const SIZES = {
  /** Cells of one sweep. */
  cells: 100_000,
  /** Settings of nodes, bandwidth and scale that are projected to. */
  projections: 100_000,
  /** Projections times the replicates of the bootstrap. */
  estimates: 100_000_000,
  /** Slices of time of one job, and the sum of those in which its phases live, times the metrics they use. */
  slices: 100_000_000,
} as const;

/** Seconds of each unit of time that a flag takes. */
const UNITS: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, min: 60, h: HOUR };

/** How times and whole numbers are written. */
export const TIME = /^\s*(\d+(?:\.\d+)?)(?:\s*(us|ms|s|m|min|h))?\s*$/;
export const WHOLE = /^\s*\d+\s*$/;

/** `90`, `90s`, `10m`, `2h`, `20ms` -> seconds within the flag's bounds. */
export function parseSeconds(text: string, what: keyof typeof TIMES): Seconds {
  const match = TIME.exec(text);
  const value = Number(match?.[1]) * (UNITS[match?.[2] ?? 's'] as number);
  if (!match)
    throw badInput(`${what}: '${shortened(text)}' is not a time: write for example 90, 90s, 10m, 2h or 20ms.`);
  return asSeconds(within(value, { text, what, bounds: TIMES[what], show: formatSeconds }));
}

/** A whole number within the flag's bounds. */
export function parseCount(text: string, what: keyof typeof COUNTS): number {
  if (!WHOLE.test(text)) throw badInput(`${what}: '${shortened(text)}' is not a whole number.`);
  return within(Number(text), { text, what, bounds: COUNTS[what], show: String });
}

/** A decimal number within the flag's bounds. */
export function parseNumber(text: string, what: keyof typeof NUMBERS): number {
  const value = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw badInput(`${what}: '${shortened(text)}' is not a number.`);
  return within(value, { text, what, bounds: NUMBERS[what], show: String });
}

/** Refuses more than `most` of something before it is made; `what` is `the sweep has N cells`, `help` what to do. */
export function refuseMore(count: number, most: number, { what, help }: { what: string; help: string }): void {
  if (count <= most) return;
  throw badInput(`${what}, more than ${most.toLocaleString('en')}: ${help}.`);
}

function within(
  value: number,
  {
    text,
    what,
    bounds: { least, most },
    show,
  }: {
    readonly text: string;
    readonly what: string;
    readonly bounds: Bounds;
    readonly show: (value: number) => string;
  },
): number {
  if (value >= least && value <= most) return value;
  throw badInput(`${what}: '${shortened(text)}' is outside its range, ${show(least)} to ${show(most)}.`);
}

/** One of the words that a flag may be. Errors: badInput names them. */
export function parseWord<T extends string>(text: string, flag: string, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw badInput(`${flag}: '${shortened(text)}' is not one of ${words.join(', ')}.`);
  return found;
}

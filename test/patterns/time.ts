import { createContext, Script } from 'node:vm';
import type { Pattern } from './collect.ts';
import { type Pump, pumpsOf } from './pumps.ts';

/** Characters that all pumps of a pattern are tried with: enough that a quadratic time stands out, ... */
const SHORT = 2 ** 11;
/** ... and ms of a processor from which on a pump is tried with all. */
const STANDS_OUT_MS = 1;
/** Pumps that are tried with all. */
const SUSPECTS = 4;
/** What is kept of a command's output in memory, characters. */
const LONG = 8 * 2 ** 20;
/** Of that, where nothing is kept on the matcher's stack: a part tells the same. */
const PART = 16;
/** Of the wall clock, for all pumps of a pattern or a long text; a part of that text has its share. */
const PATIENCE_MS = 120_000;

export interface Timed {
  readonly pump: Pump;
  /** Of a processor; infinite where it was ended or failed. */
  readonly ms: number;
}

/** How long a pattern takes for the worst text of its own making, 8 MiB of it; null where nothing in it is repeated. */
export function slowest(pattern: Pattern, { patienceMs = PATIENCE_MS } = {}): Timed | null {
  const pumps = pumpsOf(pattern.source, pattern.flags);
  const short = timed(pattern, pumps, { length: SHORT, patienceMs }).sort((a, b) => b.ms - a.ms);
  const slow = short.filter(({ ms }, at) => at === 0 || ms > STANDS_OUT_MS).slice(0, SUSPECTS);
  // What a loop takes on the matcher's stack shows with long texts alone.
  const suspects = [...slow, ...short.filter((each) => each.pump.isLoop && !slow.includes(each))];
  if (suspects[0]?.ms === Number.POSITIVE_INFINITY) return suspects[0];
  const tried = (isLoop: boolean, length: number): Timed[] =>
    timed(
      pattern,
      suspects.flatMap(({ pump }) => (pump.isLoop === isLoop ? [pump] : [])),
      { length, patienceMs: (patienceMs * length) / LONG },
    );
  const parts = tried(false, LONG / PART).map(({ pump, ms }) => ({ pump, ms: PART * ms }));
  const long = [...tried(true, LONG), ...parts];
  return long.sort((a, b) => b.ms - a.ms)[0] ?? null;
}

/** One after the other, up to the first that fails or takes for ever: what comes behind it is left out. */
function timed(
  { source, flags }: Pattern,
  pumps: readonly Pump[],
  { length, patienceMs }: { readonly length: number; readonly patienceMs: number },
): Timed[] {
  const found: Timed[] = [];
  let started = process.cpuUsage();
  const tryAll = (): void => {
    for (const pump of pumps) {
      const pattern = new RegExp(source, flags);
      const text = textOf(pump, length);
      started = process.cpuUsage();
      if (pattern.global) text.replace(pattern, '');
      else pattern.exec(text);
      const { user, system } = process.cpuUsage(started);
      found.push({ pump, ms: (user + system) / 1000 });
    }
  };
  try {
    // The time-out of a script ends a match too.
    new Script('tryAll()').runInContext(createContext({ tryAll }), { timeout: patienceMs });
  } catch {
    const pump = pumps[found.length];
    if (pump !== undefined) found.push({ pump, ms: Number.POSITIVE_INFINITY });
  }
  return found;
}

function textOf({ before, pump, after }: Pump, length: number): string {
  const times = Math.max(1, Math.floor((length - before.length - after.length) / pump.length));
  const text = before + pump.repeat(times) + after;
  // A string of pieces is put together when it is first looked into.
  text.charCodeAt(0);
  return text;
}

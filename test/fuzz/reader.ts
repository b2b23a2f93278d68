import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EXIT, PredictError } from '../../base/errors.ts';
import { times } from '../times.ts';
import { watched } from './watched.ts';

/** How many inputs each reader is given, and the seed that they are drawn by; `npm run test:long` gives more. */
const INPUTS = times(25);
const SEED = Number(process.env.PREDICT_FUZZ_SEED ?? 20_240_501);
/** No input may take more of a processor, ms. */
const SLOWEST_MS = 1000;
/** No input may make the process take more memory, bytes. */
const MOST_RSS = 2 ** 30;
/** What the process takes before it has read anything. */
const ORDINARY_RSS = 2 ** 28;
/** Of a test as a whole, ms: readers that wait for disks are slow on a busy machine; what never ends is noticed elsewhere. */
const [LEAST_MS, EACH_MS] = [120_000, 2000];
/** Characters of a line of a message, and its lines: people read it. */
const LONGEST = 700;
const MOST_LINES = 41;

/** What JavaScript says of its own accord tells people nothing. */
const INNER = /Cannot read prop|is not a function|is not iterable|call stack|\[object Object\]|of undefined|of null\b/;

interface Reader<Input> {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  /** Reads one input; null says that it was refused without an error. */
  readonly read: (input: Input) => unknown;
  /** The kind of error that a refusal is. */
  readonly refusal?: keyof typeof EXIT;
  /** Of refusals; numbers of a value that was taken are finite wherever this does not say otherwise. */
  readonly isRight?: (value: unknown) => void;
  /** At least. */
  readonly count?: number;
  /** True for readers that take whatever they are given: there is nothing to refuse. */
  readonly refusesNothing?: boolean;
}

/**
 * Every input becomes a value in which all numbers are finite, or an error of the one kind with a short message; none takes a second of
 * a processor or a gibibyte, and one that does not come back ends the process (watched.ts).
 */
export function fuzz<Input>({
  name,
  inputs,
  read,
  refusal = 'badInput',
  isRight = allFinite,
  count = INPUTS,
  refusesNothing = false,
}: Reader<Input>): void {
  const runs = Math.max(INPUTS, count);
  test(`${name}: ${runs} inputs`, { timeout: Math.max(LEAST_MS, runs * EACH_MS) }, async ({ task }) => {
    let [accepted, refused, slowest, largest, number] = [0, 0, 0, 0, 0];
    const attempt = async (input: Input): Promise<{ value: unknown; failure: unknown }> => {
      try {
        return { value: await read(input), failure: null };
      } catch (error) {
        return { value: null, failure: error ?? new Error('an empty error') };
      }
    };
    // What earlier files left in a worker is not these inputs'.
    let beside = takenBeside();
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        number += 1;
        const before = process.cpuUsage();
        const { value, failure } = await watched(`${name}: input ${number} of seed ${SEED}`, () => attempt(input));
        // What it computes, not what it waits for others on this machine.
        const { user, system } = process.cpuUsage(before);
        const took = (user + system) / 1000;
        slowest = Math.max(slowest, took);
        if (took > SLOWEST_MS) throw new Error(`it took ${took.toFixed(0)} ms`);
        let rss = peakBytes() - beside;
        if (rss > MOST_RSS) {
          // Nor is what earlier inputs left this one's: it is read again, and judged by what it adds.
          collect();
          beside = takenBeside();
          await attempt(input);
          rss = peakBytes() - beside;
        }
        largest = Math.max(largest, rss);
        if (rss > MOST_RSS) throw new Error(`the process took ${(rss / 2 ** 20).toFixed(0)} MiB`);
        if (failure !== null) {
          if (!(failure instanceof PredictError) || failure.kind !== refusal) throw failure;
          const { message } = failure;
          if (message.length > LONGEST * MOST_LINES || message.split('\n').some((line) => line.length > LONGEST)) {
            throw new Error(`a message of ${message.length} characters`);
          }
          if (INNER.test(message)) throw new Error(`a message for programmers: ${message}`);
          refused += 1;
        } else if (value === null) refused += 1;
        else {
          isRight(value);
          accepted += 1;
        }
      }),
      { numRuns: runs, seed: SEED, endOnFailure: true },
    );
    const mib = (largest / 2 ** 20).toFixed(0);
    task.meta.fuzz = `${name}: ${accepted} taken, ${refused} refused, slowest ${slowest.toFixed(0)} ms, at most ${mib} MiB`;
    console.info(task.meta.fuzz);
    expect(accepted).toBeGreaterThan(0);
    if (!refusesNothing) expect(refused).toBeGreaterThan(0);
  });
}

declare module 'vitest' {
  interface TaskMeta {
    fuzz?: string;
  }
}

/** The most memory that this process has had since `forgetPeak`, bytes of RSS. */
function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}

/** Linux begins to look for the peak anew (proc(5), clear_refs); elsewhere it is that of the process's whole life. */
function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // The bound holds all the same.
  }
}

/** What the process has now beyond what such tests take; the peak is looked for anew. */
function takenBeside(): number {
  forgetPeak();
  return Math.max(0, peakBytes() - ORDINARY_RSS);
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Throws where a value has a number that is none, or infinite, anywhere inside. */
export function allFinite(value: unknown, where = 'the value'): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${where} is ${value}`);
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof RegExp || value instanceof Date) return;
  const entries = value instanceof Map ? value : Object.entries(value);
  for (const [key, inner] of entries) allFinite(inner, `${where}.${String(key)}`);
}

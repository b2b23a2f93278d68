import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EXIT, PredictError } from '../../base/index.ts';

/** How many inputs each reader is given; `npm run test:fuzz` gives more. */
const INPUTS = Number(process.env.PREDICT_FUZZ_INPUTS ?? 150);
/** No input may take more of a processor, ms. */
const SLOWEST_MS = 1000;
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
  readonly count?: number;
  /** True for readers that take whatever they are given: there is nothing to refuse. */
  readonly refusesNothing?: boolean;
}

/** Every input becomes a value in which all numbers are finite, or an error of the one kind with a short message; none takes a second. */
export function fuzz<Input>({
  name,
  inputs,
  read,
  refusal = 'badInput',
  isRight = allFinite,
  count = INPUTS,
  refusesNothing = false,
}: Reader<Input>): void {
  test(`${name}: ${count} inputs`, { timeout: 120_000 }, async ({ task }) => {
    let [accepted, refused, slowest] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const before = process.cpuUsage();
        let value: unknown = null;
        let failure: unknown = null;
        try {
          value = await read(input);
        } catch (error) {
          failure = error ?? new Error('an empty error');
        }
        // What it computes, not what it waits for others on this machine.
        const { user, system } = process.cpuUsage(before);
        const took = (user + system) / 1000;
        slowest = Math.max(slowest, took);
        if (took > SLOWEST_MS) throw new Error(`it took ${took.toFixed(0)} ms`);
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
      { numRuns: count, seed: 20_240_501, endOnFailure: true },
    );
    task.meta.fuzz = `${name}: ${accepted} taken, ${refused} refused, slowest ${slowest.toFixed(0)} ms`;
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

/** Throws where a value has a number that is none, or infinite, anywhere inside. */
export function allFinite(value: unknown, where = 'the value'): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${where} is ${value}`);
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof RegExp || value instanceof Date) return;
  const entries = value instanceof Map ? value : Object.entries(value);
  for (const [key, inner] of entries) allFinite(inner, `${where}.${String(key)}`);
}

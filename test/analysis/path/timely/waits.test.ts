import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitsOf } from '../../../../analysis/path/index.ts';
import { generateTrace } from './generate-trace.ts';
import { type NaiveWait, naiveWaits, QUESTIONS } from './naive-waits.ts';
import { analyseText, TRACES } from './run-trace.ts';

const small = fc.record({
  workers: fc.constantFrom(1, 2, 3),
  operators: fc.integer({ min: 1, max: 4 }),
  events: fc.integer({ min: 20, max: 400 }),
  input: fc.constantFrom(0.02, 0.1, 0.5),
  passOn: fc.constantFrom(0.3, 0.9),
  exchange: fc.constantFrom(0, 0.5, 1),
  perProcess: fc.constantFrom(1, 2, 3),
  seed: fc.nat(),
});

async function found(text: string): Promise<NaiveWait[]> {
  const { trace } = await analyseText(text);
  return waitsOf(trace).map(({ worker, startNs, endNs, cause }) => ({
    worker,
    startNs,
    endNs,
    isInput: cause === null,
  }));
}

const fixture = (name: string): string => readFileSync(join(TRACES, name), 'utf8');

describe('waits', () => {
  it('are where none of the four questions is answered with yes, asked one by one', async () => {
    await fc.assert(
      fc.asyncProperty(small, async (options) => {
        const text = [...generateTrace(options)].join('');
        expect(await found(text)).toEqual(naiveWaits(text));
      }),
      { numRuns: 60 },
    );
  });

  it.each(['tiny2.jsonl', 'synth.jsonl'])('of %s are those of the questions', async (name) => {
    const text = withoutPlaceholder(fixture(name));
    expect(await found(text)).toEqual(naiveWaits(text));
  });

  it.each(QUESTIONS)('would be others if nobody asked: %s', async (question) => {
    const traces = [1, 2, 3, 4].map((seed) => {
      const shape = { workers: 2, operators: 3, events: 400, input: 0.1, passOn: 0.9, exchange: 0.5 };
      return [...generateTrace({ ...shape, seed })].join('');
    });
    for (const text of traces) expect(await found(text)).toEqual(naiveWaits(text));
    const differs = await Promise.all(
      traces.map(async (text) => !isDeepStrictEqual(await found(text), naiveWaits(text, question))),
    );
    expect(differs).toContain(true);
  });
});

/** Executions of scopes hold others, which the questions do not know. */
function withoutPlaceholder(text: string): string {
  return text.replace(/^.*"id":-1,.*\n/gm, '');
}

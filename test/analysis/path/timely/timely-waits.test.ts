import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitsOf } from '../../../../analysis/path/timely/timely-waits.ts';
import { times } from '../../../times.ts';
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
      { numRuns: times(60) },
    );
  });

  it('and activities are the same however early it is decided what they are', async () => {
    await fc.assert(
      fc.asyncProperty(small, fc.constantFrom(2, 5, 16), async (options, firstLook) => {
        const text = [...generateTrace(options)].join('');
        const [late, early] = [await analyseText(text), await analyseText(text, { firstLook })];
        expect(early.activities).toEqual(late.activities);
        expect(waitsOf(early.trace)).toEqual(waitsOf(late.trace));
      }),
      { numRuns: times(60) },
    );
  });

  it.each(['tiny2.jsonl', 'synth.jsonl'])('of %s are those of the questions', async (name) => {
    const text = withoutPlaceholder(fixture(name));
    expect(await found(text)).toEqual(naiveWaits(text));
  });

  it('would be others if nobody asked whether an operator is active', async () => {
    const lines = [
      '{"t":0,"w":0,"type":"Operates","id":0,"addr":[0,0,1],"name":"A"}',
      '{"t":10,"w":0,"type":"Schedule","id":0,"start_stop":"Start"}',
      '{"t":50,"w":0,"type":"Schedule","id":0,"start_stop":"Stop","activity":true}',
      '{"t":60,"w":0,"type":"Schedule","id":0,"start_stop":"Start"}',
      '{"t":61,"w":0,"type":"Schedule","id":0,"start_stop":"Stop","activity":false}',
      '{"t":90,"w":0,"type":"Schedule","id":0,"start_stop":"Start"}',
      '{"t":99,"w":0,"type":"Schedule","id":0,"start_stop":"Stop","activity":true}',
    ];
    const text = `${lines.join('\n')}\n`;
    expect(await found(text)).toEqual([{ worker: 0, startNs: 60, endNs: 90, isInput: true }]);
    expect(naiveWaits(text, 'active')).not.toEqual(await found(text));
  });

  it.each(QUESTIONS.slice(1))('would be others if nobody asked: %s', async (question) => {
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

import { describe, expect, it } from 'vitest';
import { analyseTimely } from '../../../../analysis/path/timely/analyse-timely.ts';
import { waitsOf } from '../../../../analysis/path/timely/timely-waits.ts';
import { generateTrace } from './generate-trace.ts';
import { pieces } from './run-trace.ts';

const OPTIONS = { skew: new Map([[1, 7]]), waitFrom: 'op' } as const;

async function* buffers(all: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* all;
}

describe('a trace in columns', () => {
  const shape = {
    workers: 4,
    operators: 3,
    events: 4000,
    input: 0.1,
    passOn: 0.9,
    exchange: 0.5,
    perProcess: 2,
    seed: 3,
  };
  const lines = `${[...generateTrace(shape)].join('')}\nnonsense\n{"t":5,"w":0,"type":"Unheard"}\n`;

  it('gives what its lines give, problems and their lines too', async () => {
    const read = await analyseTimely(pieces(lines), { ...OPTIONS, saves: true });
    const kept = [...(read?.columns ?? [])];
    const again = await analyseTimely(buffers(kept), OPTIONS);
    if (read === null || again === null) throw new Error('this is not a trace');
    expect(again.activities).toEqual(read.activities);
    expect(waitsOf(again.trace)).toEqual(waitsOf(read.trace));
    expect(again.trace.eventCounts()).toEqual(read.trace.eventCounts());
    const byKind = (one: { kind: string }, other: { kind: string }): number => (one.kind < other.kind ? -1 : 1);
    expect([...again.problems].sort(byKind)).toEqual([...read.problems].sort(byKind));
    expect(read.problems.length).toBeGreaterThan(1);
  });

  it('that is cut off is refused', async () => {
    const read = await analyseTimely(pieces(lines), { ...OPTIONS, saves: true });
    const whole = Buffer.concat([...(read?.columns ?? [])]);
    for (const length of [10, 40, 2000, whole.length - 8]) {
      expect(await analyseTimely(buffers([whole.subarray(0, length)]), OPTIONS)).toBeNull();
    }
  });
});

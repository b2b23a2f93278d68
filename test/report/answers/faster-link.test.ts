import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeLink, type LinkKnown } from '../../../report/answers/faster-link.ts';

const about = (value: number, low: number, high: number) => ({ value, low, high });
const rates = (high: number | null) => ({
  bitsPerSecond: { value: 60e6, low: 40e6, high },
  percent: { value: 30, low: 20, high: high === null ? null : high / 2e6 },
});
const helps = { twice: about(30, 20, 35), unlimited: about(60, 40, 70), limit: 'link' } as const;
const known: LinkKnown = {
  why: null,
  twice: about(2, 0, 4),
  unlimited: about(3, 0, 6),
  limit: 'not the link',
  needed: rates(80e6),
  nodes: 16,
};

describe('whether a faster link helps', () => {
  const table: [string, Partial<LinkKnown>, string, RegExp][] = [
    [
      'none, where not even one without limits is worth it',
      {},
      'no',
      /^A faster link does not help: even one without limits would save at most 6 % of the time \(90 % interval\)\.$/,
    ],
    [
      'one twice as fast, where the whole interval says so',
      helps,
      'yes',
      /^A faster link helps: one twice as fast saves 30 % of the time on 16 nodes \(90 % interval 20 to 35 %\)\.$/,
    ],
    [
      'unknown where the interval holds both',
      { ...helps, twice: about(12, 5, 20) },
      'unknown',
      /: one twice as fast may save 5 to 20 % of the time \(90 % interval\), and less than 10 % counts as none\.$/,
    ],
    [
      'unknown where Grade10 says otherwise',
      { ...helps, limit: 'disputed' },
      'unknown',
      /the model and Grade10 disagree on what it would save\.$/,
    ],
    [
      'unknown where predictions were wrong before, however much the model would save',
      { ...helps, why: 'only 25 % of the times predicted blind lay inside their 90 % prediction intervals' },
      'unknown',
      /^We cannot tell whether a faster link helps: only 25 % of the times predicted blind/,
    ],
    [
      'unknown where nothing is known',
      { twice: null, unlimited: null },
      'unknown',
      /the model does not tell what it would save\.$/,
    ],
    ['unknown of one without an interval', { ...helps, twice: { value: 30, low: null, high: null } }, 'unknown', /any/],
  ];
  it.each(table)('%s', (_, other, verdict, sentence) => {
    const said = judgeLink({ ...known, ...other });
    expect(said.verdict).toBe(verdict);
    expect(said.sentence).toMatch(sentence);
    expect(said.reason === null).toBe(verdict !== 'unknown');
    if (said.reason !== null) expect(said.sentence).toContain(said.reason);
  });

  it('names the rate of a link that is enough by the upper end of its interval, and none without an end', () => {
    expect(judgeLink(known).detail).toBe('16 nodes need at most 80 Mbit/s per host.');
    expect(judgeLink({ ...known, needed: rates(null) }).detail).toBeNull();
    expect(judgeLink({ ...known, needed: { bitsPerSecond: null, percent: null } }).detail).toBeNull();
  });

  it('says of a link that saves less than nothing that it saves nothing', () => {
    const said = judgeLink({ ...known, twice: about(-1, -18, -2), unlimited: about(-18, -18, -1) });
    expect(said.sentence).toContain('would save at most 0 % of the time');
  });

  it('never advises for or against a link beyond an end of its interval, nor without a model', () => {
    const ends = fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -300, max: 99, noNaN: true })));
    const limits = fc.constantFrom('link', 'not the link', 'disputed', 'unknown');
    const whys = fc.constantFrom(null, 'no model fits these times');
    fc.assert(
      fc.property(ends, limits, whys, (three, limit, why) => {
        const [low = 0, value = 0, high = 0] = three.sort((a, b) => a - b);
        const twice = about(value, low, high);
        const unlimited = about(high, value, Math.min(100, high + 1));
        const { verdict, sentence, short } = judgeLink({ ...known, why, limit, twice, unlimited });
        if (why !== null) expect(verdict).toBe('unknown');
        if (verdict === 'yes') expect([low >= 10, limit === 'disputed']).toEqual([true, false]);
        if (verdict === 'no') expect(unlimited.high).toBeLessThan(10);
        if (verdict === 'unknown' && why === null) expect(low >= 10 && limit !== 'disputed').toBe(false);
        expect(/^We cannot tell/.test(sentence)).toBe(verdict === 'unknown');
        expect(/does not help/.test(sentence)).toBe(verdict === 'no');
        expect(`${sentence} ${short}`).not.toMatch(/NaN|undefined|-\d/);
      }),
      { numRuns: 500 },
    );
  });
});

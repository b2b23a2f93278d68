import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type VerdictFacts, verdictLine } from '../../../report/content/story/verdict.ts';

const about = (value: number, low: number, high: number) => ({ value, low, high });
const time = (nodes: number, seconds: number, off?: number) => ({
  nodes,
  seconds,
  interval: off === undefined ? null : { low: seconds / off, high: seconds * off },
});
const helps = { kind: 'helps', best: { value: null, low: null, high: null } } as const;
const facts: VerdictFacts = {
  measured: [time(4, 4), time(9, 2), time(16, 1)],
  size: helps,
  more: { nodes: 36, saving: about(40, 31, 44) },
  insidePercent: 90,
  link: 'does not',
  faster: { twice: about(2, 0, 4), endless: about(3, 0, 6) },
  bandwidth: { interval: { low: 20, high: 40 } },
  lineRateBps: 200e6,
};

describe('what to buy', () => {
  const table: [string, Partial<VerdictFacts>, string, RegExp][] = [
    [
      'more nodes, where the whole interval says so',
      {},
      'more nodes, no faster link',
      /^Buy more nodes: 36 instead of 16 save 40 % of the time \(90 % interval 31 % to 44 %\)\./,
    ],
    [
      'no more nodes, where none of the interval is worth it',
      { more: { nodes: 36, saving: about(-2, -12, 4) } },
      'no more nodes, no faster link',
      /^Buy no more nodes: 36 instead of 16 save at most 4 % of the time\./,
    ],
    [
      'no more nodes, where they cost time',
      { more: { nodes: 36, saving: about(-8, -12, -4) } },
      'no more nodes, no faster link',
      /^Buy no more nodes: 36 instead of 16 take at least 4 % more time\./,
    ],
    [
      'nothing where the interval holds both',
      { more: { nodes: 36, saving: about(5, -20, 25) } },
      'nodes open, no faster link',
      /^Measure before you decide on nodes: 36 instead of 16 may cost 20 % or save 25 % of the time \(90 % interval\)\./,
    ],
    [
      'nothing where the least is nothing',
      { more: { nodes: 36, saving: about(6, -0.3, 12) } },
      'nodes open, no faster link',
      /36 instead of 16 may save 0 % to 12 % of the time/,
    ],
    [
      'nothing where intervals were wrong before',
      { insidePercent: 40 },
      'nodes open, no faster link',
      /^Measure before .*: of the times predicted blind only 40 % lay inside their 90 % intervals\./,
    ],
    [
      'nothing without an answer there',
      { more: null },
      'nodes open, no faster link',
      /have no answer for twice as many/,
    ],
    [
      'no more nodes beyond a turn, without an answer there too',
      { more: null, size: { kind: 'turns', best: about(9, 4, 16) } },
      'no more nodes, no faster link',
      /^Buy no more nodes: time is least on about 9 nodes \(90 % interval 4 to 16\)\./,
    ],
    [
      'nothing from one size',
      { size: { kind: 'one-size' } },
      'nodes open, no faster link',
      /one cluster size tells nothing/,
    ],
    [
      'a faster link, where the whole interval says so',
      { link: 'limits', faster: { twice: about(30, 20, 35), endless: about(60, 40, 70) } },
      'more nodes, a faster link',
      /Buy a faster link: one twice as fast saves 30 % of the time \(90 % interval 20 % to 35 %\)\.$/,
    ],
    [
      'no link where Grade10 says otherwise',
      { link: 'disputed', faster: { twice: about(30, 20, 35), endless: about(60, 40, 70) } },
      'more nodes, link open',
      /models and Grade10 do not agree/,
    ],
    [
      'nothing where nothing is known',
      { size: { kind: 'no-model' }, more: null, faster: null },
      'nothing yet',
      /no model fits these times\. Measure before you decide on a faster link: no model tells/,
    ],
  ];
  it.each(table)('%s', (_, other, short, answer) => {
    const line = verdictLine({ ...facts, ...other });
    expect(line.short).toBe(short);
    expect(line.answer).toMatch(answer);
  });

  it('names the rate of a link that is enough by the upper end of its interval, and none without an end', () => {
    expect(verdictLine(facts).answer).toContain('80 Mbit/s per host are enough for 16 nodes.');
    expect(verdictLine({ ...facts, bandwidth: { interval: null } }).answer).not.toContain('enough');
  });

  it('says which fewer nodes are as fast, as far as visits tell', () => {
    const detail = (...measured: VerdictFacts['measured']) => verdictLine({ ...facts, measured }).detail ?? '';
    expect(detail(time(4, 2, 1.05), time(9, 1, 1.1), time(16, 1.1, 1.1))).toMatch(/^9 and 16 nodes are equally fast/);
    expect(detail(time(4, 2, 1.05), time(9, 1, 1.01), time(16, 1.1, 1.01))).toMatch(
      /^The fastest measured size is 9 nodes/,
    );
    expect(detail(time(4, 2), time(16, 1))).toMatch(/^Worth buying/);
  });

  it('says of a link that saves less than nothing that it saves nothing', () => {
    const faster = { twice: about(-1, -18, -2), endless: about(-18, -18, -1) };
    expect(verdictLine({ ...facts, faster }).answer).toContain('one without limits saves at most 0 %');
  });

  it('never advises to buy or to refuse against an end of its interval', () => {
    const ends = fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -300, max: 99, noNaN: true })));
    fc.assert(
      fc.property(ends, ends, (nodes, link) => {
        const [low = 0, value = 0, high = 0] = nodes.sort((a, b) => a - b);
        const [least = 0, twice = 0, most = 0] = link.sort((a, b) => a - b);
        const faster = { twice: about(twice, least, most), endless: about(most, twice, Math.min(100, most + 1)) };
        const { answer } = verdictLine({ ...facts, more: { nodes: 36, saving: about(value, low, high) }, faster });
        expect(answer.includes('Buy more nodes')).toBe(low >= 10);
        expect(answer.includes('Buy no more nodes')).toBe(high < 10);
        if (answer.includes('Buy a faster link')) expect(least).toBeGreaterThanOrEqual(10);
        if (answer.includes('Buy no faster link')) expect(most).toBeLessThan(10);
        expect(answer).not.toMatch(/NaN|undefined|-\d/);
      }),
      { numRuns: 500 },
    );
  });
});

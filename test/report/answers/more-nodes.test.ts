import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeNodes, type NodesKnown } from '../../../report/answers/more-nodes.ts';
import { times } from '../../times.ts';

const about = (value: number, low: number, high: number) => ({ value, low, high });
const time = (nodes: number, seconds: number, off?: number) => ({
  nodes,
  seconds,
  interval: off === undefined ? null : { low: seconds / off, high: seconds * off },
});
const falling = [time(4, 4), time(9, 2), time(16, 1)];
const turning = [time(4, 1), time(9, 0.5), time(16, 0.7)];
const never = { value: null, low: null, high: null };
const saves = (value: number, low: number, high: number) => ({ nodes: 36, percent: about(value, low, high) });
const known: NodesKnown = { why: null, within: 100, best: never, saving: saves(40, 31, 44), measured: falling };
const doubted = 'only 40 % of the times predicted blind lay inside their 90 % prediction intervals';

describe('whether more nodes help', () => {
  const table: [string, Partial<NodesKnown>, ReturnType<typeof judgeNodes>['verdict'], string, RegExp][] = [
    [
      'yes as far as there are predictions, where the whole interval says so and no turn is seen',
      {},
      'yes',
      'yes, to 100 nodes at least',
      /^More nodes help: 36 instead of 16 nodes save 40 % of the time \(90 % interval 31 to 44 %\); time falls up to 100 nodes at least\.$/,
    ],
    [
      'yes up to a turn beyond all that was measured',
      { best: about(49, 36, 81) },
      'yes',
      'yes, to about 49 nodes',
      /; about 49 nodes are fastest \(90 % interval 36 to 81\)\.$/,
    ],
    [
      'yes up to a turn whose interval has no end',
      { best: { value: 49, low: 36, high: null } },
      'yes',
      'yes, to about 49 nodes',
      /; about 49 nodes are fastest \(90 % interval 36 to more than 100\)\.$/,
    ],
    [
      'no, where none of the interval is worth it',
      { saving: saves(5, 2, 8) },
      'no',
      'no',
      /^More nodes do not help: 36 instead of 16 nodes save at most 8 % of the time \(90 % interval\)\.$/,
    ],
    [
      'no, where they may cost much and save little',
      { saving: saves(-2, -12, 4) },
      'no',
      'no',
      /: 36 instead of 16 nodes save at most 4 % of the time/,
    ],
    [
      'no, where they cost time',
      { saving: saves(-8, -12, -4) },
      'no',
      'no',
      /^More nodes do not help: 36 instead of 16 nodes take at least 4 % more time \(90 % interval\)\.$/,
    ],
    [
      'no, where they cost hardly any time at the least',
      { saving: saves(-30, -80, -0.4) },
      'no',
      'no',
      /^More nodes do not help: 36 instead of 16 nodes save no time \(90 % interval\)\.$/,
    ],
    [
      'equal, where the whole interval is within 10 % either way',
      { saving: saves(-1, -6, 4) },
      'equal',
      'no change',
      /^More nodes change little: 36 instead of 16 nodes are as fast within noise \(90 % interval -6 to 4 % of time saved\)\.$/,
    ],
    [
      'unknown, where the interval holds both',
      { saving: saves(5, -20, 25) },
      'unknown',
      'cannot tell',
      /^We cannot tell whether more than 16 nodes help: 36 instead of 16 nodes may cost 20 % or save 25 % of the time \(90 % interval\)\.$/,
    ],
    [
      'unknown, where the least is nothing',
      { saving: saves(6, -0.3, 12) },
      'unknown',
      'cannot tell',
      /36 instead of 16 nodes may save 0 to 12 % of the time/,
    ],
    [
      'unknown, where predictions were wrong before',
      { why: doubted },
      'unknown',
      'cannot tell',
      /help: only 40 % of the times predicted blind lay inside/,
    ],
    [
      'unknown, without a prediction there',
      { saving: null, within: 16 },
      'unknown',
      'cannot tell',
      /help: there is no prediction for twice as many\.$/,
    ],
    [
      'no, beyond a turn among the measured sizes, without a prediction there too',
      { saving: null, measured: turning, best: about(9, 4, 16) },
      'no',
      'no',
      /^More nodes do not help: time is least on about 9 nodes \(90 % interval 4 to 16\)\.$/,
    ],
    [
      'no, on the one size where time is least for sure',
      { saving: null, measured: turning, best: about(9, 9, 9) },
      'no',
      'no',
      /^More nodes do not help: time is least on about 9 nodes/,
    ],
    [
      'no, in an interval that holds the fastest measured size, in which no model had a part',
      { saving: null, measured: turning, best: about(4, 4, 4) },
      'no',
      'no',
      /on about 4 nodes \(90 % interval 4 to 9\)\.$/,
    ],
    [
      'unknown, where the least time may be beyond all predictions',
      { saving: null, measured: turning, best: { value: 9, low: 4, high: null } },
      'unknown',
      'cannot tell',
      /there is no prediction for twice as many\.$/,
    ],
    [
      'no, where time was measured to rise, however much the model would save',
      { measured: [time(4, 1), time(9, 0.5), time(16, 0.6), time(25, 0.7)] },
      'no',
      'no',
      /^More nodes do not help: measured, 25 nodes take 40 % longer than 9\.$/,
    ],
    [
      'no, where time was measured to rise, and the model cannot tell',
      {
        measured: [time(4, 0.5), time(9, 0.6), time(16, 0.7)],
        ...{ best: about(4, 4, 9), saving: saves(-10, -39, 12) },
      },
      'no',
      'no',
      /^More nodes do not help: measured, 16 nodes take 40 % longer than 4\.$/,
    ],
    [
      'unknown, where only the largest was measured to be slower',
      { measured: turning },
      'unknown',
      'cannot tell',
      /the model has time falling up to there, but 9 nodes were measured to be faster\.$/,
    ],
    [
      'no, where time was measured to rise, also without a model, with the interval of both',
      // exp(hypot(ln 1.1, ln 1.1)) is 1.1443.
      {
        why: 'no model fits these times',
        best: null,
        saving: null,
        measured: [time(9, 0.5, 1.1), time(16, 0.6), time(25, 0.7, 1.1)],
      },
      'no',
      'no',
      /^More nodes do not help: measured, 25 nodes take 40 % longer than 9 \(90 % interval 22 to 60 %\)\.$/,
    ],
    [
      'unknown, where measured times go up and down',
      { measured: [time(4, 0.5), time(9, 2), time(16, 0.7)] },
      'unknown',
      'cannot tell',
      /the model has time falling up to there, but 4 nodes were measured to be faster\.$/,
    ],
    [
      'yes, where they contradict it by no more than noise',
      { measured: [time(4, 1, 1.2), time(9, 0.5, 1.2), time(16, 0.55, 1.2)] },
      'yes',
      'yes, to 100 nodes at least',
      /^More nodes help/,
    ],
    [
      'unknown, without a model',
      { why: 'no model fits these times', best: null, saving: null, within: 16 },
      'unknown',
      'cannot tell',
      /help: no model fits these times\.$/,
    ],
    [
      'unknown, of one size',
      { measured: falling.slice(0, 1), best: null, saving: null, within: 4 },
      'unknown',
      'cannot tell',
      /than 4 nodes help: only one cluster size was measured\.$/,
    ],
  ];
  it.each(table)('%s', (_, other, verdict, short, sentence) => {
    const told = judgeNodes({ ...known, ...other });
    expect([told.verdict, told.short]).toEqual([verdict, short]);
    expect(told.sentence).toMatch(sentence);
    expect([told.reason === null, told.tells === null]).toEqual([verdict !== 'unknown', verdict !== 'unknown']);
    if (told.reason !== null) expect(told.sentence).toContain(told.reason);
  });

  /** Curves that may be true, as an ensemble has them: what they say of the least time and of twice as many nodes belongs together. */
  const drawn = fc
    .record({
      seconds: fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 6 }),
      off: fc.option(fc.double({ min: 1, max: 3, noNaN: true }), { nil: undefined }),
      reach: fc.nat(6),
      // Time is least at about so many nodes, by each of the curves at another count.
      least: fc.nat(600).map((hundredths) => hundredths / 100),
      apart: fc.nat(100).map((hundredths) => hundredths / 100),
      curves: fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 12 }),
      why: fc.constantFrom(null, null, null, doubted),
    })
    .map(({ seconds, off, reach, least, apart, curves, why }): NodesKnown => {
      const sizes = Array.from({ length: 12 }, (_, index) => (index + 1) ** 2);
      const measured = seconds.map((one, index) => time(sizes[index] ?? 1, one, off));
      const asked = sizes.slice(0, seconds.length + reach);
      const within = asked.at(-1) ?? 1;
      const most = measured.at(-1)?.nodes ?? 1;
      const nodes = sizes.find((count) => count >= 2 * most) ?? 144;
      // 1/n + c sqrt(n) is least at (2/c)^(2/3).
      const at = (curve: number, count: number): number =>
        1 / count + 2 * Math.exp(-1.5 * (least + (apart * curve) / 9)) * Math.sqrt(count);
      const ends = (values: readonly number[]) => {
        const sorted = values.toSorted((a, b) => a - b);
        const [low = 0, value = 0, high = 0] = [0.05, 0.5, 0.95].map(
          (share) => sorted[Math.round(share * (sorted.length - 1))],
        );
        return about(value, low, high);
      };
      const places = ends(
        curves.map((curve) => {
          const times = asked.map((count) => at(curve, count));
          return times.indexOf(Math.min(...times));
        }),
      );
      const sizeAt = (place: number): number | null => (place >= asked.length - 1 ? null : (asked[place] ?? null));
      const best = { value: sizeAt(places.value), low: sizeAt(places.low), high: sizeAt(places.high) };
      const percent = ends(curves.map((curve) => (1 - at(curve, nodes) / at(curve, most)) * 100));
      return { why, within, best, saving: nodes <= within ? { nodes, percent } : null, measured };
    });

  it('never says against an end of its interval, against what was measured, or without a believed model', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(drawn, (one) => {
        const { verdict, sentence, reason, tells } = judgeNodes(one);
        seen.add(verdict);
        const most = one.measured.at(-1)?.nodes ?? 0;
        const times = one.measured.map(({ seconds }) => seconds);
        const fastest = one.measured[times.indexOf(Math.min(...times))];
        const last = one.measured.at(-1);
        const [low, high] = [one.saving?.percent.low ?? Number.NaN, one.saving?.percent.high ?? Number.NaN];
        const signs = {
          yes: /^More nodes help/,
          no: /do not help/,
          equal: /change little/,
          unknown: /^We cannot tell/,
        };
        for (const [name, sign] of Object.entries(signs)) expect(sign.test(sentence), sentence).toBe(name === verdict);
        expect([reason === null, tells === null]).toEqual([verdict !== 'unknown', verdict !== 'unknown']);
        const isMeasured = verdict === 'no' && sentence.includes('measured');
        if (isMeasured) expect(last?.seconds).toBeGreaterThan(fastest?.seconds ?? Number.POSITIVE_INFINITY);
        else if (one.why !== null) expect(verdict).toBe('unknown');
        if (verdict === 'yes') {
          expect(low).toBeGreaterThanOrEqual(10);
          expect(one.best?.value ?? Number.POSITIVE_INFINITY).toBeGreaterThan(most);
          const apart = Math.log((last?.seconds ?? 0) / (fastest?.seconds ?? 1));
          const scatter = Math.hypot(
            ...[fastest, last].map((cell) => Math.log((cell?.interval?.high ?? 1) / (cell?.interval?.low ?? 1)) / 2),
          );
          expect(apart).toBeLessThanOrEqual(scatter + 1e-9);
        }
        if (verdict === 'no' && !isMeasured && one.saving !== null) expect(high).toBeLessThan(10);
        if (verdict === 'no' && !isMeasured && one.saving === null) {
          const ends = /interval (\d+) to (\d+)\)/.exec(sentence)?.slice(1).map(Number) ?? [];
          expect(ends[0]).toBeLessThanOrEqual(fastest?.nodes ?? 0);
          expect(ends[1]).toBeGreaterThanOrEqual(fastest?.nodes ?? 0);
          expect(ends[1]).toBeLessThanOrEqual(most);
        }
        if (verdict === 'equal') expect([low > -10, low <= 0, high >= 0, high < 10]).toEqual([true, true, true, true]);
        expect(sentence).not.toMatch(/NaN|undefined|null|Infinity/);
      }),
      { numRuns: times(300) },
    );
    expect([...seen]).toEqual(expect.arrayContaining(['no', 'unknown', 'yes']));
  });
});

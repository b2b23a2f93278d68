import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { predict, termTime } from '../../modeling/forms/predict.ts';
import { chooseAmong } from '../../modeling/judge/compare-candidates.ts';
import { extrapolate } from '../../modeling/judge/predict-unseen.ts';
import { pickRows, type Rows, rowsFrom } from '../../modeling/rows.ts';
import { auto, type Method, withoutParts } from '../bench/truth/methods.ts';
import { summary } from '../bench/truth/score.ts';
import { tableSplits } from '../bench/truth/tables.ts';
import { isLong } from '../times.ts';

/** Computing of 100 s on one node, shared exactly, and communication of 2 s on any number of them. */
const rowAt = (nodes: number) => ({ nodes, bw: 100, scale: 1, ct: 100 / nodes + 2, communication: 2 });
const KNOWN = rowsFrom([2, 4, 8].map(rowAt));
const UNSEEN = rowsFrom([32, 64].map(rowAt));

function told(rows: Rows) {
  return extrapolate(chooseAmong(rows, { ranksPerNode: 1 }).solved, UNSEEN, { replicates: 400 });
}

describe('where computing and communication were measured apart', () => {
  test('the answer is their sum, by the law of each', () => {
    const { comparison, solved } = chooseAmong(KNOWN, { ranksPerNode: 1 });
    expect(comparison.chosen).toBe('parts');
    expect(comparison.candidates.find(({ name }) => name === 'parts')?.weight).toBe(1);
    const { form } = solved.fit;
    expect(form.terms.map(({ part }) => part)).toEqual(['processing', 'communication']);
    expect(form.terms[0]?.basis.x).toBeCloseTo(-1, 1);
    expect(Math.abs(form.terms[1]?.basis.x ?? Number.NaN)).toBeLessThan(0.15);
    for (const { nodes, ct, communication } of [2, 4, 8].map(rowAt)) {
      const target = { nodes, bw: 100, scale: 1 };
      const [work, other] = form.terms.map((term) => termTime(solved.fit, term, target));
      expect((work ?? Number.NaN) / (ct - communication)).toBeCloseTo(1, 1);
      expect(Math.abs((other ?? Number.NaN) / communication - 1)).toBeLessThan(0.25);
      expect(predict(solved.fit, target) / ct).toBeCloseTo(1, 1);
    }
  });

  test('a constant communication is foretold, which whole times hide', () => {
    const [withParts, without] = [
      told(KNOWN),
      told({ ...KNOWN, communication: KNOWN.communication.map(() => Number.NaN) }),
    ];
    for (const { measured, interval } of withParts.cells) {
      expect(interval?.low).toBeLessThan(measured);
      expect(interval?.high).toBeGreaterThan(measured);
    }
    expect(withParts.medianErrorPercent).toBeLessThan(12);
    const width = ({ cells }: typeof without): number =>
      Math.log((cells[1]?.interval?.high ?? Number.NaN) / (cells[1]?.interval?.low ?? Number.NaN));
    expect(width(withParts)).toBeLessThan(0.8 * width(without));
  });

  test('one row without them, and whole times tell alone', () => {
    const communication = KNOWN.communication.slice();
    communication[1] = Number.NaN;
    expect(chooseAmong({ ...KNOWN, communication }, { ranksPerNode: 1 }).solved.parts).toBeNull();
  });

  test('counters by which transfers are half of the communication, and whole times tell alone', () => {
    const withTransfers = (seconds: number) => {
      const traffic = [2, 4, 8].map((nodes) => ({ nodes, scale: 1, bytes: 1e6, least: seconds }));
      return chooseAmong(KNOWN, { ranksPerNode: 1, traffic }).solved.parts;
    };
    expect(withTransfers(1)).toBeNull();
    expect(withTransfers(0.2)).not.toBeNull();
  });

  test('bandwidths or scales that vary, and whole times tell alone', () => {
    const slow = [2, 4, 8].map((nodes) => ({ ...rowAt(nodes), bw: 10, ct: 100 / nodes + 9, communication: 9 }));
    const rows = rowsFrom([...[2, 4, 8].map(rowAt), ...slow]);
    expect(chooseAmong(rows, { ranksPerNode: 1 }).solved.parts).toBeNull();
    expect(chooseAmong(rows, { ranksPerNode: 1, at: { bw: 100 } }).solved.parts).not.toBeNull();
  });

  test('neither the order of the rows nor the unit of time matters', () => {
    const reference = told(KNOWN).cells.map(({ predicted }) => predicted);
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2], { minLength: 3 }), fc.integer({ min: -6, max: 6 }), (order, power) => {
        const rows = pickRows(KNOWN, order);
        const factor = 2 ** power;
        const scaled = {
          ...rows,
          ct: rows.ct.map((ct) => ct * factor),
          communication: rows.communication.map((s) => s * factor),
        };
        for (const [index, { predicted }] of told(scaled).cells.entries()) {
          expect(predicted / factor / (reference[index] ?? Number.NaN)).toBeCloseTo(1, 2);
        }
      }),
      { numRuns: 6 },
    );
  });
});

test('on real tables of GROMACS they make the intervals of unseen times narrower, and these hold', () => {
  const splits = tableSplits('test/fixtures/real-parts', 0.4).filter((_, place) => isLong || place % 2 === 0);
  const of = (method: Method) => summary(splits.map((split) => ({ ...split, ...method.answer(split) })));
  const [known, unknown] = [of(auto), of(withoutParts)];
  expect(known.coverage).toBeGreaterThan(88);
  expect(known.coverage).toBeLessThan(99);
  expect(known.intervalScore).toBeLessThan(0.8 * unknown.intervalScore);
  expect(known.halfWidth).toBeLessThan(0.8 * unknown.halfWidth);
  expect(known.mean).toBeLessThan(unknown.mean);
});

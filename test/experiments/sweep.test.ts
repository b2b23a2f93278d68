import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSweep, sweepSchema } from '../../experiments/index.ts';

const flags = { nodes: '4,9', scales: '20' };

describe('parseSweep', () => {
  test('a sweep needs only nodes and scales', () => {
    const sweep = parseSweep(flags);
    expect(sweep).toMatchObject({ workload: 'graph500', nodes: [4, 9], scales: [20], reps: 1, roots: 64, seed: 1 });
    expect(sweep.bw.slice(0, 3)).toEqual([10, 12, 14]);
    expect(sweep.bw.at(-1)).toBe(100);
    expect(sweep.bw).toHaveLength(22);
  });

  test.each([
    ['10..50', 22],
    ['10..50/10', 6],
    ['10..50/20', 4],
    ['100', 1],
    ['0.5,20', 3],
    ['80..100/10', 3],
  ])('bw %s gives %i bandwidths with the baseline', (bw, count) => {
    expect(parseSweep({ ...flags, bw }).bw).toHaveLength(count);
  });

  test.each([
    [{ bw: '0' }, 'bw: 0 is outside'],
    [{ bw: '150' }, 'bw: 150 is outside'],
    [{ bw: '10..150/10' }, 'bw: 110 is outside'],
    [{ bw: '0..50' }, 'bw: 0 is outside'],
    [{ bw: 'fast' }, "bw: 'fast'"],
    [{ reps: '0' }, "reps: '0'"],
    [{ reps: '1.5' }, "reps: '1.5'"],
    [{ roots: 'all' }, "roots: 'all'"],
    [{ roots: '' }, "roots: ''"],
    [{ nodes: '0' }, 'nodes: 0'],
    [{ nodes: '9..4' }, 'runs backwards'],
    [{ scales: '61' }, 'scales: 61'],
    [{ seed: '-1' }, "seed: '-1'"],
  ])('%j is refused', (wrong, message) => {
    expect(() => parseSweep({ ...flags, ...wrong })).toThrow(message);
  });

  test('100 % is always there, values ascend, and the schema accepts the sweep', () => {
    const values = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(values, (tenths) => {
        const sweep = parseSweep({ ...flags, bw: tenths.map((value) => value / 10).join(',') });
        expect(sweep.bw.at(-1)).toBe(100);
        expect(sweep.bw).toEqual([...new Set(sweep.bw)].sort((a, b) => a - b));
        expect(sweepSchema.parse(sweep)).toEqual(sweep);
      }),
    );
  });
});

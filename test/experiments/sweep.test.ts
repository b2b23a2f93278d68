import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plan } from '../../experiments/plan.ts';
import { parseSweep, sweepSchema } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';

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
    [{ bw: '0' }, '--bw: 0 is outside'],
    [{ bw: '150' }, '--bw: 150 is outside'],
    [{ bw: '10..150/10' }, '--bw: 150 is outside'],
    [{ bw: '0..50' }, '--bw: 0 is outside'],
    [{ bw: 'fast' }, "--bw: 'fast'"],
    [{ reps: '0' }, "--reps: '0'"],
    [{ reps: '1.5' }, "--reps: '1.5'"],
    [{ roots: 'all' }, "--roots: 'all'"],
    [{ roots: '' }, "--roots: ''"],
    [{ nodes: '0' }, '--nodes: 0'],
    [{ nodes: '9..4' }, 'runs backwards'],
    [{ scales: '61' }, '--scales: 61'],
    [{ seed: '-1' }, "--seed: '-1'"],
  ])('%j is refused', (wrong, message) => {
    expect(() => parseSweep({ ...flags, ...wrong })).toThrow(message);
  });

  test.each([
    ['0,0.5ms,2ms', [0, 0.5, 2]],
    ['2ms, 500us,0.0000004s', [0, 0.5, 2]],
    [
      [2, '500us', 0.5],
      [0.5, 2],
    ],
    ['1s', [1000]],
    [3, [3]],
  ])('latency %j is milliseconds, ascending, each once, and its own result', (latency, milliseconds) => {
    const sweep = parseSweep({ ...flags, latency });
    expect(sweep.latency).toEqual(milliseconds);
    expect(parseSweep({ ...flags, latency: sweep.latency }).latency).toEqual(milliseconds);
    expect(sweepSchema.parse(sweep).latency).toEqual(milliseconds);
  });

  test.each([
    [',', "--latency: '' is not a latency: write 0, or a time such as 500us or 2ms."],
    ['1,', "'' is not a latency"],
    ['-1ms', "'-1ms' is not a latency"],
    ['2min', "'2min' is not a latency"],
    ['1001ms', '--latency: 1001ms is outside its range: latencies go from 0 to 1000 ms.'],
  ])('latency %j is refused', (latency, message) => {
    expect(() => parseSweep({ ...flags, latency })).toThrow(message);
  });

  test('plans that are too large are refused before they are made', () => {
    const workload = workloadOf({ kind: 'graph500', name: 'graph500' });
    const size = (texts: object) => () =>
      plan(parseSweep({ ...flags, ...texts }), { workload, ranksPerNode: 1, hosts: 9 });
    const before = process.cpuUsage();
    expect(size({ scales: '1..60', bw: '1..100/0.01', reps: '100' })).toThrow(
      'This sweep has 118812120 cells, more than 100,000: name fewer nodes, scales, bandwidths, parameters or repetitions.',
    );
    expect(size({ nodes: '1..100000', scales: '0' })).toThrow('more than 100,000');
    const many = Array.from({ length: 5 }, (_, name) => `p${name}=${Array.from({ length: 99 }, (__, v) => v)}`);
    expect(size({ param: many })).toThrow('more than 100,000');
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(500);
  });

  test('of many wrong node counts a few are listed', () => {
    const workload = workloadOf({ kind: 'graph500', name: 'graph500' });
    const refused = () =>
      plan(parseSweep({ nodes: '1..4000', scales: '20', bw: '100' }), { workload, ranksPerNode: 1, hosts: 9 });
    expect(refused).toThrow(
      /^nodes: graph500 needs .*; 3929 more cannot run; .*too few for 10\.\.4000\/1 nodes; .{1,99}$/,
    );
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

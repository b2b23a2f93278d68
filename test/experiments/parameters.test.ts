import { describe, expect, test } from 'vitest';
import { isLatency, latencyOf } from '../../experiments/latency.ts';
import { plan, startOf } from '../../experiments/plan.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';

const reading = (...parameters: readonly string[]) => ({
  workload: workloadOf({
    ...{ kind: 'command', name: 'x', command: ['a', ...parameters.map((name) => `{param.${name}}`)] },
    ...{ time: { pattern: '(1)', unit: 's' }, failure: [], ranks: 'any' },
  }),
  ranksPerNode: 1,
  hosts: 4,
});
const texts = { nodes: '4', scales: '20', bw: '50' };

describe('parameters beside the scale', () => {
  test('every combination of their values is measured in each block, with its baselines', () => {
    const sweep = parseSweep({ ...texts, param: ['algorithm=bfs,pr', 'dataset=road'] });
    const cells = plan(sweep, reading('algorithm', 'dataset')).map(({ params, bw, role }) => ({ params, bw, role }));
    const [bfs, pr] = [
      { algorithm: 'bfs', dataset: 'road' },
      { algorithm: 'pr', dataset: 'road' },
    ];
    const both = (bw: number, role: string) => [bfs, pr].map((params) => ({ params, bw, role }));
    expect(new Set(cells.slice(0, 4))).toEqual(new Set([...both(100, 'measure'), ...both(50, 'measure')]));
    expect(new Set(cells.slice(4))).toEqual(new Set(both(100, 'drift')));
  });

  test('several scales are refused where nothing reads the scale', () => {
    const sweep = parseSweep({ ...texts, scales: '19,20' });
    expect(() => plan(sweep, reading())).toThrow(
      '--scales: x does not use {scale}, so runs of 2 scales would be identical. Name one scale, or write {scale} into its command.',
    );
    expect(plan(parseSweep(texts), reading())).toHaveLength(3);
  });

  test('are visited in an order that is not that of their lists', () => {
    const ids = (...param: string[]): string[] =>
      plan(parseSweep({ ...texts, param }), reading('a', 'b')).map(({ id }) => id);
    expect(ids('b=x,2,1', 'a=3,30,4')).toEqual(ids('a=4,3,30', 'b=1,x,2'));
  });

  test('are part of a cell’s identity, and nothing of it where there are none', () => {
    const ids = (...param: string[]): string[] =>
      plan(parseSweep({ ...texts, param }), reading('a')).map(({ id }) => id);
    expect(new Set([...ids('a=1'), ...ids('a=2')]).size).toBe(6);
    const [cell] = plan(parseSweep(texts), reading());
    expect(Object.keys(cell ?? {})).not.toContain('params');
  });

  test('count for chosen cells too', () => {
    const sweep = parseSweep({ scales: '0', cells: '4:20:50', param: ['algorithm=bfs,pr'] });
    const cells = plan(sweep, reading('algorithm')).map(({ params, bw }) => [params?.algorithm, bw]);
    expect(new Set(cells)).toEqual(
      new Set([
        ['bfs', 50],
        ['pr', 50],
      ]),
    );
  });

  test('have the latencies of the network beside them: each with its baseline, in runs of its own', () => {
    const sweep = parseSweep({ ...texts, param: ['a=1'], latency: '0,2ms' });
    const cells = plan(sweep, reading('a'));
    expect(new Set(cells.map(({ params, bw, role }) => [params, bw, role]))).toEqual(
      new Set(
        [0, 2].flatMap((latency) => [
          ...[100, 50].map((bw) => [{ a: '1', latency }, bw, 'measure']),
          [{ a: '1', latency }, 100, 'drift'],
        ]),
      ),
    );
    expect(new Set(cells.map(latencyOf))).toEqual(new Set([0, 2]));
    expect(new Set(cells.filter(({ role }) => role === 'measure').map(startOf)).size).toBe(2);
    const chosen = parseSweep({ scales: '0', cells: '4:20:50', latency: '0,2ms' });
    expect(plan(chosen, reading()).map(latencyOf).sort()).toEqual([0, 2]);
    expect(() => plan({ ...chosen, latency: Array.from({ length: 100_001 }, (_, ms) => ms) }, reading())).toThrow(
      'more than 100,000',
    );
  });

  test('may be called latency where the network has none', () => {
    const sweep = parseSweep({ ...texts, param: ['latency=2'] });
    const cells = plan(sweep, reading('latency'));
    expect(cells.map(({ params }) => params)).toEqual(cells.map(() => ({ latency: '2' })));
    expect(cells.map(latencyOf)).toEqual(cells.map(() => 0));
    expect(isLatency('latency', '2')).toBe(false);
    expect(() => plan({ ...sweep, latency: [0] }, reading('latency'))).toThrow(
      '--latency: x has a parameter of its own that is called latency: rename that one, or leave this option out.',
    );
  });

  test('are refused where the workload does not read them, and where it reads one that has no value', () => {
    const refused = (param: string[], options: ReturnType<typeof reading>) => () =>
      plan(parseSweep({ ...texts, param }), options);
    expect(refused(['a=1', 'b=2'], reading('a'))).toThrow('--param b: x uses only a: write {param.b} into its command');
    expect(refused(['a=1'], reading())).toThrow('--param a: x uses no parameter');
    expect(refused([], reading('a'))).toThrow('x uses {param.a}, which has no value: give one with --param a=VALUE.');
    expect(refused([], reading('constructor'))).toThrow('x uses {param.constructor}, which has no value');
    const graph500 = workloadOf({ kind: 'graph500', name: 'graph500' });
    expect(refused(['a=1'], { ...reading(), workload: graph500 })).toThrow('--param a: graph500 uses only kernel');
    const ofGraph500 = { ...reading(), workload: graph500 };
    expect(refused(['kernel=sssp,dfs'], ofGraph500)).toThrow("--param kernel: 'dfs' is not one of bfs, sssp.");
    const told = plan(parseSweep({ ...texts, param: ['kernel=sssp'] }), ofGraph500).map(({ params }) => params);
    expect(told).toEqual([1, 2, 3].map(() => ({ kernel: 'sssp' })));
  });

  test('strict=true is refused where the program would refuse it, and starts every run by itself', () => {
    const refused = (sweep: object, validate?: number) => () => {
      const workload = workloadOf({ kind: 'graph500', name: 'graph500', ...(validate && { validate }) });
      return plan(parseSweep({ ...texts, param: ['strict=true,false'], ...sweep }), { ...reading(), workload });
    };
    const sentence =
      '--param strict=true: an entry has 64 searches, all validated: give --roots 64 and leave --validate out.';
    expect(refused({ roots: '32' })).toThrow(sentence);
    expect(refused({ roots: '64' }, 1)).toThrow(sentence);
    expect(refused({ roots: '32', param: ['strict=false'] }, 1)).not.toThrow();
    const graph500 = workloadOf({ kind: 'graph500', name: 'graph500' });
    expect(refused({ roots: '64' })()).toHaveLength(6);
    expect([{ strict: 'true' }, { strict: 'false' }, {}].map((params) => graph500.followsOrders?.(params))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('are read in outputs and in the arguments of other Graph500 programs too', () => {
    const { workload } = reading();
    const { definition } = workload;
    if (definition.kind !== 'command') throw new Error('another kind');
    expect(workloadOf({ ...definition, outputs: { phases: '{output}/{param.a}.csv' } }).parameters).toEqual(['a']);
    const args = ['{param.b}', '{{param.c}}', '{param.b}'];
    const external = workloadOf({ kind: 'graph500-external', name: 'y', binary: 'z', args, ranks: 'any' });
    expect(external.parameters).toEqual(['b']);
  });

  test('named twice are refused', () => {
    expect(() => parseSweep({ ...texts, param: ['a=1', 'b=1', 'a=2'] })).toThrow(
      '--param: a is given twice: write all its values once, a=VALUE,VALUE.',
    );
  });

  test.each(['algorithm', '=bfs', '__proto__=1', 'a=', 'a=1,,2', 'a b=1', ''])("'%s' is refused", (text) => {
    expect(() => parseSweep({ ...texts, param: [text] })).toThrow(/is not a parameter: write NAME=VALUE/);
  });
});

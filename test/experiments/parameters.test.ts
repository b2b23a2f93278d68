import { describe, expect, test } from 'vitest';
import { parseSweep, plan, workloadOf } from '../../experiments/index.ts';

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
  test('every combination of their values is a group of its own, with its baselines', () => {
    const sweep = parseSweep({ ...texts, param: ['algorithm=bfs,pr', 'dataset=road'] });
    expect(plan(sweep, reading('algorithm', 'dataset')).map(({ params, bw, role }) => [params, bw, role])).toEqual([
      [{ algorithm: 'bfs', dataset: 'road' }, 100, 'measure'],
      [{ algorithm: 'bfs', dataset: 'road' }, 50, 'measure'],
      [{ algorithm: 'bfs', dataset: 'road' }, 100, 'drift'],
      [{ algorithm: 'pr', dataset: 'road' }, 100, 'measure'],
      [{ algorithm: 'pr', dataset: 'road' }, 50, 'measure'],
      [{ algorithm: 'pr', dataset: 'road' }, 100, 'drift'],
    ]);
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
    expect(plan(sweep, reading('algorithm')).map(({ params, bw }) => [params?.algorithm, bw])).toEqual([
      ['bfs', 50],
      ['pr', 50],
    ]);
  });

  test('are refused where the workload does not read them, and where it reads one that has no value', () => {
    const refused = (param: string[], options: ReturnType<typeof reading>) => () =>
      plan(parseSweep({ ...texts, param }), options);
    expect(refused(['a=1', 'b=2'], reading('a'))).toThrow(
      '--param b: x reads only a: write {param.b} into its command',
    );
    expect(refused(['a=1'], reading())).toThrow('--param a: x reads no parameter');
    expect(refused([], reading('a'))).toThrow('x reads {param.a}, which has no value: give one with --param a=VALUE.');
    expect(refused([], reading('constructor'))).toThrow('x reads {param.constructor}, which has no value');
    const graph500 = workloadOf({ kind: 'graph500', name: 'graph500' });
    expect(refused(['a=1'], { ...reading(), workload: graph500 })).toThrow('--param a: graph500 reads no parameter');
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
      '--param a is given twice: write all its values behind one, a=VALUE,VALUE.',
    );
  });

  test.each(['algorithm', '=bfs', '__proto__=1', 'a=', 'a=1,,2', 'a b=1', ''])("'%s' is refused", (text) => {
    expect(() => parseSweep({ ...texts, param: [text] })).toThrow(/is no parameter: write NAME=VALUE/);
  });
});

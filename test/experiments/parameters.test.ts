import { describe, expect, test } from 'vitest';
import { parseSweep, plan, workloadOf } from '../../experiments/index.ts';

const workload = workloadOf({
  ...{ kind: 'command', name: 'x', command: ['a', '{param.algorithm}'], time: { pattern: '(1)', unit: 's' } },
  ...{ failure: [], ranks: 'any' },
});
const options = { workload, ranksPerNode: 1, hosts: 4 };
const texts = { nodes: '4', scales: '20', bw: '50' };

describe('parameters beside the scale', () => {
  test('every combination of their values is a group of its own, with its baselines', () => {
    const sweep = parseSweep({ ...texts, param: ['algorithm=bfs,pr', 'dataset=road'] });
    expect(plan(sweep, options).map(({ params, bw, role }) => [params, bw, role])).toEqual([
      [{ algorithm: 'bfs', dataset: 'road' }, 100, 'measure'],
      [{ algorithm: 'bfs', dataset: 'road' }, 50, 'measure'],
      [{ algorithm: 'bfs', dataset: 'road' }, 100, 'drift'],
      [{ algorithm: 'pr', dataset: 'road' }, 100, 'measure'],
      [{ algorithm: 'pr', dataset: 'road' }, 50, 'measure'],
      [{ algorithm: 'pr', dataset: 'road' }, 100, 'drift'],
    ]);
  });

  test('are part of a cell’s identity, and nothing of it where there are none', () => {
    const ids = (param: string[]): string[] => plan(parseSweep({ ...texts, param }), options).map(({ id }) => id);
    expect(new Set([...ids(['a=1']), ...ids(['a=2']), ...ids(['b=1']), ...ids([])]).size).toBe(12);
    const [cell] = plan(parseSweep(texts), options);
    expect(Object.keys(cell ?? {})).not.toContain('params');
  });

  test('count for chosen cells too', () => {
    const sweep = parseSweep({ scales: '0', cells: '4:20:50', param: ['algorithm=bfs,pr'] });
    expect(plan(sweep, options).map(({ params, bw }) => [params?.algorithm, bw])).toEqual([
      ['bfs', 50],
      ['pr', 50],
    ]);
  });

  test.each(['algorithm', '=bfs', 'a=', 'a=1,,2', 'a b=1', ''])("'%s' is refused", (text) => {
    expect(() => parseSweep({ ...texts, param: [text] })).toThrow(/is no parameter: write NAME=VALUE/);
  });
});

import { expect, test } from 'vitest';
import { isLink, isPipe } from '../../../analysis/dag/job/watched-job.ts';

const task = (id: string, ...hosts: readonly string[]) => ({
  id,
  label: id,
  hosts,
  instances: Math.max(1, hosts.length),
});
const edge = (from: string, to: string, linkBps: number | null = null) => ({
  ...{ id: `${from}>${to}`, from, to, linkBps },
  ...{ capacity: null, unit: 'bytes' as const },
});
const vertices = [task('a', 'n1'), task('b', 'n2', 'n3'), task('c', 'n3'), task('d')].map((one) => ({
  ...one,
  hosts: [...one.hosts],
}));

test.each([
  ['tasks on other hosts', edge('a', 'b'), true],
  ['tasks that share one of their hosts', edge('b', 'c'), false],
  ['a task of which nobody knows where it runs', edge('a', 'd'), false],
  ['a link whose rate is known, wherever the tasks are', edge('b', 'c', 1e9), true],
  ['no edge', undefined, false],
])('an edge goes over a network or not: %s', (_, one, wanted) => {
  expect(isLink(one, { vertices })).toBe(wanted);
});

test('a pipe is what processes of one host share, and nothing of other sources', () => {
  const run = { source: 'pipes' } as Parameters<typeof isPipe>[1]['run'];
  expect(isPipe(edge('b', 'c'), { vertices, run })).toBe(true);
  expect(isPipe(edge('a', 'b'), { vertices, run })).toBe(false);
  expect(isPipe(edge('b', 'c'), { vertices, run: { ...run, source: 'flink' } })).toBe(false);
  expect(isPipe(undefined, { vertices, run })).toBe(false);
});

import { describe, expect, it } from 'vitest';
import { workloadOf } from '../../experiments/workloads/adapters.ts';

const ran = (pattern: string, stdout: string) =>
  workloadOf({
    ...{ kind: 'command', name: 'x', command: ['x'], time: { pattern, unit: 's' }, failure: [], ranks: 'any' },
  }).parse({ exitCode: 0, stdout, stderr: '' });

describe("a workload's own pattern", () => {
  it('finds every time, at the beginning and the end of lines', () => {
    expect(ran('^took ([\\d.]+)$', 'took 1.5\nx took 3\ntook 2\n')).toMatchObject({ ok: true, summary: { runs: 2 } });
  });

  it.each([
    ['takes for ever', '(?:\\w+ ?)+: took (\\d+)', 'word '.repeat(100)],
    ["takes more than the matcher's stack", '^(?:a|b)*took (\\d+)$', 'ab'.repeat(2 ** 22)],
  ])('that %s fails the run with a sentence', (_, pattern, stdout) => {
    expect(ran(pattern, stdout)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('does not get through what the run printed'),
    });
  });
});

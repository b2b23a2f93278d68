import { describe, expect, test } from 'vitest';
import { pathAcross } from '../../../../analysis/path/across/path-scaling.ts';
import type { Cell } from '../../../../experiments/records.ts';

/** Keys by formulas that the volume form has: work shared by ranks, bytes over the link, partners. */
const seconds = (nodes: number, bw: number): Record<string, number> => ({
  compute: 4 / nodes,
  'fold transfer': (0.1 * 100) / bw / Math.sqrt(nodes),
  synchronise: 0.05 * Math.sqrt(nodes),
});

const cells = [4, 9, 16, 25].flatMap((nodes) =>
  [10, 100].map((bw) => {
    const keys = Object.entries(seconds(nodes, bw)).map(([key, s]) => [key, s * 1e9] as const);
    const length = keys.reduce((sum, [, ns]) => sum + ns, 0);
    const cell = {
      id: `${nodes}:${bw}`,
      workload: 'graph500',
      nodes,
      ranks: nodes,
      scale: 20,
      bw,
      rep: 1,
      role: 'measure',
      roots: 4,
    } as Cell;
    const meanNs: Record<string, number> = { length, ...Object.fromEntries(keys) };
    return { cell, meanNs };
  }),
);

describe('keys of the path over nodes and bandwidths', () => {
  const { components, forecasts, takeovers, findings } = pathAcross(cells, {
    platform: { noun: 'search' },
    level: 0.9,
    ranksPerNode: 1,
    ...{ nodes: [36, 64, 100, 1024], named: 100 },
  });
  const sentences = findings.map(({ sentence }) => sentence);

  test('are fitted, and those that grow are told from those that shrink', () => {
    expect(Object.fromEntries(components.map(({ key, grows }) => [key, grows]))).toEqual({
      compute: false,
      'fold transfer': false,
      synchronise: true,
    });
  });

  test('are forecast with shares that the formulas give', () => {
    for (const { nodes, bw, lengthSeconds, interval, components: parts } of forecasts) {
      const truth = seconds(nodes, bw);
      const total = Object.values(truth).reduce((sum, one) => sum + one, 0);
      expect(lengthSeconds / total).toBeCloseTo(1, 4);
      expect((interval.low ?? Number.NaN) / total).toBeCloseTo(1, 2);
      expect((interval.high ?? Number.NaN) / total).toBeCloseTo(1, 2);
      for (const { key, percent } of parts) {
        const share = ((truth[key] ?? 0) / total) * 100;
        expect(percent.value).toBeCloseTo(share, 2);
        expect(percent.low ?? Number.NaN).toBeLessThanOrEqual(share + 0.01);
        expect(percent.high ?? Number.NaN).toBeGreaterThanOrEqual(share - 0.01);
      }
    }
    expect(forecasts.map(({ nodes, bw }) => `${nodes}:${bw}`)).toEqual([
      '36:100',
      '64:100',
      '100:100',
      '1024:100',
      '36:10',
      '64:10',
      '100:10',
      '1024:10',
    ]);
  });

  test('say after which cluster it stops scaling, and because of what', () => {
    expect(sentences[0]).toBe(
      'At 100 % bandwidth and scale 20 the critical path of a search gets shorter up to 25 nodes, the most measured (1.15 s on 4, 430 ms on 25). What grows: synchronise (100 ms to 250 ms). What shrinks: compute (1 s to 160 ms) and fold transfer (50 ms to 20 ms).',
    );
    expect(sentences).toContain(
      'On 100 nodes at 100 % bandwidth synchronise is 91 % (90 % interval 91 to 91 %) of the path.',
    );
  });

  test('name the node count from which another key leads', () => {
    expect(takeovers).toContainEqual({
      scale: 20,
      bw: 100,
      nodes: 25,
      key: 'synchronise',
      over: 'compute',
      measured: true,
    });
  });

  test('of a cluster of one size nothing is forecast, and the reason is said', () => {
    const one = pathAcross(cells.slice(0, 1), {
      platform: { noun: 'search' },
      level: 0.9,
      ranksPerNode: 1,
      nodes: [100],
      named: 100,
    });
    expect(one.fits.kind).toBe('refused');
    expect(one.forecasts).toEqual([]);
    expect(one.findings).toEqual([]);
  });

  test('a best cluster that is not the largest is where scaling stops', () => {
    const slow = cells.map(({ cell, meanNs }) => {
      const more = cell.nodes === 25 ? 0.4e9 : 0;
      return {
        cell,
        meanNs: { ...meanNs, length: (meanNs.length ?? 0) + more, synchronise: (meanNs.synchronise ?? 0) + more },
      };
    });
    const [first] = pathAcross(slow, {
      platform: { noun: 'search' },
      level: 0.9,
      ranksPerNode: 1,
      nodes: [100],
      named: 100,
    }).findings;
    expect(first?.sentence).toMatch(
      /^At 100 % bandwidth and scale 20 the critical path of a search gets shorter up to 16 nodes only \(475 ms, and 830 ms on 25\)\. What grows: synchronise \(200 ms to 650 ms\)\. What shrinks: compute/,
    );
    expect(first?.percent).toBeCloseTo((0.45 / 0.83) * 100, 6);
  });
});

import { describe, expect, test } from 'vitest';
import { acrossRuns, forecastNodes } from '../../../analysis/across/across-runs.ts';
import type { Run } from '../../../analysis/across/run-of-cell.ts';
import type { Finding } from '../../../analysis/finding.ts';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import { formula, makeRun, makeRuns, RANKS_PER_NODE, TRUTH } from './make-runs.ts';

const said = (findings: readonly Finding[]): string[] => findings.map(({ sentence }) => sentence);

const platform = await loadPlatform('graph500');
const options = { ranksPerNode: RANKS_PER_NODE, nodes: [25, 100], named: 100 };

describe('forecasts of runs that follow the formula', () => {
  const { fits, forecasts, takeovers, answer, findings } = acrossRuns(makeRuns(), platform, options);
  const sentences = said(findings);

  test('are made for each node count asked for, at the full and at the lowest bandwidth, at the largest scale', () => {
    expect(fits.kind).toBe('fitted');
    expect(forecasts.map(({ nodes, scale, bw }) => [nodes, scale, bw])).toEqual([
      [25, 21, 100],
      [100, 21, 100],
      [25, 21, 10],
      [100, 21, 10],
    ]);
  });

  test('hold the seconds of the formula, the largest first, and name the largest', () => {
    for (const { components, dominant, ...setting } of forecasts) {
      const wanted = Object.entries(formula(TRUTH, setting)).sort(([, a], [, b]) => b - a);
      expect(components.map(({ name }) => name)).toEqual(wanted.map(([name]) => name));
      for (const [at, [, seconds]] of wanted.entries()) {
        const { value, low, high } = components[at] ?? { value: null, low: null, high: null };
        for (const found of [value, low, high]) expect((found ?? 0) / seconds).toBeCloseTo(1, 5);
      }
      expect(dominant).toBe(wanted[0]?.[0]);
    }
  });

  test('are put in words for the most nodes, with shares that the formula gives', () => {
    const shares = (bw: number): [cpu: string, network: string] => {
      const { cpu, network } = formula(TRUTH, { nodes: 100, scale: 21, bw });
      const share = (part: number): string => ((100 * part) / (cpu + network)).toFixed(0);
      return [share(cpu), share(network)];
    };
    // 8 * 4 / 200 + 0.01 * sqrt(200) against 0.5 * 4 / sqrt(200), and against ten times that.
    expect(shares(100)).toEqual(['68', '32']);
    expect(shares(10)).toEqual(['18', '82']);
    expect(answer).toBe(
      'On 100 nodes the processors would be the main bottleneck of a search (68 % of its time, forecast by fits of the measured bottlenecks).',
    );
    expect(sentences.filter((line) => line.includes('the fits forecast'))).toEqual([
      // The graver one first.
      'On 100 nodes at 10 % bandwidth and scale 21 the fits forecast the network 82 %, the processors 18 % of a search.',
      'On 100 nodes at 100 % bandwidth and scale 21 the fits forecast the processors 68 %, the network 32 % of a search.',
    ]);
  });

  test('say where the network takes over on the node counts asked for', () => {
    const asked = takeovers.filter(({ nodes }) => nodes === 100);
    expect(asked.map(({ scale, above, below }) => [scale, above, below])).toEqual([
      [20, null, null],
      [21, null, null],
    ]);
    const { cpu, network } = formula(TRUTH, { nodes: 100, scale: 21, bw: 100 });
    expect((asked[1]?.fitted ?? 0) / ((100 * network) / cpu)).toBeCloseTo(1, 5);
  });

  test('name the largest known resource where most of the time is unexplained', () => {
    const unexplained = makeRuns().map(
      (run): Run => ({ ...run, components: { ...run.components, unexplained: 100 * run.seconds } }),
    );
    const { forecasts } = acrossRuns(unexplained, platform, options);
    expect(forecasts.map(({ components, dominant }) => [components[0]?.name, dominant])).toEqual([
      ['unexplained', 'cpu'],
      ['unexplained', 'cpu'],
      ['unexplained', 'network'],
      ['unexplained', 'network'],
    ]);
  });

  test('are left out where the components cannot be fitted, the rest is still said', () => {
    const runs = makeRuns({ bandwidths: [100] }).map((run) => ({ ...run, imbalance: run.seconds / 10 }));
    const across = acrossRuns(runs, platform, options);
    expect(across.fits.kind).toBe('refused');
    expect(across.forecasts).toEqual([]);
    expect(across.takeovers.filter(({ below }) => below !== null)).not.toEqual([]);
    expect(across.imbalance).toHaveLength(2);
    expect(said(across.findings).join(' ')).not.toContain('the fits forecast');
  });
});

describe('where the network takes over', () => {
  const run = (nodes: number, bw: number, network: number, scale = 20): Run =>
    makeRun({ nodes, bw, scale, components: { cpu: 2, network } });
  const takeoversOf = (runs: readonly Run[]): readonly string[] =>
    said(acrossRuns(runs, platform, { ranksPerNode: RANKS_PER_NODE, nodes: [], named: null }).findings).filter((line) =>
      line.includes('more time than'),
    );

  test('is said in one sentence per scale, with the measured bandwidths on either side', () => {
    const runs = [
      ...[run(4, 100, 1), run(4, 50, 1.5), run(4, 25, 3)],
      ...[run(9, 100, 0.1), run(9, 50, 0.2), run(9, 25, 0.4)],
      ...[run(16, 100, 3), run(16, 50, 6), run(16, 25, 12)],
      ...[run(4, 100, 1, 21), run(4, 25, 3, 21)],
    ];
    expect(takeoversOf(runs)).toEqual([
      'Scale 20: the network costs more time than the processors at 25 % but not at 50 % bandwidth on 4 nodes, even at 100 % bandwidth on 16 nodes. Even at 25 % bandwidth the network never costs more time than the processors (9 nodes).',
      'Scale 21: the network costs more time than the processors at 25 % but not at 100 % bandwidth on 4 nodes.',
    ]);
  });

  test('is said once for all node counts that are alike', () => {
    const alike = [4, 9, 16, 25].flatMap((nodes) => [run(nodes, 100, nodes === 9 ? 3 : 1), run(nodes, 25, 3)]);
    expect(takeoversOf(alike)).toEqual([
      'Scale 20: the network costs more time than the processors at 25 % but not at 100 % bandwidth on 4, 16 and 25 nodes, even at 100 % bandwidth on 9 nodes.',
    ]);
  });

  test('is not said where no run had to wait for the network', () => {
    expect(takeoversOf([run(4, 100, 0), run(4, 50, 0)])).toEqual([]);
  });
});

describe('imbalance', () => {
  const run = (nodes: number, imbalance: number, over: Partial<Run> = {}): Run =>
    makeRun({ nodes, seconds: 10, imbalance, components: { cpu: 10 }, ...over });
  const across = (...runs: readonly Run[]) =>
    acrossRuns(runs, platform, { ranksPerNode: RANKS_PER_NODE, nodes: [], named: null });

  test('is compared between the smallest and the largest cluster of a scale and bandwidth, over all repetitions', () => {
    const { imbalance } = across(
      run(16, 4),
      run(9, 9),
      run(4, 1),
      // Together 4 s of 30 s on 4 nodes.
      run(4, 3, { rep: 2, seconds: 20 }),
      run(4, 2, { bw: 10 }),
      run(16, 1, { bw: 10 }),
      run(4, 5, { scale: 19 }),
      run(16, 6, { scale: 19 }),
    );
    expect(imbalance).toEqual([
      {
        scale: 19,
        bw: 100,
        smallest: { nodes: 4, seconds: 5, percent: 50 },
        largest: { nodes: 16, seconds: 6, percent: 60 },
      },
      {
        scale: 20,
        bw: 100,
        smallest: { nodes: 4, seconds: 2, percent: expect.closeTo((100 * 4) / 30, 9) },
        largest: { nodes: 16, seconds: 4, percent: 40 },
      },
      {
        scale: 20,
        bw: 10,
        smallest: { nodes: 4, seconds: 2, percent: 20 },
        largest: { nodes: 16, seconds: 1, percent: 10 },
      },
    ]);
  });

  test('of one cluster size says nothing about growth', () => {
    expect(across(run(4, 1), run(4, 2, { rep: 2 }), run(16, 2, { scale: 21 })).imbalance).toEqual([]);
  });

  test('that is the same on both clusters stays, and runs of no length have none', () => {
    expect(said(across(run(4, 1), run(16, 1)).findings).join()).toMatch(/10 % on 16: it stays the same\./);
    expect(across(run(4, 0, { seconds: 0 }), run(16, 0, { seconds: 0 })).imbalance).toEqual([]);
  });

  test('is said at the highest bandwidth, with its direction', () => {
    const { findings } = across(
      ...[run(4, 1), run(16, 4), run(4, 3, { scale: 21 }), run(16, 2, { scale: 21 })],
      ...[run(4, 2, { bw: 10 }), run(16, 1, { bw: 10 })],
    );
    expect(said(findings)).toEqual([
      'At 100 % bandwidth and scale 20 load imbalance costs 10 % of a search on 4 nodes and 40 % on 16: it grows with the cluster.',
      'At 100 % bandwidth and scale 21 load imbalance costs 30 % of a search on 4 nodes and 20 % on 16: it falls with the cluster.',
    ]);
  });
});

test.each([
  [[36, 64, 81], { nodes: [36, 64, 81], named: 81 }],
  [undefined, { nodes: [25, 64, 100], named: 64 }],
])('forecast are the node counts asked for, %j, or targets beyond what was measured', (asked, found) => {
  expect(forecastNodes({ measured: [4, 16, 9], targets: [9, 16, 25, 64, 100], asked })).toEqual(found);
});

test('the nearest target is named where all are far, and none where there is none', () => {
  expect(forecastNodes({ measured: [4], targets: [100, 400], asked: undefined })).toEqual({
    nodes: [100, 400],
    named: 100,
  });
  expect(forecastNodes({ measured: [4], targets: [4], asked: undefined })).toEqual({ nodes: [], named: null });
});

import { describe, expect, test } from 'vitest';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { cellModel, countersOf } from '../../../../analysis/sources/runs/cell-model.ts';
import { consumed, cpu, MS, makeRecord, makeTrace, seen } from './make-run.ts';
import { lives, usedBy } from './model-rows.ts';

const [graph500, mpi] = [await loadPlatform('graph500'), await loadPlatform('mpi')];
const options = { lineRateBps: 200e6, cores: 2 };
const SEARCH = '/Search[root=3]';
const LEVEL = `${SEARCH}/Bfs/Level[level=1]`;

describe('a traced run of graph500', () => {
  const trace = makeTrace([
    [0, 'generate', 20, 30],
    [0, 'construct', 30, 50],
    [0, 'bfs', 40, 190],
    [0, 'expand', 60, 70, 3, 1],
    [1, 'compute', 65, 90, 3, 1],
    [1, 'validate', 100, 110, 3],
    [1, 'validate', 115, 120, 3],
  ]);

  test('hangs every event under its search, level and rank, which span what lies within them', () => {
    expect(lives(cellModel(makeRecord(), trace, { ...options, platform: graph500 }).model)).toEqual({
      '/': [0, 100],
      '/LoadGraph[rank=0]': [0, 10],
      '/Construct[rank=0]': [10, 30],
      [SEARCH]: [40, 100],
      [`${SEARCH}/Bfs`]: [40, 70],
      [LEVEL]: [40, 70],
      [`${LEVEL}/RankLevel[rank=0]`]: [40, 50],
      [`${LEVEL}/RankLevel[rank=0]/Expand`]: [40, 50],
      [`${LEVEL}/RankLevel[rank=1]`]: [45, 70],
      [`${LEVEL}/RankLevel[rank=1]/Compute`]: [45, 70],
      // Two events of the same phase are one that spans both.
      [`${SEARCH}/Validate[rank=1]`]: [80, 100],
    });
  });

  test("is counted in the model's slices unless others are asked for", () => {
    expect(cellModel(makeRecord(), trace, { ...options, platform: graph500 }).model.timesliceNs).toBe(MS);
    const coarse = cellModel(makeRecord(), trace, { ...options, platform: graph500, timesliceNs: 10 * MS });
    expect(coarse.model.timesliceNs).toBe(10 * MS);
    expect(lives(coarse.model)).toMatchObject({ '/': [0, 10], [`${SEARCH}/Bfs`]: [4, 7] });
  });

  test('with names that the model lacks loses those, which is said; searches as a whole are known to be left out', () => {
    const more = makeTrace([
      [0, 'construct', 0, 50],
      [0, 'bfs', 0, 500],
      [0, 'sleep', 50, 60],
      [1, 'sleep', 50, 60],
      [1, 'think', 50, 60],
    ]);
    const { model, warnings } = cellModel(makeRecord(), more, { ...options, platform: graph500 });
    expect(lives(model)).toEqual({ '/': [0, 50], '/Construct[rank=0]': [0, 50] });
    expect(warnings).toEqual(['The model lacks phases of the trace: sleep, think are left out.']);
  });

  test('with phases that end before they start has them without length, and that is said', () => {
    const odd = makeTrace([
      [0, 'construct', 0, 50],
      [1, 'construct', 40, 30],
      [1, 'generate', 20, 10],
    ]);
    const { model, warnings } = cellModel(makeRecord(), odd, { ...options, platform: graph500 });
    expect(lives(model)).toEqual({
      '/': [0, 50],
      '/Construct[rank=0]': [0, 50],
      '/Construct[rank=1]': [40, 40],
      '/LoadGraph[rank=1]': [20, 20],
    });
    expect(warnings).toEqual(['Phases of the trace end before they start (2x): they count as empty.']);
  });

  test('that was read from before its first phase keeps readings and phases together', () => {
    const readings = cpu('a', [
      [-30, 0],
      [20, 0],
      [70, 50],
      [120, 50],
    ]);
    const { model } = cellModel(makeRecord(), makeTrace([[0, 'construct', 20, 120]], [readings]), {
      ...options,
      platform: graph500,
    });
    expect(lives(model)).toMatchObject({ '/': [0, 100] });
    expect(consumed(model, '/host[host=a]/cpu').periods).toEqual([
      [0, 0, 0],
      [0, 50, 1],
      [50, 100, 0],
    ]);
  });
});

describe('a run of a command without a trace', () => {
  const counters = [
    seen('a', 0, 100, 150, 1100),
    seen('b', 1, 120, 920),
    ...['a', 'b'].map((host) =>
      cpu(host, [
        [100, 0],
        [600, 250],
        [1100, 250],
      ]),
    ),
  ];

  test('has under mpi one phase per rank, from the first to the last time that it was seen', () => {
    const { model, warnings } = cellModel(makeRecord(), makeTrace([], counters), { ...options, platform: mpi });
    // Slices of 10 ms from the first sight of any rank.
    expect(lives(model)).toEqual({ '/': [0, 100], '/Rank[rank=0]': [0, 100], '/Rank[rank=1]': [2, 82] });
    expect(usedBy(model, '/Rank[rank=1]')).toEqual(['/host[host=b]/cpu']);
    expect(consumed(model, '/host[host=b]/cpu').periods).toEqual([
      [0, 50, 0.5],
      [50, 100, 0],
    ]);
    expect(warnings).toEqual([]);
  });

  test('has under mpi no phases of a trace, even where there is one', () => {
    const { model } = cellModel(makeRecord(), makeTrace([[0, 'construct', 0, 5000]], counters), {
      ...options,
      platform: mpi,
    });
    expect(lives(model)).toMatchObject({ '/': [0, 100] });
  });

  test('is refused under graph500, with mpi as the way out', () => {
    expect(() => cellModel(makeRecord(), makeTrace([], counters), { ...options, platform: graph500 })).toThrow(
      'The run has no phases: its program reports none that this model knows; try the model mpi.',
    );
  });
});

describe('a run with neither a trace nor ranks', () => {
  test.each([
    { platform: graph500, trace: makeTrace([]) },
    { platform: graph500, trace: makeTrace([[0, 'unheard-of', 0, 100]]) },
    { platform: mpi, trace: makeTrace([], [cpu('a', [[0, 0], [100, 0]])]) }, // biome-ignore format: one line per case
    { platform: mpi, trace: makeTrace([[0, 'construct', 0, 100]]) },
  ])('is refused under $platform.name', ({ platform, trace }) => {
    expect(() => cellModel(makeRecord(), trace, { ...options, platform })).toThrow(/^The run has no phases: /);
  });
});

test('the counters that a model is read from are those of its metrics, the quota and the sight of ranks', () => {
  const wanted = [
    'cpu.busy_ns',
    'cpu.capacity_mcores',
    'cpu.share_mcores',
    'net.rx_bytes',
    'net.tx_bytes',
    'rank.cpu_ns',
  ];
  for (const platform of [graph500, mpi]) expect([...countersOf(platform)].sort()).toEqual(wanted);
});

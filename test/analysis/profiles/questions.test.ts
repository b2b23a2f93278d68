import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { correlate, groupBenchmarks } from '../../../analysis/profiles/questions/correlate-paths.ts';
import { expand, inform } from '../../../analysis/profiles/questions/expand.ts';
import { runHistory } from '../../../analysis/profiles/questions/history.ts';
import { correlationJudge, seriesJudge } from '../../../analysis/profiles/questions/judges.ts';
import { pathBands, type SeriesRow, series } from '../../../analysis/profiles/questions/path-series.ts';
import { pearson } from '../../../analysis/profiles/questions/path-statistics.ts';
import { topPaths, whereTaken } from '../../../analysis/profiles/questions/top-paths.ts';
import { selectionOf } from './make.ts';

const QUESTION = { benchmark: 'b', candidate: null, window: 10, value: 'total', noise: false } as const;
const rowsOf = (texts: readonly string[], more: Partial<Parameters<typeof series>[1]> = {}) => {
  return series(selectionOf(texts.map((text) => ({ text }))), { ...QUESTION, ...more }).rows;
};

test('noise: a deviation is at least what sampling alone gives', () => {
  const history = ['f 100\ng 900\n', 'f 100\ng 900\n', 'f 101\ng 899\n'];
  const [plain] = rowsOf([...history, 'f 110\ng 890\n']);
  expect(plain).toMatchObject({ codePath: 'f', score: expect.closeTo((110 - 301 / 3) / Math.sqrt(1 / 3), 9) });
  const [noisy] = rowsOf([...history, 'f 110\ng 890\n'], { noise: true });
  expect(noisy).toMatchObject({
    codePath: 'f',
    std: Math.sqrt(301 / 3),
    score: expect.closeTo((110 - 301 / 3) / Math.sqrt(301 / 3), 9),
  });
  const [share] = rowsOf([...history, 'f 110\ng 890\n'], { noise: true, value: 'total-share' });
  expect(share?.score).toBeCloseTo(noisy?.score ?? 0, 9);
});

test('shares that are the same in all runs before have no deviation, whatever rounding leaves of them', () => {
  const history = Array.from({ length: 10 }, (_, run) => `f ${run + 1}\ng ${9 * (run + 1)}\n`);
  const [f] = rowsOf([...history, 'f 2\ng 8\n'], { value: 'base-share' });
  expect(f).toMatchObject({ codePath: 'f', expected: expect.closeTo(0.1, 12), std: 0, score: 0 });
});

test('bands are of the runs before each run: in appendix B the last is what the thesis has, the others worked by hand', () => {
  const file = new URL('../../fixtures/profiles/appendix-b/', import.meta.url);
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, file), 'utf8'));
  const texts: { readonly collapsed: string }[] = read('input.json').profiles;
  const selection = selectionOf(texts.map(({ collapsed }) => ({ text: collapsed })));
  const wanted: SeriesRow[] = read('expected.json').series.rows;
  const codePaths = wanted.map(({ codePath }) => codePath);
  const bands = pathBands(selection, QUESTION, codePaths);
  expect(bands.map(({ codePath, points }) => [codePath, points.length])).toEqual(codePaths.map((path) => [path, 11]));
  for (const [index, { expected, actual, std }] of wanted.entries()) {
    expect(bands[index]?.points.at(-1)).toMatchObject({
      ...{ run: 'p10', value: actual, expected: expect.closeTo(expected, 9), std: expect.closeTo(std, 9) },
    });
  }
  // 'noisy' has 40 samples in every second run, and none in the others.
  const noisy = bands.find(({ codePath }) => codePath === 'noisy')?.points ?? [];
  expect(noisy.slice(0, 5).map(({ value, expected }) => [value, expected])).toEqual([
    ...[
      [0, null],
      [40, null],
      [0, 20],
      [40, expect.closeTo(40 / 3, 9)],
    ],
    [0, 20],
  ]);
  expect(noisy[2]?.std).toBeCloseTo(Math.sqrt(800), 9);
  const last3 = pathBands(selection, { ...QUESTION, window: 3 }, ['noisy'])[0]?.points.at(-1);
  expect(last3?.expected).toBeCloseTo((40 + 0 + 40) / 3, 9);
});

test('noise is known of samples alone', () => {
  const texts = ['f 1\n', 'f 2\n', 'f 3\n'].map((text) => ({ text, unit: 'seconds' as const }));
  expect(() => series(selectionOf(texts), { ...QUESTION, noise: true })).toThrow("'p2' counts seconds, not samples");
});

test('totals that differ by more than 20 % are said, and shares do not care', () => {
  const selection = selectionOf(['f 10\n', 'f 10\n', 'f 13\n'].map((text) => ({ text })));
  expect(series(selection, QUESTION).warnings).toEqual([expect.stringContaining('p2 sampled 30 % more')]);
  expect(series(selection, { ...QUESTION, value: 'total-share' }).warnings).toEqual([]);
  expect(series(selectionOf(['f 10\n', 'f 10\n', 'f 12\n'].map((text) => ({ text }))), QUESTION).warnings).toEqual([]);
});

test('runs before a candidate come by their times, as many as there are', () => {
  const selection = selectionOf([
    { text: 'f 9\n', timeNs: 30n },
    { text: 'f 1\n', timeNs: 10n },
    { text: 'f 2\n', timeNs: 20n },
    { text: 'f 7\n', timeNs: 40n },
    { text: 'f 5\n', benchmark: 'other', timeNs: 1n },
  ]);
  expect(series(selection, { ...QUESTION, candidate: 'p0' })).toMatchObject({ candidate: 'p0', history: ['p1', 'p2'] });
  expect(series(selection, { ...QUESTION, window: 2 })).toMatchObject({ candidate: 'p3', history: ['p2', 'p0'] });
  expect(() => series(selection, { ...QUESTION, candidate: 'p2' })).toThrow(
    "The profile 'p2' has 1 of the benchmark 'b' before it",
  );
  expect(() => series(selection, { ...QUESTION, candidate: 'p4' })).toThrow("no profile with the key 'p4'");
  expect(() => series(selection, { ...QUESTION, benchmark: 'none' })).toThrow("no profile of the benchmark 'none'");
});

test('profiles of one run add up', () => {
  const ranks = (run: number, a: number, b: number) => [
    { text: `f ${a}\n`, key: `b/${run}/1`, testRun: String(run), timeNs: BigInt(run) },
    { text: `f ${b}\ng 1\n`, key: `b/${run}/2`, testRun: String(run), timeNs: BigInt(run) },
  ];
  const selection = selectionOf([...ranks(1, 1, 2), ...ranks(2, 3, 2), ...ranks(3, 10, 20)]);
  expect(series(selection, QUESTION)).toMatchObject({
    candidate: 'b/3',
    history: ['b/1', 'b/2'],
    rows: [
      { codePath: 'f', expected: 4, actual: 30 },
      { codePath: 'g', expected: 1, actual: 1 },
    ],
  });
  const [f] = series(selection, { ...QUESTION, value: 'base-share' }).rows;
  expect(f).toMatchObject({ codePath: 'f', actual: 30 / 31, expected: (3 / 4 + 5 / 6) / 2 });
  expect(series(selection, { ...QUESTION, candidate: 'b/3/2' }).candidate).toBe('b/3');
});

const points = (x: readonly number[], y: readonly number[]) => x.map((one, index) => ({ x: one, y: y[index] ?? 0 }));

test('a coefficient needs two different values of both', () => {
  expect(pearson(points([1, 2, 3], [5, 7, 9]))).toBeCloseTo(1, 12);
  expect(pearson(points([1e-9, 2e-9, 3e-9], [9, 7, 5]))).toBeCloseTo(-1, 12);
  expect(pearson(points([0.1, 0.1, 0.1], [1, 2, 3]))).toBe(0);
  expect(pearson(points([1, 2, 3], [4, 4, 4]))).toBe(0);
});

test('profiles without a metric correlate with nothing', () => {
  const selection = selectionOf([
    { text: 'f 1\n', metricMean: 1 },
    { text: 'f 2\n', metricMean: 2 },
    { text: 'f 9\n' },
  ]);
  expect(correlate(selection, { least: 2, value: 'base' })).toEqual([
    { codePath: 'f', score: 1, benchmarks: [{ benchmark: 'b', n: 2, pcc: 1 }] },
  ]);
  expect(correlate(selection, { least: 3, value: 'base' })).toEqual([]);
});

test('a context counts a node of u once, though it calls the step in many ways, and not below another', () => {
  const text = (samples: number) => `u;v ${samples}\nu;v;u;v ${samples}\nu;w;v 1\nm;u 5\n`;
  const selection = selectionOf([text(1), text(2), text(9)].map((each) => ({ text: each })));
  const runs = runHistory(selection, QUESTION);
  const judge = seriesJudge(runs, { value: 'total', leastStd: null });
  const u = selection.names.id('u');
  const question = { path: u, names: selection.names, negatives: false, threshold: 0, maxDepth: 1, maxBreadth: 3 };
  const found = expand(judge, { ...question, direction: 'children' });
  // Of u where it calls v: the outer u with all below it, 2 samples + 1; the inner one lies in it.
  expect(found.map((steps) => steps.map(({ codePath, candidateDiff }) => [codePath, candidateDiff]))).toEqual([
    [
      ['u', 15],
      ['v', 15],
    ],
    [
      ['u', 15],
      ['w', 15],
    ],
  ]);
  const parents = expand(judge, { ...question, direction: 'parents' });
  expect(parents.map((steps) => steps.map(({ codePath, candidateDiff }) => [codePath, candidateDiff]))).toEqual([
    [
      ['u', 15],
      ['v', 7.5],
    ],
  ]);
});

test('a deep chain of callers is followed without recursion', () => {
  const chain = `${Array.from({ length: 3000 }, (_, index) => `f${index}`).join(';')};u`;
  const selection = selectionOf([1, 2, 9].map((samples) => ({ text: `${chain} ${samples}\n` })));
  const judge = seriesJudge(runHistory(selection, QUESTION), { value: 'total', leastStd: null });
  const [branch] = expand(judge, {
    path: selection.names.id('u'),
    names: selection.names,
    negatives: false,
    threshold: 0,
    maxDepth: 10_000,
    maxBreadth: 3,
    direction: 'parents',
  });
  expect(branch).toHaveLength(3001);
});

test('a correlated context is one of the profiles in which it occurs', () => {
  const selection = selectionOf([
    { text: 'a;u 1\nb;u 9\n', metricMean: 1 },
    { text: 'a;u 2\nb;u 5\n', metricMean: 2 },
    { text: 'a;u 3\n', metricMean: 3 },
  ]);
  const judge = correlationJudge(groupBenchmarks(selection.profiles), { value: 'total', least: 2 });
  const question = {
    path: selection.names.id('u'),
    names: selection.names,
    negatives: true,
    maxDepth: 3,
    maxBreadth: 3,
  };
  const stepsAbove = (threshold: number) =>
    expand(judge, { ...question, direction: 'parents', threshold }).map((steps) =>
      steps.map(({ codePath, score }) => [codePath, Math.round(score * 1e9) / 1e9]),
    );
  expect(stepsAbove(0)).toEqual([]);
  expect(stepsAbove(-1)).toEqual([
    [
      ['u', Math.round((-7 / Math.sqrt((74 / 3) * 2)) * 1e9) / 1e9],
      ['a', 1],
    ],
  ]);
});

test('a step tells depths and compile modes that no run before had', () => {
  const modes = (mode: string) => [{ name: 1, mode, own: 1 }];
  const selection = selectionOf([
    { text: 'm;u 1\n', modes: modes('jit') },
    { text: 'm;u 3\n', modes: modes('jit') },
    { text: 'm;u 3\nm;u;u 9\n', modes: [...modes('jit'), ...modes('interpreted')] },
  ]);
  const runs = runHistory(selection, QUESTION);
  const [branch = []] = expand(seriesJudge(runs, { value: 'total', leastStd: null }), {
    ...{
      path: selection.names.id('u'),
      names: selection.names,
      negatives: false,
      threshold: 0,
      maxDepth: 0,
      maxBreadth: 1,
    },
    direction: 'parents',
  });
  expect(branch.map((step) => inform(runs, step))).toEqual([
    { codePath: 'u', score: 10 / Math.SQRT2, candidateDiff: 10, diff: 10, newDepths: [3], newModes: ['interpreted'] },
  ]);
});

test('a profile is listed where a code path takes more than a share, not where it takes as much', () => {
  const selection = selectionOf([{ text: 'f 1\ng 1\n' }, { text: 'f;f 3\ng 1\n' }, { text: 'g 1\n' }]);
  expect(whereTaken(selection, { codePath: 'f', above: 0.5 }).map(({ key, share }) => [key, share])).toEqual([
    ['p1', 0.75],
  ]);
  expect(whereTaken(selection, { codePath: 'f', above: 0 }).map(({ key }) => key)).toEqual(['p1', 'p0']);
  expect(whereTaken(selection, { codePath: 'x', above: 0 })).toEqual([]);
});

test('values that are no whole numbers give no potential below 0', () => {
  const selection = selectionOf([{ text: 'a;b;c;d 1\na;b;c;e 2\na;b 3\n' }]);
  const [profile] = selection.profiles;
  for (const tree of profile === undefined ? [] : [profile.tree])
    tree.total.forEach((total, node) => {
      tree.total[node] = total * 0.1;
    });
  for (const degree of [1, 2, 3])
    for (const { potential } of topPaths(selection, { degree, weight: 'profiles' }))
      expect(potential).toBeGreaterThanOrEqual(0);
});

test('code paths of equal potential are ordered by name, whatever rounding leaves of them', () => {
  const texts = ['z 1\na 1\nb 16\n', 'z 7\nb 119\na 7\n', 'a 5\nz 5\nb 80\n'];
  const selection = selectionOf(texts.map((text) => ({ text })));
  const spoilt = {
    ...selection,
    profiles: selection.profiles.map((one) => ({ ...one, tree: { ...one.tree, own: one.tree.own.slice() } })),
  };
  for (const { tree } of spoilt.profiles) {
    const z = tree.name.indexOf(selection.names.find('z') ?? -1);
    tree.own[z] = (tree.own[z] ?? 0) * (1 + 4e-16);
  }
  const order = topPaths(spoilt, { degree: 0, weight: 'profiles' });
  expect(order[1]?.potential).not.toBe(order[2]?.potential);
  expect(order.map(({ codePath }) => codePath)).toEqual(['b', 'a', 'z']);
});

test('amounts of different units are not added up', () => {
  const selection = selectionOf([
    { text: 'f 1\ng 1\n', metricMean: 1 },
    { text: 'f 30000\ng 10000\n', unit: 'seconds', metricMean: 2 },
    { text: 'f 1\ng 1\n', metricMean: 3 },
  ]);
  const said = /^These profiles have different units \(samples and seconds\): /;
  expect(() => topPaths(selection, { degree: 0, weight: 'samples' })).toThrow(said);
  expect(() => series(selection, QUESTION)).toThrow(said);
  expect(() => correlate(selection, { least: 2, value: 'total' })).toThrow(said);
  // Percentages of each profile have no unit: (50 + 75 + 50) / 3.
  const [first] = topPaths(selection, { degree: 0, weight: 'profiles' });
  expect(first).toEqual({ codePath: 'f', potential: expect.closeTo(175 / 3, 9) });
});

test('what is rarely seen is left out of correlations, if so asked', () => {
  const texts = ['f 980\ng 19\nh 1\n', 'f 1960\ng 38\nh 2\n', 'f 2940\ng 57\nh 3\n'];
  const selection = selectionOf(texts.map((text, index) => ({ text, metricMean: index })));
  const paths = (share?: number) =>
    correlate(selection, { least: 2, value: 'base', ...(share !== undefined && { leastShare: () => share }) })
      .map(({ codePath }) => codePath)
      .sort();
  expect(paths()).toEqual(['f', 'g', 'h']);
  expect(paths(0.001)).toEqual(['f', 'g', 'h']);
  expect(paths(0.01)).toEqual(['f', 'g']);
  expect(paths(0.5)).toEqual(['f']);
});

test('runs may be those whose names begin so', () => {
  const runs = ['4 nodes, a', '9 nodes, a', '4 nodes, b', '9 nodes, b', '4 nodes, c', '9 nodes, c'];
  const selection = selectionOf(runs.map((testRun, index) => ({ text: `f ${index + 1}\n`, testRun })));
  const { history, candidate } = series(selection, { ...QUESTION, runs: '4 nodes' });
  expect([...history, candidate].map((key) => selection.profiles.findIndex((one) => one.key === key))).toEqual([
    0, 2, 4,
  ]);
  expect(() => series(selection, { ...QUESTION, runs: '5' })).toThrow("No run of the benchmark 'b' begins with '5'");
});

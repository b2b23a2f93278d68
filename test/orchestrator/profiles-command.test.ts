import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { correlateCommand } from '../../orchestrator/cli/profiles/correlate-command.ts';
import { gitRecency, recencyWeight } from '../../orchestrator/cli/profiles/git-recency.ts';
import { importProfileFiles } from '../../orchestrator/cli/profiles/import-profile-files.ts';
import { regressionsCommand } from '../../orchestrator/cli/profiles/regressions-command.ts';
import { topCommand } from '../../orchestrator/cli/profiles/top-command.ts';
import { profiledCampaign } from '../analysis/profiles/scaling/planted.ts';
import { tempFolder } from '../experiments/make.ts';
import { runPredict, runPredictJson } from '../run-predict.ts';
import { printedTable } from './printed-table.ts';

test('runs are imported, and one that got slower is found with its contexts', async () => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const folder = tempFolder();
  const store = join(folder, 'store');
  for (const [day, samples] of [100, 103, 98, 101, 140].entries()) {
    const file = join(folder, `${day}.folded`);
    writeFileSync(file, `main;read 60\nmain;read;parse ${samples}\nmain;parse ${40 + day}\nmain;write 300\n`);
    const flags = {
      into: store,
      benchmark: 'b',
      run: String(day),
      time: `2026-01-0${day + 1}`,
      metric: String(samples),
      format: 'auto',
      json: true,
    };
    await importProfileFiles([file], flags);
  }
  const most = '20';
  const bounds = { threshold: '0', maxDepth: '10', maxBreadth: '3' };
  written.mockClear();
  await regressionsCommand(store, {
    ...{ benchmark: 'b', window: '10', value: 'total', rank: 'change', noise: true, most, expand: 'both', ...bounds },
    json: true,
  });
  const { rows, branches, candidate, history } = JSON.parse(written.mock.calls.map(([text]) => String(text)).join(''));
  expect([candidate, history.length, rows[0].codePath, branches[0].codePath]).toEqual(['b/4', 4, 'parse', 'parse']);
  expect(branches[1].steps[0].map(({ codePath }: { readonly codePath: string }) => codePath)).toEqual([
    'parse',
    'read',
    'main',
  ]);
  const top = { degree: '0', weight: 'samples', most };
  await topCommand(store, top);
  await topCommand(store, { ...top, function: 'parse', above: '25%' });
  await correlateCommand(store, { least: '2', value: 'base', most, ...bounds });
  const said = written.mock.calls.map(([text]) => String(text)).join('');
  written.mockClear();
  await correlateCommand(store, { least: '2', value: 'base', most, ...bounds, json: true });
  const correlated = JSON.parse(written.mock.calls.map(([text]) => String(text)).join('')).rows.length;
  for (const [shown, left] of [
    [correlated, undefined],
    [correlated - 1, '1 more (--most).'],
  ] as const) {
    written.mockClear();
    await correlateCommand(store, { least: '2', value: 'base', most: String(shown), ...bounds });
    expect(/^\d+ more.*$/m.exec(written.mock.calls.map(([text]) => String(text)).join(''))?.[0]).toBe(left);
  }
  await expect(topCommand(store, { ...top, function: 'none' })).rejects.toThrow("No profile has the code path 'none'");
  expect(said).toMatch(/58\.\d+ +write\n/);
  expect(said.match(/^ +\d\d\.\d\d +b +\d +b\/\d$/gm)).toHaveLength(5);
  expect(said).toMatch(/0\.9\d+ {2}parse/);
});

test('profiles are imported, listed and queried with what their files hold', async () => {
  const folder = tempFolder();
  const [store, file] = [join(folder, 'store'), join(folder, 'a.folded')];
  writeFileSync(file, 'main;read;[unknown] 60\nmain;write 40\n');
  const words = [
    '--into',
    store,
    '--benchmark',
    'b',
    '--run',
    '7',
    '--time',
    '2026-01-31T12:00:00.5Z',
    '--metric',
    '12.5',
  ];
  const { exitCode, stdout } = await runPredict(['import', file, ...words]);
  const row = {
    key: 'b/7',
    nodes: '5',
    sampled: '100 samples',
    recorded: '2026-01-31T12:00:00.500Z',
    format: 'folded',
  };
  expect([exitCode, printedTable(stdout, ['key', 'sampled'])]).toEqual([
    0,
    [{ ...row, from: expect.stringContaining('a.folded') }],
  ]);
  const listed = await runPredict(['profiles', 'query', store]);
  expect(printedTable(listed.stdout, ['key', 'benchmark'])).toEqual([
    { key: 'b/7', benchmark: 'b', run: '7', recorded: row.recorded, metric: '12.5', format: 'folded' },
  ]);
  const facts = await runPredictJson<{ profiles: { key: string; timeNs: string; metricMean: number }[] }>([
    ...['profiles', 'query', store],
  ]);
  const timeNs = String(BigInt(Date.parse(row.recorded)) * 1_000_000n);
  expect(facts.profiles).toEqual([expect.objectContaining({ key: 'b/7', timeNs, metricMean: 12.5 })]);
  expect((await runPredict(['profiles', 'query', store, 'SELECT 1 AS one WHERE 1 = 2', '--sql'])).stdout).toBe(
    'No rows.',
  );
  const [seven] = printedTable(
    (await runPredict(['profiles', 'query', store, "SELECT 3 + 4 AS n, 'x' AS text", '--sql'])).stdout,
    ['n'],
  );
  expect(seven).toEqual({ n: '7', text: 'x' });
});

test('a campaign knows the names and times of its profiled runs', async () => {
  const [dir, store] = [await profiledCampaign({ nodes: '1,4' }), join(tempFolder(), 'store')];
  const both = await Promise.all(
    ['--benchmark', '--metric'].map((flag) => runPredict(['import', dir, '--into', store, flag, '1'])),
  );
  for (const { exitCode, stderr } of both)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is a campaign, whose')]);
  const { stdout } = await runPredict(['import', dir, '--into', store]);
  const rows = printedTable(stdout, ['key', 'metric', 'recorded']);
  const { profiles } = await runPredictJson<{ profiles: { key: string; metricMean: number | null }[] }>([
    'profiles',
    'query',
    store,
  ]);
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.map(({ key }) => key).sort()).toEqual(profiles.map(({ key }) => key).sort());
  for (const { key, metricMean } of profiles) {
    const metric = rows.find((row) => row.key === key)?.metric;
    if (metricMean === null) expect(metric).toBe('-');
    else expect(Number(metric) / metricMean).toBeCloseTo(1, 2);
  }
});

test.each([
  [{ time: 'yesterday' }, '--time'],
  [{ metric: '-1' }, '--metric'],
  [{ format: 'word' }, '--format'],
  [{ benchmark: ' ' }, '--benchmark'],
])('%j is refused', async (flags, said) => {
  const all = { into: join(tempFolder(), 'store'), benchmark: 'b', run: 'r', format: 'auto', ...flags };
  await expect(importProfileFiles(['none'], all)).rejects.toThrow(said);
});

test('recency halves in 15 days', () => {
  expect([0, 15, 30].map(recencyWeight)).toEqual([1, expect.closeTo(0.5, 12), expect.closeTo(0.25, 12)]);
});

test('recency is that of the file that a code path names, or whose text has its name', async () => {
  const repo = tempFolder();
  const git = async (date: string, ...words: string[]) => {
    const env = {
      GIT_COMMITTER_DATE: date,
      GIT_AUTHOR_DATE: date,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
    };
    await execa('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { env });
  };
  await git('', 'init', '-q');
  const commit = async (date: string, file: string, text: string) => {
    writeFileSync(join(repo, file), text);
    await git(date, 'add', '.');
    await git(date, 'commit', '-q', '-m', file);
  };
  await commit('2026-01-01T00:00:00Z', 'sort it.c', 'void quick_sort(int *a) {}\n');
  await commit('2026-01-16T00:00:00Z', 'read.js', 'parse()\n');
  await commit('2026-02-20T00:00:00Z', 'sort it.c', 'void quick_sort(long *a) {}\n');
  const timeNs = BigInt(Date.parse('2026-01-31T00:00:00Z')) * 1_000_000n;
  const found = await gitRecency(repo, { names: ['quick_sort', 'f read.js:12:3', 'nowhere'], timeNs });
  expect([...found]).toEqual([
    ['quick_sort', expect.closeTo(0.25, 9)],
    ['f read.js:12:3', expect.closeTo(0.5, 9)],
  ]);
  await expect(gitRecency(tempFolder(), { names: ['quick_sort'], timeNs })).rejects.toThrow(
    /^--repo: .* cannot be read/,
  );
  await expect(gitRecency(join(repo, 'none'), { names: [], timeNs })).rejects.toMatchObject({ kind: 'badInput' });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test, vi } from 'vitest';
import { correlateCommand } from '../../orchestrator/cli/profiles/correlate-command.ts';
import { gitRecency, recencyWeight } from '../../orchestrator/cli/profiles/git-recency.ts';
import { importProfileFiles } from '../../orchestrator/cli/profiles/import-profile-files.ts';
import { regressionsCommand } from '../../orchestrator/cli/profiles/regressions-command.ts';
import { topCommand } from '../../orchestrator/cli/profiles/top-command.ts';
import { tempFolder } from '../experiments/make.ts';

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

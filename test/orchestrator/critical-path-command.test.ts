import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findCell } from '../../orchestrator/cli/grade10/find-cell.ts';
import { criticalPathCommand } from '../../orchestrator/cli/path/path-command.ts';
import type { PathFlags } from '../../orchestrator/cli/path/path-flags.ts';
import { runPredict } from '../run-predict.ts';

const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const campaign = fixture('campaigns/schema-1');
const run = (...args: string[]) => runPredict(['critical-path', ...args]);
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);

interface Summed {
  readonly lengthNs: number;
  readonly profileNs: Record<string, number>;
  readonly ranksNs: Record<string, number>;
}

const sum = (parts: Record<string, number>): number => Object.values(parts).reduce((total, ns) => total + ns, 0);

test('a campaign has every cell, keys with their fits, forecasts and sentences', async () => {
  const found = await json(campaign, '--by', 'host');
  expect(Object.keys(found)).toEqual([
    'cells',
    'skipped',
    'components',
    'takeovers',
    'forecasts',
    'findings',
    'sentences',
  ]);
  expect(found.cells).toHaveLength(8);
  for (const { meanNs, by } of found.cells) {
    const { length, ...keys } = meanNs;
    expect(sum(keys) / length).toBeCloseTo(1, 9);
    expect(sum(by) / length).toBeCloseTo(1, 9);
    expect(Object.keys(by).every((name) => name.startsWith('node'))).toBe(true);
  }
  for (const { components } of found.forecasts) {
    expect(sum(components.map((one: { percent: { value: number } }) => one.percent.value))).toBeCloseTo(100, 6);
  }
  expect(found.sentences.join('\n')).toMatch(
    /On 16 nodes at 100 % bandwidth .* % \(90 % interval \d+ to \d+ %\) of the path/,
  );
});

test('one cell has its searches, what changed, and what a change would save', async () => {
  const found = await json(
    campaign,
    '--cell',
    '4:13:20',
    '--against',
    '4:13:100',
    '--what-if',
    'transfer=0',
    '--what-if',
    'compute=1',
  );
  for (const { lengthNs, profileNs, ranksNs } of found.searches as Summed[]) {
    expect([sum(profileNs), sum(ranksNs)]).toEqual([lengthNs, lengthNs]);
  }
  expect(found.differences[0]).toMatchObject({ key: 'length', afterNs: found.meanNs.length });
  expect(found.whatIf.beforeNs).toBe(found.meanNs.length);
  expect(found.whatIf.savedNs).toBeGreaterThan(0);
  expect(found.whatIf.sentences[0]).toMatch(
    /^If transfer lasted 0 times as long and compute lasted 1 times as long, a search would take/,
  );
  const { searches } = await json(
    campaign,
    '--cell',
    '4:13:20',
    '--root',
    String((found.searches[1] as { root: number }).root),
  );
  expect(searches).toEqual([found.searches[1]]);
});

test('text fits a terminal of 80 columns up to its sentences', async () => {
  for (const args of [
    [],
    ['--by', 'rank'],
    ['--cell', '4:13:20'],
    ['--cell', '4:13:20', '--root', '0', '--by', 'host'],
  ]) {
    const { stdout, exitCode } = await run(campaign, ...args);
    expect(exitCode).toBe(0);
    for (const line of stdout.split('\n').filter((text) => !/\.$/.test(text)))
      expect(line.length).toBeLessThanOrEqual(80);
  }
});

test('what is wrong is one sentence on stderr and exit code 2', async () => {
  const { exitCode, stderr } = await run('--activities', '/dev/null');
  expect(exitCode).toBe(2);
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^predict: \/dev\/null is in none of the known formats/);
});

const cell = '4:13:20';

test('a trace has every phase of the search, and an arrow for each hop of its path', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'path-')), 'trace.json');
  await criticalPathCommand(campaign, { by: 'phase', interval: '0.9', cell, root: '0', trace: file });
  const { traceEvents } = JSON.parse(readFileSync(file, 'utf8')) as {
    traceEvents: { ph: string; pid: number; dur?: number }[];
  };
  const [search] = (await json(campaign, '--cell', cell, '--root', '0')).searches;
  const of = (ph: string, pid: number) => traceEvents.filter((event) => event.ph === ph && event.pid === pid);
  expect([of('s', 1).length, of('f', 1).length]).toEqual([search.hops, search.hops]);
  expect(of('X', 2).reduce((sum, { dur = 0 }) => sum + dur, 0)).toBeCloseTo(search.lengthNs / 1000, 3);
});

test('of a campaign without a finished cell there is none to name', () => {
  for (const wanted of ['4:13:20', '00934118f3ba2ce8']) {
    expect(() => findCell({ dir: 'runs', records: [] }, wanted)).toThrow(
      `runs has no finished cell, so ${wanted} does not exist:`,
    );
  }
});

test.each<[string | undefined, Partial<PathFlags>, string]>([
  [undefined, {}, 'Name one source'],
  [campaign, { activities: 'x.jsonl' }, 'Name one source'],
  [campaign, { trace: 'x.json' }, '--trace is for one run: name it with --cell'],
  [campaign, { root: '1' }, '--root is for one run: name it with --cell'],
  [campaign, { cell: '9:13:20' }, 'has no finished cell 9:13:20'],
  [campaign, { cell, root: '77' }, 'has no search 77'],
  [campaign, { cell, whatIf: ['sing=2'] }, "the run has no 'sing': name one of begin"],
  [campaign, { cell, whatIf: ['compute'] }, 'write KEY=FACTOR'],
  [campaign, { cell, whatIf: ['compute=-1'] }, '--what-if'],
  [campaign, { by: 'colour' }, "--by: 'colour' is unknown: write phase, rank, host"],
  [campaign, { interval: '2' }, '--interval'],
  [fixture('campaigns/alltoall'), {}, "has phases for a critical path. Write 'trace: mpi'"],
])('%s with %j is refused', async (dir, flags, message) => {
  await expect(criticalPathCommand(dir, { by: 'phase', interval: '0.9', ...flags })).rejects.toThrow(message);
});

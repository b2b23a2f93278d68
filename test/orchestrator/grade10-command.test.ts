import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runPredict } from '../run-predict.ts';
import { printedTable } from './printed-table.ts';

const CAMPAIGN = fileURLToPath(new URL('../fixtures/campaigns/schema-1', import.meta.url));

test('a search below a slice is called that, with the way to see it; time without a known resource weakens the bounds', async () => {
  const campaign = (name: string): string => fileURLToPath(new URL(`../fixtures/campaigns/${name}`, import.meta.url));
  const [all, one, other] = await Promise.all([
    runPredict(['grade10', campaign('schema-1')]),
    runPredict(['grade10', campaign('schema-1'), '--cell', '1:12:100']),
    runPredict(['grade10', campaign('alltoall'), '--cell', '2:0:40']),
  ]);
  expect(all.stdout).toMatch(/^ +12 +1 +100 +< 1 ms +- .*-$/m);
  expect(all.stdout).not.toMatch(/\b0 µs/);
  expect(one.stdout).toBe('4 x /Search/Bfs, on average below a slice of 1 ms.');
  expect(one.stderr).toContain('A search of 1:12:100 is shorter than a slice of 1 ms on average');
  expect(other.stderr).toMatch(/65 % of a run of 2:0:40 had no known bottleneck, .* more than the stated maximum\./);
});

test('a run has the tables of the thesis: bottlenecks by predicate, and what rules matter to attribution', async () => {
  const args = ['grade10', CAMPAIGN, '--cell', '4:12:20'];
  const [text, json] = await Promise.all([runPredict(args), runPredict([...args, '--json'])]);
  const { predicates, rules, outliers } = JSON.parse(json.stdout);
  const search: { readonly predicate: string; readonly nonePercent: number }[] = predicates.filter(
    ({ type }: { readonly type: string }) => type === '/Search/Bfs',
  );
  const none = Object.fromEntries(search.map(({ predicate, nonePercent }) => [predicate, nonePercent]));
  expect(Object.keys(none)).toEqual(['any', 'all', 'majority', 'majority+any']);
  // What all have the majority has, and what that has some have.
  expect(none.any).toBeLessThanOrEqual(none.majority ?? -1);
  expect(none.majority).toBeLessThanOrEqual(none.all ?? -1);
  for (const [name, percent] of Object.entries(none))
    expect(text.stdout).toMatch(new RegExp(`^${name.replace('+', '\\+')} .* ${percent.toFixed(1)} %$`, 'm'));
  expect(rules.length).toBeGreaterThan(0);
  for (const { baseline, attributed, over, under, samples } of rules) {
    expect(attributed - baseline).toBeCloseTo(over.samples.sum - under.samples.sum, 9);
    expect(over.samples.count + under.samples.count).toBeLessThanOrEqual(samples);
  }
  for (const group of outliers) {
    for (const { seconds } of group.outliers) expect(seconds).toBeGreaterThan(1.0999 * group.medianSeconds);
    expect(group.mostSeconds).toBeLessThan(group.outliers.at(-1).seconds);
  }
});

test('a run is written as tables and as a trace, with what its JSON has; what samples would have missed is printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grade10-'));
  const [tables, trace] = [join(folder, 'tables'), join(folder, 'trace.json')];
  const words = ['grade10', CAMPAIGN, '--cell', '4:12:20', '--sampling'];
  const { stdout, stderr } = await runPredict([...words, '--export', tables, '--format', 'tsv', '--trace', trace]);
  expect(stderr).toContain(`predict: ${trace}: open it in `);
  expect(stderr).toMatch(/ as tsv\.$/m);
  const { phases, attribution, sampling } = JSON.parse((await runPredict([...words, '--json'])).stdout);
  const rows = (name: string) => {
    const [head = '', ...lines] = readFileSync(join(tables, `${name}.tsv`), 'utf8')
      .trimEnd()
      .split('\n');
    const names = head.split('\t');
    return lines.map((line) => Object.fromEntries(line.split('\t').map((text, column) => [names[column] ?? '', text])));
  };
  const byPath = (all: readonly (readonly unknown[])[]) => new Map(all.map(([path, ...slices]) => [path, slices]));
  const written = rows('phases').map((row) => [row.path, Number(row.first_slice), Number(row.last_slice)]);
  expect(byPath(written)).toEqual(byPath(phases));
  const used = (slices: readonly number[]): number => slices.reduce((sum, one) => sum + one, 0);
  const wanted = new Map<string, number>();
  for (const [phase, metrics] of Object.entries<Record<string, { usage: number[] }>>(attribution))
    for (const [metric, { usage }] of Object.entries(metrics)) wanted.set(`${phase} ${metric}`, used(usage));
  const found = new Map<string, number>();
  for (const { phase, metric, first_slice, end_slice, usage } of rows('attribution')) {
    const key = `${phase} ${metric}`;
    found.set(key, (found.get(key) ?? 0) + Number(usage) * (Number(end_slice) - Number(first_slice)));
  }
  for (const [key, sum] of wanted) expect([key, found.get(key) ?? 0]).toEqual([key, expect.closeTo(sum, 3)]);
  expect(JSON.parse(readFileSync(trace, 'utf8')).traceEvents.length).toBeGreaterThan(phases.length);
  const printed = printedTable(stdout, ['metric', 'method', 'k', 'interval', 'error']);
  expect(printed.map(({ metric, method, k, error }) => [metric, method, Number(k), error])).toEqual(
    sampling.map((one: Record<string, never>) => [
      one.metricType,
      one.sampler,
      one.every,
      Number(one.errorPercent).toFixed(1),
    ]),
  );
});

test('bad input is one sentence and exit code 2', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grade10-'));
  for (const [args, message] of [
    [[], /Name one source/],
    [[folder], /is not a campaign/],
  ] as const) {
    const { exitCode, stderr } = await runPredict(['grade10', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
});

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../base/paths.ts';
import { readReports } from '../../../experiments/harness/find-reports.ts';
import { computeMeans, computeScore, type HarnessRun } from '../../../experiments/harness/harness-run.ts';

const FOLDER = join(projectRoot(), 'test/fixtures/graphalytics-harness/competition-2023');
const table = (name: string, separator: string): Record<string, string>[] => {
  const [head = '', ...lines] = readFileSync(join(FOLDER, name), 'utf8').trim().split(/\r?\n/);
  const titles = head.split(separator);
  return lines.map((line) => Object.fromEntries(line.split(separator).map((text, index) => [titles[index], text])));
};
const reports = await readReports(FOLDER);

/** Prefixes of the files of each platform in the published table. */
const SUBMISSIONS: Record<string, string> = {
  'libgrape-gpu': 'libgrape-gpu',
  'libgrape-lite': 'libgrape-lite',
  'GraphBLAS Intel Xeon Gold 6342': 'graphblas-xeon-6342',
  'GraphBLAS Intel Xeon Platinum 8369': 'graphblas-xeon-8369',
};

test('all results of the competition of 2023 are read', () => {
  const runs = reports.flatMap((report) => report.runs);
  expect([reports.length, runs.length, runs.filter(({ success }) => success).length]).toEqual([24, 1923, 1923]);
  expect(runs.every(({ vertices, edges, loadS, makespanS }) => vertices && edges && loadS !== null && makespanS)).toBe(
    true,
  );
  expect(runs.filter(({ processingS }) => processingS !== null && processingS < 0.01)).toHaveLength(115);
  // Where T_proc is 0 there is no rate, and below 10 ms the rate is flagged.
  expect(runs.filter(({ doubt }) => doubt !== null)).toHaveLength(115);
  const missing = new Set(reports.filter(({ nodes }) => nodes === null).map(({ path }) => basename(path)));
  expect([...missing].every((name) => name.startsWith('graphblas-xeon-6342'))).toBe(true);
  expect(missing.size).toBe(3);
});

test('the published means of 19 of 25 rows come out of them', () => {
  const sizes = table('datasets.csv', ',');
  const algorithms = table('algorithms.csv', ',');
  const rows = table('results_platform_price_adjusted.csv', '\t');
  expect(rows).toHaveLength(25);
  const known = rows.filter(({ Platform = '' }) => SUBMISSIONS[Platform] !== undefined);
  expect(known).toHaveLength(19);
  for (const row of known) {
    const graphs = sizes.filter(({ size }) => size === row.Size);
    const weighted = new Map(graphs.map(({ name, weighted }) => [name, weighted === 'true']));
    const runs: HarnessRun[] = reports
      .filter(({ path }) => basename(path).startsWith(SUBMISSIONS[row.Platform ?? ''] ?? ''))
      .flatMap((report) => report.runs)
      .filter(({ graph }) => graph !== null && weighted.has(graph));
    const pairs = computeMeans(runs);
    const wanted = algorithms.reduce(
      (count, { requires_weights }) =>
        count + graphs.filter((each) => requires_weights === 'false' || each.weighted === 'true').length,
      0,
    );
    const name = `${row.Platform}, ${row.Size}`;
    expect([name, pairs.length]).toEqual([name, wanted]);
    const close = (seconds: number | null, column: string): void => {
      const published = Number(row[column]);
      expect(Math.abs((seconds ?? Number.NaN) / published - 1), `${name}, ${column}`).toBeLessThan(1e-6);
    };
    close(computeScore(pairs, 'makespanS'), 'Mean makespan (s)');
    close(computeScore(pairs, 'processingS'), 'Mean processing time (s)');
  }
});

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Case } from '../../../cases/grade10/case-records.ts';
import { parseCase } from '../../../cases/grade10/parse-case.ts';
import type { CaseOutput } from '../../case-output.ts';
import { analyseTexts } from './analyse-job.ts';
import { modelFile, type Templates, templatesOf } from './case-files.ts';
import { expectClose } from './expect-close.ts';

const fixture = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
const PARTS = [
  'phases',
  'sampled',
  'attribution',
  'leaf_metric_bottlenecks',
  'leaf_bottlenecks',
  'composite_bottlenecks',
  'issue_count',
  'issues',
] as const;

interface Reference {
  readonly input: Case;
  readonly expected: CaseOutput;
  /** The case's CSV files as they came. */
  readonly csv: Readonly<Record<string, string>>;
}

/** Metrics of the whole system have no place in a model file: in the case that has some they are put on a resource `system`. */
function reference(name: string): Reference {
  const rootMetrics = name === 'thesis-fig4.6-4.9';
  const moved = (text: string): string => (rootMetrics ? text.replace(/(?<=^|["\s])\/(?=[RB]\b)/gm, '/system/') : text);
  const json = (file: string): unknown => JSON.parse(moved(fixture(`../../../fixtures/grade10/${name}/${file}.json`)));
  const input = parseCase(json('input'));
  const { metrics, ...root } = input.resource_spec;
  return {
    input: rootMetrics
      ? { ...input, resource_spec: { ...root, children: [{ name: 'system', ...(metrics ? { metrics } : {}) }] } }
      : input,
    expected: json('expected') as CaseOutput,
    csv: Object.fromEntries(
      ['phases.csv', 'rates.csv', 'waits.csv'].map((file) => [file, moved(fixture(`cases/${name}/${file}`))]),
    ),
  };
}

async function expectReference(
  { input, expected, csv }: Reference,
  extra: Parameters<typeof modelFile>[1],
): Promise<void> {
  const { output, warnings } = await analyseTexts({ ...csv, 'model.yaml': modelFile(input, extra) });
  expect(warnings).toEqual([]);
  for (const part of PARTS) expectClose(output[part], expected[part], part);
  expect([output.first_timeslice, output.last_timeslice]).toEqual([expected.first_timeslice, expected.last_timeslice]);
}

describe('the reference cases as jobs of a model file', () => {
  test.each(['small', 'thesis-fig4.10', 'thesis-fig4.6-4.9'])(
    '%s comes out as two independent programs have it, to 1e-9',
    async (name) => {
      const { input, expected, csv } = reference(name);
      const mapping = templatesOf(input.mapping);
      await expectReference({ input, expected, csv }, { mapping });
    },
  );

  const byWorker: Templates = {
    '/LoadGraph/WorkerLoadGraph': ['/cluster/machine[id={worker}]', '/mpi/worker[id={worker}]'],
    '/Execute/Superstep/WorkerSuperstep': ['/cluster/machine[id={worker}]', '/mpi/worker[id={worker}]'],
  };

  test("the small case's mapping is one template for each type of phase that it lists", () => {
    expect(templatesOf(reference('small').input.mapping)).toEqual(byWorker);
  });

  test('the small case comes out the same with machines told by places', async () => {
    const byHost = Object.fromEntries(
      Object.keys(byWorker).map((type) => [type, ['/cluster/machine[id={host}]', '/mpi/worker[id={worker}]']]),
    );
    await expectReference(reference('small'), { mapping: byHost, places: { worker: { 0: '0', 1: '1' } } });
  });

  test('the small case comes out the same with its times in epoch nanoseconds', async () => {
    const { input, expected, csv } = reference('small');
    // A whole number of its slices of 10 ms.
    const shift = 1_700_000_000_120_000_000n;
    const later = (text: string): string => text.replace(/\b\d{10}\b/g, (ns) => String(BigInt(ns) + shift));
    const moved = Object.fromEntries(Object.entries(csv).map(([name, text]) => [name, later(text)]));
    expect(moved['phases.csv']).toContain('\n/,1700000001120000000,1700000001420000000\n');
    const { output } = await analyseTexts({ ...moved, 'model.yaml': modelFile(input, { mapping: byWorker }) });
    const since = (all: CaseOutput): unknown =>
      all.phases.map(([path, first, last]) => [path, first - all.first_timeslice, last - all.first_timeslice]);
    expect(since(output)).toEqual(since(expected));
    for (const part of PARTS.filter((one) => one !== 'phases')) expectClose(output[part], expected[part], part);
  });
});

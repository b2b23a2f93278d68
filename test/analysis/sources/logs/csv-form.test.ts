import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CaseOutput } from '../../case-output.ts';
import { analyseTexts } from './analyse-job.ts';
import { lines } from './text-folder.ts';

const MODEL = lines(
  'name: m',
  'timeslice: 10ns',
  'phases:',
  '  Load:',
  '  Rank: { repeat: concurrent, key: rank, after: [Load] }',
  'resources:',
  '  host: { repeat: many, key: host, metrics: { cpu: consumable, gc: blocking } }',
);
const FILES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'phases.csv': [
    ['path', 'start_ns', 'end_ns'],
    ['/', '0', '100'],
    ['/Load', '0', '20'],
    ['/Rank[rank=0]', '20', '100'],
    ['/Rank[rank=1]', '20', '60'],
  ],
  'rates.csv': [
    ['metric', 'capacity', 'period_start_ns', 'period_end_ns', 'value'],
    ['/host[host=a]/cpu', '2.0', '0', '40', '1.5'],
    ['/host[host=a]/cpu', '2', '40', '100', '5e-1'],
  ],
  'waits.csv': [
    ['metric', 'start_ns', 'end_ns'],
    ['/host[host=a]/gc', '30', '50'],
  ],
};
/**
 * By hand, with the default rules (sink, full): everybody waits in slices 3 and 4. The first period's 1.5 x 4 = 6 fill slices
 * 0 to 2 to their capacity. Of the second's 0.5 x 6 = 3, slice 5 with two ranks gets twice what the four with one get.
 */
const SAMPLED = [2, 2, 2, 0, 0, 1, 0.5, 0.5, 0.5, 0.5];

type Write = (rows: readonly (readonly string[])[]) => string;
const plain: Write = (rows) => lines(...rows.map((row) => row.join(',')));

async function written(write: Write): Promise<CaseOutput> {
  const texts = Object.fromEntries(Object.entries(FILES).map(([name, rows]) => [name, write(rows)]));
  return (await analyseTexts({ ...texts, 'model.yaml': MODEL })).output;
}

const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;

function expectSampled({ phases, sampled }: CaseOutput): void {
  expect(phases).toEqual([
    ['/', 0, 9],
    ['/Load', 0, 1],
    ['/Rank[rank=0]', 2, 9],
    ['/Rank[rank=1]', 2, 5],
  ]);
  for (const [slice, wanted] of SAMPLED.entries()) {
    expect(sampled['/host[host=a]/cpu']?.[slice], `slice ${slice}`).toBeCloseTo(wanted, 12);
  }
}

test.each<[string, Write]>([
  ['plain lines', plain],
  ['CRLF', (rows) => plain(rows).replaceAll('\n', '\r\n')],
  ['a byte order mark', (rows) => `\uFEFF${plain(rows)}`],
  ['a byte order mark and CRLF', (rows) => `\uFEFF${plain(rows).replaceAll('\n', '\r\n')}`],
  ['no line end at the end', (rows) => plain(rows).trimEnd()],
  ['empty lines between and after', (rows) => `${plain(rows).replaceAll('\n', '\n\n')}\n`],
  ['all fields in quotes', (rows) => plain(rows.map((row) => row.map(quoted)))],
  ['columns in another order', (rows) => plain(rows.map((row) => row.toReversed()))],
  [
    'a column more, some of it empty',
    (rows) => plain(rows.map((row, at) => [...row, ['note', '', 'x', '', 'y'][at] ?? ''])),
  ],
])('a job is read with %s', async (_, write) => {
  expectSampled(await written(write));
});

test('lines of phases may come in any order, children before parents', async () => {
  const { output } = await analyseTexts({
    'model.yaml': MODEL,
    'phases.csv': plain(
      [...(FILES['phases.csv'] ?? [])].map((row, at, all) => (at === 0 ? row : (all[all.length - at] ?? row))),
    ),
  });
  expect(output.phases).toEqual([
    ['/', 0, 9],
    ['/Load', 0, 1],
    ['/Rank[rank=0]', 2, 9],
    ['/Rank[rank=1]', 2, 5],
  ]);
});

test('rates.csv and waits.csv may be missing, or hold only their headers', async () => {
  const phases = plain(FILES['phases.csv'] ?? []);
  const headers = Object.fromEntries(
    ['rates.csv', 'waits.csv'].map((name) => [name, plain((FILES[name] ?? []).slice(0, 1))]),
  );
  for (const files of [{}, headers]) {
    const { output } = await analyseTexts({ 'model.yaml': MODEL, 'phases.csv': phases, ...files });
    expect(output.phases).toHaveLength(4);
    expect(output.sampled).toEqual({});
  }
});

test('ids may hold commas, quotes, slashes and spaces', async () => {
  const id = fc.string({ unit: fc.constantFrom(',', '"', '/', ' ', '=', 'é', '漢', 'a', '1', '$', '{'), maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(id, { minLength: 1, maxLength: 4 }), fc.boolean(), async (ids, always) => {
      const field = (text: string): string => (always || /[",]/.test(text) ? quoted(text) : text);
      const paths = ids.map((one) => `/Rank[rank=${one}]`);
      const { output } = await analyseTexts({
        'model.yaml': MODEL,
        'phases.csv': lines('path,start_ns,end_ns', '/,0,100', ...paths.map((path) => `${field(path)},0,50`)),
      });
      expect(output.phases.map(([path]) => path)).toEqual(['/', ...paths].sort((a, b) => (a < b ? -1 : 1)));
    }),
    { numRuns: 40 },
  );
});

test('a first column without a name, as tables with an index have it, is no harm', async () => {
  const indexed: Write = (rows) =>
    lines(...rows.map((row, index) => [index === 0 ? '' : String(index), ...row].join(',')));
  expectSampled(await written(indexed));
  const unnumbered: Write = (rows) => lines(...rows.map((row) => ['', ...row].join(',')));
  expectSampled(await written(unnumbered));
});

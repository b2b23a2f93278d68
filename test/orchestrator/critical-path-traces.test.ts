import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { criticalPathCommand } from '../../orchestrator/cli/path/path-command.ts';
import { runPredict } from '../run-predict.ts';

const graphs = fileURLToPath(new URL('../fixtures/critical-path/graphs/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'traces-'));
afterAll(() => rmSync(folder, { recursive: true }));
const run = (...args: string[]) => runPredict(['critical-path', ...args]);

const TRACE = join(folder, 'trace.jsonl');
writeFileSync(
  TRACE,
  [
    '{"worker":0,"start":0,"end":50000,"type":"op","name":"read"}',
    '{"worker":0,"start":50000,"end":75000,"type":"op","name":"join"}',
    '{"worker":1,"start":0,"end":60000,"type":"op","name":"read"}',
    '{"worker":1,"start":60000,"end":100000,"type":"wait"}',
    '{"worker":1,"start":100000,"end":135000,"type":"op","name":"join"}',
    '{"from":0,"to":1,"start":75000,"end":100000,"type":"comm","name":"row","bytes":8}',
    '{"worker":1,"start":135000',
  ].join('\n'),
);

writeFileSync(join(folder, 'empty'), '');
const TIMELY = fileURLToPath(new URL('../fixtures/critical-path/timely/tiny2net.jsonl', import.meta.url));

test('a trace is answered for as a whole and slice by slice, and written as a table and for Perfetto', async () => {
  const [table, perfetto] = [join(folder, 'path.csv'), join(folder, 'path.json')];
  const flags = ['--slice', '0.00005', '--near', '10', '--what-if', 'row=0', '--out', table, '--trace', perfetto];
  const { stdout } = await run('--activities', TRACE, ...flags, '--json');
  const found = JSON.parse(stdout);
  expect(found.slices.map(({ lengthNs }: { lengthNs: number }) => lengthNs)).toEqual([135000, 50000, 50000, 35000]);
  expect(found.slices[0].byOperator).toEqual({ read: 50000, join: 60000, row: 25000 });
  expect(found.waits).toEqual([
    expect.objectContaining({ worker: '1', startNs: 60000, endNs: 100000, before: expect.any(Array) }),
  ]);
  expect(found.problems).toEqual([{ kind: 'line that is not a JSON object', count: 1, lines: [7] }]);
  expect(found.whatIf.afterNs).toBe(110000);
  expect(found.criticalPaths).toBe(1);
  // One path alone: of its 135 us it spends 50 in read, 25 + 35 in join and 25 on its way.
  expect(found.participation.byOperator).toEqual({
    ...{ read: expect.closeTo(50 / 135, 9), join: expect.closeTo(60 / 135, 9), row: expect.closeTo(25 / 135, 9) },
  });
  expect((await run('--activities', TRACE, '--near', '10')).stdout).toMatch(
    /critical participation\):\n *share +by name\n *44\.4 % +join\n *37\.0 % +read\n *18\.5 % +row\n/,
  );
  expect(readFileSync(table, 'utf8').split('\n')[3]).toBe('0,2,0,1,transfer,row,75000,100000');
  expect(
    JSON.parse(readFileSync(perfetto, 'utf8')).traceEvents.filter(({ ph }: { ph: string }) => ph === 's'),
  ).toHaveLength(1);
});

test('traces of one program are set side by side by their worker counts, those of as many workers as their mean', async () => {
  const names = ['tiny2net.jsonl', 'bfs4yield.jsonl.gz', 'tiny2.jsonl'];
  const files = names.map((name) =>
    fileURLToPath(new URL(`../fixtures/critical-path/timely/${name}`, import.meta.url)),
  );
  const [net, four, one] = files.map(referenceProfile);
  const { stdout } = await run('--activities', ...files, '--json');
  const found = JSON.parse(stdout);
  expect(found.counts).toEqual([
    { workers: 2, traces: 2, lengthNs: expect.closeTo(((net?.length ?? 0) + (one?.length ?? 0)) / 2, 3) },
    { workers: 4, traces: 1, lengthNs: expect.closeTo(four?.length ?? 0, 3) },
  ]);
  const keys = [...new Set([net, four, one].flatMap((own) => Object.keys(own?.profile_by_operator ?? {})))];
  expect(found.keys.map(({ key }: { key: string }) => key).sort()).toEqual(keys.sort());
  for (const { key, ns, percent, grows } of found.keys) {
    const [a, b, c] = [net, one, four].map((own) => own?.profile_by_operator[key] ?? 0) as [number, number, number];
    expect(ns[0]).toBeCloseTo((a + b) / 2, 3);
    expect(ns[1]).toBeCloseTo(c, 3);
    expect(percent[1]).toBeCloseTo((c / (four?.length ?? 0)) * 100, 6);
    expect(grows).toBe(c > (a + b) / 2);
  }
  // Means of the references of both traces of 2 workers, and the reference of the one of 4.
  expect(found.sentences).toEqual([
    'The critical path gets shorter up to 2 workers only (943 µs, and 24.3 ms on 4). What grows: op:BFS#4 (63.7 µs to 12.5 ms), unknown (604 µs to 8.99 ms) and op:ToStream#0 (23.4 µs to 2.42 ms). What shrinks: comm:progress (72.4 µs to 0 µs) and comm:data (39.8 µs to 0 µs).',
  ]);
});

function referenceProfile(file: string): { length: number; profile_by_operator: Record<string, number> } {
  const path = file.replace('.jsonl', '.expected.json');
  const bytes = readFileSync(path);
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()).slices[0];
}

test('the table of several traces has the largest parts of each path, and the rest together', async () => {
  const [two, four] = [traceOf(2), traceOf(4)];
  const { stdout } = await run('--activities', four, two);
  expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['The critical path by worker count:'],
    ['of the path', '2 workers', 'share', '4 workers', 'share'],
    ['generate', '100 µs', '47.6 %', '100 µs', '56.8 %'],
    ['count', '100 µs', '47.6 %', '50 µs', '28.4 %'],
    ['agree', '10 µs', '4.8 %', '20 µs', '11.4 %'],
    ['join 3', '0 µs', '0.0 %', '3 µs', '1.7 %'],
    ['join 2', '0 µs', '0.0 %', '2 µs', '1.1 %'],
    ['other activities', '0 µs', '0.0 %', '1 µs', '0.6 %'],
    ['all', '210 µs', '100.0 %', '176 µs', '100.0 %'],
    [''],
    [
      'The critical path gets shorter up to 4 workers, the most measured (210 µs on 2, 176 µs on 4). What grows: agree (10 µs to 20 µs). What shrinks: count (100 µs to 50 µs).',
    ],
  ]);
});

/** One worker generates for 100 us while the others wait; all count, agree for longer the more they are, and four join what they have. */
function traceOf(workers: number): string {
  const file = join(folder, `on-${workers}.jsonl`);
  const parts = [
    ...[
      { name: 'count', ns: 200_000 / workers },
      { name: 'agree', ns: 5000 * workers },
    ],
    ...(workers < 4 ? [] : [1, 2, 3].map((part) => ({ name: `join ${part}`, ns: 1000 * part }))),
  ];
  const lines = Array.from({ length: workers }, (_, worker) => {
    let endNs = 100_000;
    return [
      { worker, start: 0, end: endNs, ...(worker === 0 ? { type: 'op', name: 'generate' } : { type: 'wait' }) },
      ...(worker === 0 ? [] : [{ from: 0, to: worker, start: endNs, end: endNs, type: 'comm', name: 'part' }]),
      ...parts.map(({ name, ns }) => {
        endNs += ns;
        return { worker, start: endNs - ns, end: endNs, type: 'op', name };
      }),
    ];
  });
  writeFileSync(
    file,
    lines
      .flat()
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  return file;
}

test.each([
  [{ activities: TRACE, format: 'dance' }, "--format: 'dance' is unknown"],
  [{ activities: TRACE, format: 'otf2' }, 'is not a trace of the format otf2'],
  [{ activities: join(graphs, 'three.json') }, 'is in none of the known formats'],
  [{ activities: TRACE, whatIf: ['nothing=2'] }, "'nothing' is unknown"],
  [{ activities: TRACE, out: 'path.txt' }, 'does not end in .csv or .parquet'],
  [{ activities: [TRACE, TIMELY], slice: '1s' }, '--slice is for one trace, but 2 are named'],
  [{ activities: [TRACE, '-'] }, 'Standard input is one trace'],
  [{ activities: [TRACE, join(graphs, 'three.json')] }, 'is in none of the known formats'],
  [{ activities: TRACE, skew: ['0=5'] }, '--skew is for Timely traces'],
  [{ activities: TRACE, waitFrom: 'gap' }, '--wait-from is for Timely traces'],
  [{ activities: TRACE, follow: true }, 'no line so far is a Timely event'],
  [{ activities: TRACE, cell: '4:20:10' }, '--cell is for a campaign'],
  [{ activities: TRACE, model: 'graph500' }, '--model is for campaigns'],
  [{ activities: join(folder, 'empty') }, 'is empty'],
  [{ activities: TIMELY, skew: ['0=5', '0=6'] }, 'process 0 is given twice'],
  [{ activities: TIMELY, skew: ['7=5'] }, 'does not name process 7 (of processes it names 0 and 1)'],
  [{ activities: TRACE, program: 'pr' }, '--program is for a campaign'],
])('%j is refused in a sentence', async (flags, sentence) => {
  await expect(criticalPathCommand(undefined, flags)).rejects.toThrow(sentence);
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';
import { criticalPathCommand } from '../../orchestrator/cli/path/index.ts';

const predict = fileURLToPath(new URL('../../predict', import.meta.url));
const graphs = fileURLToPath(new URL('../fixtures/critical-path/graphs/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'traces-'));
afterAll(() => rmSync(folder, { recursive: true }));
const run = async (...args: string[]) => await execa(predict, ['critical-path', ...args], { reject: false });

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
  expect(readFileSync(table, 'utf8').split('\n')[3]).toBe('0,2,0,1,transfer,row,75000,100000');
  expect(
    JSON.parse(readFileSync(perfetto, 'utf8')).traceEvents.filter(({ ph }: { ph: string }) => ph === 's'),
  ).toHaveLength(1);
});

test.each([
  [{ activities: TRACE, format: 'dance' }, "--format: 'dance' is unknown"],
  [{ activities: TRACE, format: 'otf2' }, 'is not a trace of the format otf2'],
  [{ activities: join(graphs, 'three.json') }, 'is in none of the known formats'],
  [{ activities: TRACE, whatIf: ['nothing=2'] }, "'nothing' is unknown"],
  [{ activities: TRACE, out: 'path.txt' }, 'does not end in .csv or .parquet'],
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

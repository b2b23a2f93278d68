import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paint, widthOf } from '../../../orchestrator/cli/print.ts';
import { foldText, type TextColumn, tableLines } from '../../../orchestrator/cli/table-lines.ts';

const HOSTS: readonly TextColumn[] = [
  { pad: 'padEnd', texts: ['host', 'n1', 'n2'] },
  { pad: 'padStart', texts: ['cores', '4', '16'] },
  { pad: 'padEnd', texts: ['what is careful about it', 'nothing', 'its clock is set by nobody at all'] },
];

test('a table that fits stands as it is', () => {
  expect(tableLines(HOSTS, 80)).toEqual([
    'host  cores  what is careful about it',
    'n1        4  nothing',
    'n2       16  its clock is set by nobody at all',
  ]);
});

test('words are folded where the terminal is narrower', () => {
  expect(tableLines(HOSTS, 30)).toEqual([
    'host  cores  what is careful',
    '             about it',
    'n1        4  nothing',
    'n2       16  its clock is set',
    '             by nobody at all',
  ]);
});

test('titles of numbers are folded before words, and numbers stay whole', () => {
  const columns: readonly TextColumn[] = [
    { pad: 'padStart', texts: ['no known resource', '12 %', '100 %'] },
    { pad: 'padEnd', texts: ['what would help most', 'the processors', 'the network, a little'] },
  ];
  expect(tableLines(columns, 31)).toEqual([
    ...['no known  what would help most', 'resource'],
    ...['    12 %  the processors', '   100 %  the network, a little'],
  ]);
});

test('sentences are folded below their own beginning, and words are never cut', () => {
  const text = '- a sentence about\n  /a/path/that/is/long and more';
  expect(foldText(text, 12)).toBe('- a sentence\n  about\n  /a/path/that/is/long\n  and more');
  expect(foldText(text, Number.POSITIVE_INFINITY)).toBe(text);
});

test('rows become lines where folding is not enough', () => {
  expect(tableLines(HOSTS, 20)).toEqual([
    ...['host                      n1', 'cores                     4', 'what is careful about it  nothing', ''],
    ...['host                      n2', 'cores                     16', 'what is careful about it  its clock is'],
    ...['                          set by'.padEnd(0), '                          nobody at'],
    '                          all',
  ]);
});

test('nothing is lost, and a table of words is never wider than asked', () => {
  const word = fc.stringMatching(/^[a-z]{1,9}$/);
  const cell = fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => words.join(' '));
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((columns) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 4 }),
    );
  fc.assert(
    fc.property(table, fc.integer({ min: 60, max: 120 }), (rows, width) => {
      const columns = (rows[0] ?? []).map((_, index) => ({
        pad: 'padEnd' as const,
        texts: rows.map((row) => row[index] ?? ''),
      }));
      const lines = tableLines(columns, width);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
      const sorted = (text: string): string[] => text.split(/\s+/).filter(Boolean).sort();
      expect(sorted(lines.join(' '))).toEqual(sorted(rows.flat().join(' ')));
    }),
  );
});

test('the width is that of COLUMNS, else of the terminal, else without end', () => {
  expect(widthOf({ isTTY: true, columns: 100 }, { COLUMNS: '70' })).toBe(70);
  expect(widthOf({ isTTY: true, columns: 100 }, {})).toBe(100);
  expect(widthOf({ isTTY: false, columns: 100 }, {})).toBe(Number.POSITIVE_INFINITY);
});

test('colours are for terminals, unless NO_COLOR says no, and what hosts say cannot add any', () => {
  expect(paint('x\u001b[31m', 'failed', { isTTY: true }, {})).toBe('\u001b[31mx\\u001b[31m\u001b[0m');
  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
    expect(paint('x', 'warning', { isTTY: true }, env)).toBe('x');
  expect(paint('x', 'warning', { isTTY: false }, {})).toBe('x');
});

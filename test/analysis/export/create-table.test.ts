import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analysisTables } from '../../../analysis/export/analysis-tables.ts';
import { type Table, toTsv } from '../../../analysis/export/create-table.ts';
import type { TableColumn } from '../../../experiments/store/write-table.ts';
import { randomCase } from '../random-case.ts';
import { analysed } from './analysed.ts';

/** Reads what toTsv writes, knowing the types: another program's view of the format. */
function fromTsv(text: string, { name, columns }: Table): Table {
  const [header = [], ...rows] = text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'));
  return {
    name,
    columns: header.map((title, index): TableColumn => {
      const type = columns[index]?.type ?? 'text';
      const cells = rows.map((row) => row[index] ?? 'missing');
      const values =
        type === 'text' ? cells.map(unescaped) : cells.map((cell) => (cell === '' ? Number.NaN : Number(cell)));
      return { name: unescaped(title), type, values };
    }),
  };
}

function unescaped(text: string): string {
  const meaning: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  return text.replace(/\\(.)/g, (_, letter: string) => meaning[letter] ?? '?');
}

const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('\\', '\t', '\n', '\r', 't', 'n', '"', ' ') }));
const number = fc.double().map((value) => (value === 0 ? 0 : value));

const table: fc.Arbitrary<Table> = fc.nat(6).chain((length) => {
  const sized = <T>(of: fc.Arbitrary<T>) => fc.array(of, { minLength: length, maxLength: length });
  const column = fc.oneof(
    fc.record<TableColumn>({ name: text, type: fc.constant('text'), values: sized(text) }),
    fc.record<TableColumn>({ name: text, type: fc.constant('integer'), values: sized(fc.maxSafeInteger()) }),
    fc.record<TableColumn>({ name: text, type: fc.constant('real'), values: sized(number) }),
  );
  return fc.record({ name: text, columns: fc.array(column, { minLength: 1, maxLength: 5 }) });
});

test('what was written reads back the same, whatever the text and the numbers', () => {
  fc.assert(
    fc.property(table, (one) => {
      expect(fromTsv(toTsv(one), one)).toEqual(one);
    }),
    { numRuns: 500 },
  );
});

test('the tables of random jobs read back the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const tables = analysisTables(analysed(randomCase(seed)));
      expect(tables).toHaveLength(9);
      for (const one of tables) {
        const plain = {
          ...one,
          columns: one.columns.map((column) => ({ ...column, values: Array.from<string | number>(column.values) })),
        };
        expect(fromTsv(toTsv(one), one)).toEqual(plain);
      }
    }),
    { numRuns: 20 },
  );
});

test('text is escaped, NaN is empty, each line ends', () => {
  const columns: TableColumn[] = [
    { name: 'a\tb', type: 'text', values: ['x\ty', 'C:\\new\n', ''] },
    { name: 'n', type: 'real', values: Float64Array.of(0.1, Number.NaN, 1e21) },
  ];
  expect(toTsv({ name: 't', columns })).toBe('a\\tb\tn\nx\\ty\t0.1\nC:\\\\new\\n\t\n\t1e+21\n');
});

test('a table without rows is its header', () => {
  expect(toTsv({ name: 't', columns: [{ name: 'a', type: 'text', values: [] }] })).toBe('a\n');
});

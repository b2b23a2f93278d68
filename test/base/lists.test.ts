import { expect, test } from 'vitest';
import { attempt, badInput } from '../../base/errors.ts';
import { csvFields } from '../../base/line-reader.ts';
import { at, last } from '../../base/lists.ts';

test('what must be there is given, also when it is 0, NaN, empty or null', () => {
  expect([at(Float64Array.of(0, Number.NaN), 0), at([''], 0), at([null], 0), last([1, 2])]).toEqual([0, '', null, 2]);
  expect(at(Float64Array.of(0, Number.NaN), 1)).toBeNaN();
});

test('an index beyond the column is an error that names it and the length', () => {
  for (const index of [-1, 3, 0.5]) {
    expect(() => at([1, 2, 3], index)).toThrow(`there is no element ${index} among 3`);
  }
  expect(() => last([])).toThrow('there is no element -1 among 0');
});

test('an attempt gives null for what is refused and lets faults through', () => {
  const refuse = (): number => {
    throw badInput('no');
  };
  const fail = (): number => at([], 0);
  expect([attempt(() => 1), attempt(refuse)]).toEqual([1, null]);
  expect(() => attempt(fail)).toThrow('there is no element 0');
});

test.each([
  ['a,b,c', ['a', 'b', 'c']],
  ['', ['']],
  [',', ['', '']],
  ['a,,c,', ['a', '', 'c', '']],
  ['"a, ""b""",c', ['a, "b"', 'c']],
  ['"",c,', ['', 'c', '']],
])('the fields of %s', (line, fields) => {
  expect(csvFields(line)).toEqual(fields);
});

test.each(['"a', 'a"b', '"a"b', '"a""', 'x,"', '"",,"'])('%s has an unclosed or undoubled quote', (line) => {
  expect(csvFields(line)).toBeNull();
});

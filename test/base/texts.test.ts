import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvFields } from '../../base/csv-fields.ts';
import { fitsGlob } from '../../base/fits-glob.ts';
import { withoutEnd } from '../../base/without-end.ts';

const words = (...parts: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...parts), { maxLength: 10 }).map((list) => list.join(''));

describe('a pattern with stars', () => {
  it('fits what the regular expression of the same meaning fits', () => {
    fc.assert(
      fc.property(words('a', 'b', '*', '?'), words('a', 'b'), (pattern, text) => {
        const source = pattern.replace(/\*+/g, '.*').replaceAll('?', '.');
        expect(fitsGlob(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
    );
  });

  it('with many stars is no slower than its length times that of the text', () => {
    const before = process.cpuUsage();
    expect(fitsGlob('*a'.repeat(1000), `${'a'.repeat(5000)}b`)).toBe(false);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(2);
  });
});

it('a text without its end lacks the characters at its end alone', () => {
  expect([withoutEnd('a.b. .\n', '. \n'), withoutEnd('...', '.'), withoutEnd('', '.')]).toEqual(['a.b', '', '']);
});

describe('fields of CSV', () => {
  it.each([
    ['a,"b ""c"", d" ,e', ['a', 'b "c", d', 'e']],
    [' "a"\t,', ['a', '']],
    ['"', null],
    ['"a"b', null],
    ['a"b,c', null],
    ['"",', ['', '']],
  ])('%j', (line, fields) => {
    expect(csvFields(line)).toEqual(fields);
  });

  it('are read back from any that are quoted', () => {
    fc.assert(
      fc.property(fc.array(words('"', ',', ' ', 'a'), { minLength: 1 }), (fields) => {
        const line = fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',');
        expect(csvFields(line)).toEqual(fields);
      }),
    );
  });

  it('may be of any length', () => {
    const long = '""'.repeat(2 ** 20);
    expect(csvFields(`"${long}"`)?.[0]?.length).toBe(2 ** 20);
  });
});

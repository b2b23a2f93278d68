import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { csvFields } from '../../base/line-reader.ts';
import { fitsGlob, printable, printableLine, sameOfHosts, withoutEnd } from '../../base/text.ts';
import { times } from '../times.ts';

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

test.each([
  ['clears the screen', '\u001b[2J', '\\u001b[2J'],
  ['sets the title', '\u001b]0;gotcha\u0007', '\\u001b]0;gotcha\\u0007'],
  ['writes the clipboard', '\u001b]52;c;ZXZpbA==\u001b\\', '\\u001b]52;c;ZXZpbA==\\u001b\\'],
  ['begins a sequence in one byte', '\u009b2J', '\\u009b2J'],
  ['overwrites the line', 'ok\rno', 'ok\\u000dno'],
  ['steps back', 'ok\b\bno\u007f', 'ok\\u0008\\u0008no\\u007f'],
  ['turns the direction', '\u202egpj.exe\u2066', '\\u202egpj.exe\\u2066'],
  ['ends a line for some', 'a\u2028b\u2029c\u0085d', 'a\\u2028b\\u2029c\\u0085d'],
  ['is half a character', 'a\ud800b\udc00c', 'a\\ud800b\\udc00c'],
])('what %s is shown', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('letters of all languages, ends of lines and tabs stay; in one line the last two do not', () => {
  const text = 'µs ≤ 5 %\t日本 😀 é ’\nזה';
  expect(printable(text)).toBe(text);
  expect(printableLine('a\tb\nc')).toBe('a\\u0009b\\u000ac');
});

test('nothing that a terminal obeys is left, and JSON keeps its meaning', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  fc.assert(
    fc.property(
      fc.oneof(text, fc.string({ unit: fc.constantFrom('\u001b', '\u009b', '\u202e', '\r', 'a', '"', '\\') })),
      (said) => {
        expect(printable(said)).not.toMatch(/(?![\n\t])\p{Cc}|[\u2028-\u202e\u2066-\u2069]/u);
        expect(JSON.parse(printable(JSON.stringify({ [said]: said }, null, 2)))).toEqual({ [said]: said });
      },
    ),
    { numRuns: times(200) },
  );
});

const from = (hosts: readonly string[], text: string) => hosts.map((host) => ({ host, message: `${host}: ${text}` }));

test('what is said of several hosts is said once, with their names', () => {
  const said = [...from(['n1', 'n2'], 'no tc.'), ...from(['n3'], 'no sudo.'), ...from(['n4'], 'no tc.')];
  expect(sameOfHosts(said)).toEqual(['n1, n2 and n4: no tc.', 'n3: no sudo.']);
});

test('of many hosts the first four are named', () => {
  const hosts = Array.from({ length: 400 }, (_, index) => `n${index}`);
  expect(sameOfHosts(from(hosts, 'no tc.'))).toEqual(['n0, n1, n2, n3 and 396 more: no tc.']);
  expect(sameOfHosts(from(hosts.slice(0, 5), 'no tc.'))).toEqual(['n0, n1, n2, n3 and n4: no tc.']);
});

test('messages that do not begin with their host stay whole', () => {
  const said = [{ host: 'n1', message: 'n1 cannot be reached (10.0.0.1).' }, { message: 'no host.' }];
  expect(sameOfHosts(said)).toEqual(['n1 cannot be reached (10.0.0.1).', 'no host.']);
});

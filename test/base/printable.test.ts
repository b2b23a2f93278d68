import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableLine } from '../../base/printable.ts';

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
    { numRuns: 2000 },
  );
});

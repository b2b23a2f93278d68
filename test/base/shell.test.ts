import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quote, quoteAll } from '../../base/shell.ts';

const readBack = (words: readonly string[]): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${quoteAll(words)}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

describe('quote', () => {
  test('plain words stay readable', () => {
    expect(quoteAll(['mpirun', '-n', '4', '--host=a,b', '/tmp/x.y'])).toBe('mpirun -n 4 --host=a,b /tmp/x.y');
  });

  test.each([[''], [' '], ["it's"], ['$HOME `id` $(id)'], ['a\nb'], ['*'], ['~'], ['-n'], ['!!'], ['\\'], ['é ü 漢']])(
    'a shell reads %j back',
    (word) => {
      expect(readBack([word])).toEqual([word]);
    },
  );

  test('a shell reads back any words', () => {
    const word = fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
        expect(readBack(words)).toEqual(words);
      }),
      { numRuns: 60 },
    );
  });

  test('a NUL is refused, as no shell can pass it', () => {
    expect(() => quote('a\0b')).toThrow('NUL');
  });
});

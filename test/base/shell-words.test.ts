import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quoteAll } from '../../base/shell.ts';
import { splitWords } from '../../base/shell-words.ts';

/** What sh makes of command lines: the words of each, in one process. */
function bySh(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `set -- ${line}\nprintf '%s\\0' "$#" "$@"`).join('\n');
  const parts = execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1);
  const found: string[][] = [];
  while (parts.length > 0) {
    const count = Number(parts.shift());
    found.push(parts.splice(0, count));
  }
  return found;
}

function splitOrNull(line: string): string[] | null {
  try {
    return splitWords(line);
  } catch {
    return null;
  }
}

describe('words of a command line', () => {
  test('are those that sh reads, wherever they are read at all', () => {
    const piece = fc.constantFrom(
      ...[' ', '\t', "'", '"', '\\', '\n', '\\\n', '$', '`', '*', '#', '~', ';', '=', 'a', 'é', '-b', '{scale}'],
      ...[`'a b'`, '"a b"', `"it's"`, `'$x'`, '"\\$x"', '"\\a"', '"\\\\"', "\\'", '""', "''", '\\ '],
    );
    const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(line, { minLength: 200, maxLength: 400 }), (lines) => {
        const read = lines.flatMap((text) => {
          const words = splitOrNull(text);
          return words === null ? [] : [{ text: text.trimStart(), words }];
        });
        expect(read.length).toBeGreaterThan(20);
        expect(bySh(read.map(({ text }) => text))).toEqual(read.map(({ words }) => words));
      }),
      { numRuns: 8 },
    );
  });

  test('are what was quoted', () => {
    const words = fc.array(
      fc.string({ unit: 'binary' }).filter((word) => !word.includes('\0')),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(words, (some) => {
        expect(splitWords(quoteAll(['run', ...some]))).toEqual(['run', ...some]);
      }),
    );
  });

  test.each([
    ['', 'there is nothing to run'],
    ["a 'b", "the quote ' has no end"],
    ['a "b\\"', 'the quote " has no end'],
    ['a \\', 'nothing follows the last backslash'],
    [
      'a | b',
      'no shell reads it, for which \'|\' joins commands: put it in single quotes, or write [/bin/sh, -c, "..."]',
    ],
    ['a\nb', 'for which another line begins another command'],
    ['a > b', "'>' reads or writes a file"],
    ['a "$HOME"', "'$' stands for a variable or a command"],
    ['a HPCG*.txt', "'*' stands for file names"],
    ['~/a', "'~' stands for a folder"],
    ['a # b', "'#' begins a comment"],
    ['A=1 b', 'no shell reads it, which would set A: use env'],
  ])('of %j are refused', (line, why) => {
    expect(() => splitWords(line)).toThrow(why);
  });

  test('are not looked for in what is longer than any word of a program may be', () => {
    expect(splitWords('a'.repeat(131_072))).toHaveLength(1);
    expect(() => splitWords('a'.repeat(131_073))).toThrow('it has 131073 characters, and at most 131072 can be');
  });

  test('of a long line take no time', () => {
    expect(splitWords(`a ${'"b'.repeat(60_000)}${'" '.repeat(2)}`).length).toBeGreaterThan(0);
    expect(splitWords(`a ${'\\\n'.repeat(60_000)}b`)).toEqual(['a', 'b']);
    for (const text of ['b', '\\"', '\\\\']) {
      expect(splitWords(`a "${text.repeat(60_000)}"`)).toEqual(['a', text.slice(-1).repeat(60_000)]);
    }
  });
});

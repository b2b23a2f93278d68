import fc from 'fast-check';

/** What a mutation puts into a text or takes out of it, at a place given as a share of its length. */
interface Mutation {
  readonly kind: 'delete' | 'repeat' | 'swap' | 'insert' | 'number' | 'byte' | 'cut' | 'word';
  /** From 0 to below 1. */
  readonly at: number;
  readonly length: number;
  readonly text: string;
  /** Whole lines, or characters. */
  readonly lines: boolean;
}

const HOSTILE = [
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'prototype', 'length'],
  ...['NaN', 'Infinity', '-Infinity', '1e400', '-1', '0', '-0', '1e-400', '9'.repeat(400), '9007199254740993'],
  ...['\u001b[2J', '\u009b1m', '\u0000', '\r', '\n', '\n\n', '\t', '\ufeff', '\u202e', '\u2028', '\ud800', '😀'],
  ...[
    '"',
    "'",
    ',',
    ':',
    ';',
    '{',
    '}',
    '[',
    ']',
    '*',
    '&a',
    '*a',
    '<<: *a',
    '!!',
    '%',
    '|',
    '>',
    '#',
    '- ',
    '../',
    '~',
    '$(x)',
  ],
  ...['['.repeat(5000), '{"a":'.repeat(5000), '- '.repeat(3000), '('.repeat(2000), 'a: {'.repeat(500)],
  ...['"__proto__": {"a": 1}', 'null', 'true', '{}', '[]', '""', 'a'.repeat(5000)],
];

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('delete', 'repeat', 'swap', 'insert', 'number', 'byte', 'cut', 'word'),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  length: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 8 }) }, fc.integer({ min: 1, max: 200 })),
  text: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...HOSTILE) }, fc.string({ unit: 'binary', maxLength: 12 })),
  lines: fc.boolean(),
});

/** Texts made from valid ones by a few mutations, and now and then any text at all. */
export function damagedTexts(valid: readonly string[]): fc.Arbitrary<string> {
  const damaged = fc
    .tuple(fc.constantFrom(...valid), fc.array(mutation, { minLength: 0, maxLength: 3 }))
    .map(([text, mutations]) => mutations.reduce(mutated, text));
  return fc.oneof(
    { weight: 20, arbitrary: damaged },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
  );
}

/** The same for bytes. */
export function damagedBytes(valid: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const damaged = fc
    .tuple(fc.constantFrom(...valid), fc.array(mutation, { minLength: 0, maxLength: 3 }))
    .map(([bytes, mutations]) =>
      Buffer.from(
        mutations.map((one) => ({ ...one, lines: false })).reduce(mutated, Buffer.from(bytes).toString('latin1')),
        'latin1',
      ),
    );
  return fc.oneof({ weight: 20, arbitrary: damaged }, { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) });
}

function mutated(text: string, { kind, at, length, text: put, lines }: Mutation): string {
  if (kind === 'number' || kind === 'word')
    return replaced(text, kind === 'number' ? /\d+(?:\.\d+)?/g : /\w+/g, { at, put });
  const parts = lines ? text.split(/(?<=\n)/) : [...text];
  const from = Math.floor(at * parts.length);
  const end = Math.min(parts.length, from + (lines ? Math.min(length, 5) : length));
  const [before, middle, after] = [parts.slice(0, from), parts.slice(from, end), parts.slice(end)];
  const joined = (...all: readonly (readonly string[])[]): string => all.map((each) => each.join('')).join('');
  switch (kind) {
    case 'delete':
      return joined(before, after);
    case 'repeat':
      return joined(before, middle, middle, middle, after);
    case 'swap':
      return joined(before, after.slice(0, middle.length), middle, after.slice(middle.length));
    case 'insert':
      return joined(before, [put], middle, after);
    case 'byte':
      return joined(
        before,
        [String.fromCharCode((middle[0]?.charCodeAt(0) ?? 0) ^ (1 << (length % 8)))],
        middle.slice(1),
        after,
      );
    case 'cut':
      return joined(before);
  }
}

/** One of the words that a pattern finds, replaced. */
function replaced(text: string, pattern: RegExp, { at, put }: { readonly at: number; readonly put: string }): string {
  const found = [...text.matchAll(pattern)];
  const match = found[Math.floor(at * found.length)];
  return match === undefined ? text : text.slice(0, match.index) + put + text.slice(match.index + match[0].length);
}

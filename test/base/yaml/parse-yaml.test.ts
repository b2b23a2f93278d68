import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Fault, parseYaml } from '../../../base/yaml/parse-yaml.ts';
import { refusal } from './refusal.ts';

const schema = z.strictObject({
  name: z.string(),
  count: z.number().optional(),
  list: z.array(z.strictObject({ a: z.number() })).optional(),
  /** A word, or a section of its own. */
  either: z.record(z.string(), z.union([z.enum(['x', 'y']), z.strictObject({ class: z.string() })])).optional(),
  told: z.union([z.literal('any'), z.strictObject({ share: z.number() })], 'write any, or { share: SHARE }').optional(),
});

const parse = (text: string, check?: () => readonly Fault[]) =>
  parseYaml(text, { path: 'model.yaml', schema, ...(check ? { check } : {}) });

test('a file that fits its schema becomes what the schema makes of it', () => {
  expect(parse('name: a\nlist:\n  - a: 1\n  - { a: 0x10 }\neither: { p: x, q: { class: c } }\ntold: any\n')).toEqual({
    name: 'a',
    list: [{ a: 1 }, { a: 16 }],
    either: { p: 'x', q: { class: 'c' } },
    told: 'any',
  });
});

test('transforms and defaults of the schema are applied', () => {
  const transformed = z.strictObject({ n: z.string().transform(Number), unit: z.string().default('ms') });
  expect(parseYaml('n: "12"', { path: 'f', schema: transformed })).toEqual({ n: 12, unit: 'ms' });
});

test.each([
  ['a value of another kind', 'name: a\n\ncount: many\n', "model.yaml:3: count is 'many': expected a number."],
  [
    'a value below a key and in a list',
    'name: a\nlist:\n  - a: 1\n\n  - a: x\n',
    "model.yaml:5: list[1].a is 'x': expected a number.",
  ],
  ['a value that starts on the line after its key', 'name:\n  [1]\n', 'model.yaml:1: name is [1]: expected text.'],
  ['a key that is missing', '# a comment\ncount: 1\n', 'model.yaml:2: name is missing: expected text.'],
  [
    'an empty file',
    '',
    'model.yaml:1: The file is empty: expected a section with the keys name, count, list, either, told.',
  ],
  [
    'a file of comments',
    '# nothing\n\n',
    'model.yaml:1: The file is empty: expected a section with the keys name, count, list, either, told.',
  ],
  [
    'a list at the top',
    '- name: a\n',
    'model.yaml:1: The file is [{"name":"a"}]: expected a section with the keys name, count, list, either, told.',
  ],
  ['a line of a file with CRLF', 'name: a\r\n\r\ncount: x\r\n', "model.yaml:3: count is 'x': expected a number."],
  [
    'a line of a file with a byte order mark',
    '\uFEFFname: a\ncount: x\n',
    "model.yaml:2: count is 'x': expected a number.",
  ],
  [
    'a value that an alias stands for',
    'name: a\neither:\n  p: &p { class: c, odd: 1 }\n  q: *p\n',
    "model.yaml:3: unknown key 'odd' in either.p: valid keys here are class.\nmodel.yaml:3: unknown key 'odd' in either.q: valid keys here are class.",
  ],
])('%s is named with its line', (_, text, message) => {
  expect(refusal(() => parse(text))).toBe(message);
});

test('every unknown key gets a line of its own', () => {
  expect(refusal(() => parse('odd: 1\nname: a\nlist:\n  - a: 1\n    even: 2\nstrange:\n'))).toBe(
    [
      "model.yaml:1: unknown key 'odd': valid keys here are name, count, list, either, told.",
      "model.yaml:5: unknown key 'even' in list[0]: valid keys here are a.",
      "model.yaml:6: unknown key 'strange': valid keys here are name, count, list, either, told.",
    ].join('\n'),
  );
});

test('of a union the branch that got furthest is told', () => {
  expect(refusal(() => parse('name: a\neither:\n  p:\n    class: 3\n'))).toBe(
    "model.yaml:4: either.p.class is 3: expected text: put it in quotes, '3'.",
  );
});

test('an unknown key within a branch of a union is told', () => {
  expect(refusal(() => parse('name: a\neither:\n  p:\n    class: c\n    odd: 1\n'))).toBe(
    "model.yaml:5: unknown key 'odd' in either.p: valid keys here are class.",
  );
});

test('a union inside a union is told to its innermost value', () => {
  const nested = z.strictObject({
    outer: z.union([
      z.number(),
      z.strictObject({ inner: z.union([z.number(), z.strictObject({ deep: z.number() })]) }),
    ]),
  });
  const text = 'outer:\n  inner:\n    deep: x\n';
  expect(refusal(() => parseYaml(text, { path: 'f', schema: nested }))).toBe(
    "f:3: outer.inner.deep is 'x': expected a number.",
  );
});

test('a union with a sentence of its own says that sentence, unless one of its forms nearly fits', () => {
  expect(refusal(() => parse('name: a\ntold: most\n'))).toBe(
    "model.yaml:2: told is 'most': write any, or { share: SHARE }.",
  );
  expect(refusal(() => parse('name: a\ntold: { share: x }\n'))).toBe(
    "model.yaml:2: told.share is 'x': expected a number.",
  );
});

test('faults that the check finds name their lines, in the order of the file', () => {
  const faults: Fault[] = [
    { at: ['list', 1, 'a'], sentence: '2 is too much' },
    { at: ['name'], sentence: "'a' is taken" },
  ];
  expect(refusal(() => parse('name: a\nlist:\n  - a: 1\n  - a: 2\n', () => faults))).toBe(
    "model.yaml:1: name: 'a' is taken.\nmodel.yaml:4: list[1].a: 2 is too much.",
  );
});

test('a fault at what the file does not say points to the nearest section that it has', () => {
  expect(
    refusal(() => parse('name: a\nlist:\n  - a: 1\n', () => [{ at: ['list', 0, 'b', 'c'], sentence: 'no' }])),
  ).toBe('model.yaml:3: list[0].b.c: no.');
  expect(refusal(() => parse('# first\nname: a\n', () => [{ at: [], sentence: 'no' }]))).toBe(
    'model.yaml:2: The file: no.',
  );
});

test('a file that does not fit its schema is not given to the check', () => {
  const message = refusal(() =>
    parse('name: 1\n', () => {
      throw new Error('was called');
    }),
  );
  expect(message).toBe("model.yaml:1: name is 1: expected text: put it in quotes, '1'.");
});

test('what the check throws itself passes through', () => {
  const thrown = new Error('mine');
  expect(() =>
    parse('name: a\n', () => {
      throw thrown;
    }),
  ).toThrow(thrown);
});

test.each(['stops.', 'asks?', 'shouts!', 'says'])('a sentence that %s ends with one mark', (sentence) => {
  const message = refusal(() => parse('name: a\n', () => [{ at: ['name'], sentence }]));
  expect(message).toBe(`model.yaml:1: name: ${sentence === 'says' ? 'says.' : sentence}`);
});

test.each(['give a name', 'give a name.'])('a message of the schema, %j, ends with one full stop', (message) => {
  const own = z.strictObject({ name: z.string(message) });
  expect(refusal(() => parseYaml('name: 1', { path: 'f', schema: own }))).toBe('f:1: name is 1: give a name.');
});

test('a fault names the line it was written on, whatever stands above it', () => {
  const filler = fc.array(
    fc.constantFrom('', '# note', '  # indented', 'ok_KEY: {a: 1}', 'ok_KEY:\n  - 1\n  - [2,\n     3]'),
  );
  fc.assert(
    fc.property(filler, fc.constantFrom('\n', '\r\n'), (lines, end) => {
      const above = lines
        .map((line, index) => line.replaceAll('KEY', String(index)))
        .flatMap((line) => line.split('\n'));
      const text = [...above, 'wrong: text', 'last: 1', ''].join(end);
      const loose = z.looseObject({ wrong: z.number() });
      expect(refusal(() => parseYaml(text, { path: 'f', schema: loose }))).toBe(
        `f:${above.length + 1}: wrong is 'text': expected a number.`,
      );
    }),
  );
});

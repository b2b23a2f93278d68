import { expect, test } from 'vitest';
import { readYaml } from '../../../base/yaml/read-yaml.ts';
import { refusal } from './refusal.ts';

const read = (text: string) => readYaml(text, { path: 'f.yaml' });

test.each([
  ['a key given twice', 'a: 1\nb: 2\na: 3\n', "f.yaml:3: the key 'a' is given twice: keep one."],
  ['a key given twice further down', 'top:\n  a: 1\n\n  a: 3\n', "f.yaml:4: the key 'a' is given twice: keep one."],
  [
    'a second document',
    'a: 1\n---\nb: 2\n',
    "f.yaml:2: the file holds several documents: keep one and remove the '---' before it.",
  ],
  ['a tab as indentation', 'a:\n\tb: 1\n', "f.yaml:2: 'b: 1' is not valid YAML: Tabs are not allowed as indentation."],
  [
    'an alias of nothing',
    'a: *b\n',
    'f.yaml is not usable YAML: Unresolved alias (the anchor must be set before the alias): b.',
  ],
  [
    'an alias inside of what it names',
    'a: &a\n  b: [1, *a]\n',
    'f.yaml is not usable YAML: an alias (*name) lies within the node that it refers to.',
  ],
  [
    'a file that nobody wrote',
    `# ${'x'.repeat(2 ** 20)}`,
    'f.yaml has more than 1,048,576 characters: write a shorter file.',
  ],
])('%s is refused', (_, text, message) => {
  expect(refusal(() => read(text))).toBe(message);
});

test('of several complaints about a line the first is told, with one full stop', () => {
  expect(refusal(() => read('a: "x" y: z\nb: 1\n\tc: 1\n'))).toBe(
    [
      'f.yaml:1: \'a: "x" y: z\' is not valid YAML: Nested mappings are not allowed in compact mappings.',
      "f.yaml:3: 'c: 1' is not valid YAML: Tabs are not allowed as indentation.",
    ].join('\n'),
  );
});

test('a range in a list without quotes is told to be quoted', () => {
  expect(refusal(() => read('hosts: [node[01-04]]\n'))).toMatch(
    /^f\.yaml:1: 'hosts: \[node\[01-04\]\]' is not valid YAML: .*; inside a \[\.\.\] list, put ranges in quotes: \["node\[01-04\]"\]\.$/m,
  );
});

test('numbers of verbatim sections stay as written, others do not', () => {
  const text = 'env: { V: 1.10, N: 0x10, B: true }\nn: 1.10\n';
  expect(readYaml(text, { path: 'f', verbatim: [['env']] }).value).toEqual({
    env: { V: '1.10', N: '0x10', B: true },
    n: 1.1,
  });
});

test('a verbatim section that the file lacks, or that is no section, changes nothing', () => {
  expect(readYaml('a: 1.10\n', { path: 'f', verbatim: [['env'], ['a']] }).value).toEqual({ a: 1.1 });
  expect(readYaml('', { path: 'f', verbatim: [['env']] }).value).toBeNull();
});

test('lines are those of keys and of members of lists', () => {
  const { lineOf } = read('# top\na:\n  b:\n    - 1\n    - c: 2\nd: &x\n  e: 3\nf: *x\n5: six\n');
  expect([
    lineOf([]),
    lineOf(['a']),
    lineOf(['a', 'b']),
    lineOf(['a', 'b', 0]),
    lineOf(['a', 'b', 1]),
    lineOf(['a', 'b', 1, 'c']),
    lineOf(['f', 'e']),
    lineOf(['5']),
    lineOf([5]),
  ]).toEqual([2, 2, 3, 4, 5, 5, 7, 9, 9]);
});

test('a path that leads nowhere has the line of the last step that exists', () => {
  const { lineOf } = read('a: 1\nb:\n  c: 2\n');
  expect([lineOf(['b', 'x']), lineOf(['b', 'c', 'y']), lineOf(['z'])]).toEqual([2, 3, 1]);
});

test('an alias beside what it names is its value twice', () => {
  expect(read('a: &a [1]\nb: [*a, *a]\n').value).toEqual({ a: [1], b: [[1], [1]] });
});

test('as many keys as a file may have are read in seconds, their lines and one key that occurs twice among them', () => {
  const before = process.cpuUsage();
  const keys = Array.from({ length: 70_000 }, (_, index) => `k${index}: 1\n`).join('');
  const { value, lineOf } = read(keys);
  const lines = Object.keys(value as object).map((key) => lineOf([key]));
  expect(lines).toEqual(Array.from({ length: 70_000 }, (_, index) => index + 1));
  expect(refusal(() => read(`${keys}k5: 2\n`))).toBe("f.yaml:70001: the key 'k5' is given twice: keep one.");
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(30);
});

import { expect, test } from 'vitest';
import { blocksOf, fragmentsOf, linksOf } from './blocks.ts';
import { predictWords, simpleCommands } from './shell-words.ts';

const PAGE = [
  'Text.',
  '',
  '<!-- not run (needs hosts): predict exec; make -->',
  '',
  '    predict exec -- true   # a comment',
  '',
  '    make',
  '',
  'More text, a [link](other.md#part) and `[none](here)`.',
  '',
  '- item',
  '',
  '  ```yaml',
  '  a: 1',
  '  ```',
  '',
  '    predict fit',
].join('\n');

test('blocks are indented or fenced, and what is said before one is of it alone', () => {
  const marks = [{ why: 'needs hosts', beginnings: ['predict exec', 'make'] }];
  expect(blocksOf('p.md', PAGE)).toEqual([
    { page: 'p.md', line: 5, language: 'sh', lines: ['predict exec -- true   # a comment', '', 'make'], marks },
    { page: 'p.md', line: 14, language: 'yaml', lines: ['a: 1'], marks: [] },
    { page: 'p.md', line: 17, language: 'sh', lines: ['predict fit'], marks: [] },
  ]);
  expect(() => blocksOf('p.md', '```sh\nls')).toThrow('p.md:1: a block without an end');
});

test('links are those outside code; headings have fragments', () => {
  expect(linksOf(PAGE)).toEqual([{ line: 9, target: 'other.md#part' }]);
  expect(fragmentsOf('# A b\n## What if, with `x` (1)?')).toEqual(['a-b', 'what-if-with-x-1']);
});

test.each([
  ['predict fit a # b', [['predict', 'fit', 'a']]],
  ['mkfifo e; predict x | head && ls', [['mkfifo', 'e'], ['predict', 'x'], ['head'], ['ls']]],
  [
    `predict sweep --slurm "-N 16 -t 2" --only 'a b' c=d`,
    [['predict', 'sweep', '--slurm', '-N 16 -t 2', '--only', 'a b', 'c=d']],
  ],
  ['predict a --json > out.json', [['predict', 'a', '--json']]],
  ['echo x >> /etc/y', [['echo', 'x']]],
  ['# only a comment', []],
])('words of %j', (line, commands) => {
  expect(simpleCommands(line)).toEqual(commands);
});

test('what follows predict is found behind another command too', () => {
  expect(predictWords(['salloc', '-N', '4', 'predict', 'sweep'])).toEqual(['sweep']);
  expect(predictWords(['ls'])).toBeNull();
});

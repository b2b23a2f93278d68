import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';

const page = readFileSync(join(projectRoot(), 'docs/security.md'), 'utf8');
/** Each with its lines joined. */
const items = page
  .replaceAll(/\n {2}/g, ' ')
  .split('\n')
  .filter((line) => line.startsWith('- '))
  .map((line) => line.slice(2));

test('every sentence of the page about security names its test, or says that it has none', () => {
  expect(items.length).toBeGreaterThan(50);
  const without = items.filter((item) => !/[^.]\. \[(?:no test|[\w/-]+: [^\]]+)\]$/.test(item));
  expect(without).toEqual([]);
  // One sentence, one mark.
  expect(items.filter((item) => /\. (?!\[)[A-Z]/.test(item))).toEqual([]);
});

test('the tests that it names are there', () => {
  const named = items.flatMap((item) => {
    const [, file = '', name = ''] = /\[([\w/-]+): ([^\]]+)\]$/.exec(item) ?? [];
    return file === '' ? [] : [{ file: join(projectRoot(), 'test', `${file}.test.ts`), name }];
  });
  const missing = named.filter(({ file, name }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(name));
  expect(missing).toEqual([]);
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { PATH_NAME, pathInside } from '../../base/inside.ts';

const root = mkdtempSync(join(tmpdir(), 'inside-'));
const folder = join(root, 'folder');
mkdirSync(join(folder, 'below'), { recursive: true });
writeFileSync(join(root, 'secret'), '');
writeFileSync(join(folder, 'file'), '');
const LINKS = {
  out: '../secret',
  up: '..',
  etc: '/etc',
  here: 'below',
  same: 'file',
  dangling: '../nothing',
  loop: 'loop',
};
for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(folder, name));
symlinkSync(folder, join(root, 'another-name'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each(['a', '_a', 'datagen-7_5-fb', 'graph500-22', 'x.v', 'c++', '0', 'a'.repeat(100)])('%s is a name', (name) => {
  expect(PATH_NAME.test(name)).toBe(true);
});

test.each([
  ...[
    '',
    '.',
    '..',
    '.hidden',
    '-rf',
    '../x',
    'a/b',
    'a\\b',
    'a b',
    'a\n',
    'a\0',
    '~',
    '$HOME',
    'a;b',
    'a=b',
    'a,b',
    'ä',
  ],
  'a'.repeat(101),
])('%j is no name', (name) => {
  expect(PATH_NAME.test(name)).toBe(false);
});

test('a name is one step of a path, whatever the folder', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('.', '/', '-', 'a', '\\', ' ') }),
  );
  fc.assert(
    fc.property(texts, (name) => {
      fc.pre(PATH_NAME.test(name));
      expect(posix.dirname(posix.join('/some/folder', name))).toBe('/some/folder');
      expect(posix.basename(posix.join('/some/folder', name))).toBe(name);
    }),
    { numRuns: 2000 },
  );
});

test.each(['file', 'below/x', 'not/there/yet', './file', 'below/../file', 'here/x', 'same', '..file', 'a b'])(
  '%s lies inside, in the folder by any of its names',
  (path) => {
    expect(pathInside(folder, path)).toBe(join(folder, path));
    expect(pathInside(join(root, 'another-name'), path)).toBe(join(root, 'another-name', path));
  },
);

test.each([
  ...['', '.', '..', '../secret', '/etc/passwd', 'out', 'up/secret', 'up/new', 'etc/passwd', 'below/../../secret'],
  ...['dangling', 'loop', 'loop/x', 'file\0', '../folder-2/x', '../folder'],
])('%j does not', (path) => {
  expect(pathInside(folder, path)).toBeNull();
});

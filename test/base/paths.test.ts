import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { judgePath, PATH_NAME, type PathPart, pathInside, privateFolder } from '../../base/paths.ts';
import { times } from '../times.ts';

const dir = (path: string, uid: number, mode: number, type: PathPart['type'] = 'directory'): PathPart => ({
  path,
  type,
  uid,
  mode,
});
const TOP = dir('/', 0, 0o755);

const cases: readonly [string, readonly PathPart[], number, RegExp | null][] = [
  ['root in folders of root', [TOP, dir('/run', 0, 0o755), dir('/run/predict', 0, 0o700)], 0, null],
  ['a user in his home', [TOP, dir('/home', 0, 0o755), dir('/home/ann', 7, 0o700)], 7, null],
  ['root below a sticky folder', [TOP, dir('/tmp', 0, 0o1777), dir('/tmp/x', 0, 0o755)], 0, /\/tmp is writable/],
  ['a user below a sticky folder, his own', [TOP, dir('/tmp', 0, 0o1777), dir('/tmp/x', 7, 0o755)], 7, null],
  ['the same, his child owned by another', [TOP, dir('/tmp', 0, 0o1777), dir('/tmp/x', 8, 0o755)], 7, /\/tmp is wr/],
  ['a sticky folder that another owns', [TOP, dir('/s', 9, 0o1777), dir('/s/x', 7, 0o755)], 7, /\/s belongs to user 9/],
  [
    'world-writable without the sticky bit',
    [TOP, dir('/s', 0, 0o777), dir('/s/x', 7, 0o755)],
    7,
    /\/s is writable.*0777/,
  ],
  ['sticky itself at the end', [TOP, dir('/s', 7, 0o1777)], 7, /\/s is writable/],
  ['writable by the group', [TOP, dir('/s', 7, 0o775)], 7, /mode 0775/],
  ['root in a folder of a user', [TOP, dir('/home/ann', 7, 0o700)], 0, /belongs to user 7/],
  ['a user in the folder of another', [TOP, dir('/home/ann', 7, 0o700)], 8, /belongs to user 7/],
  ['a link', [TOP, dir('/s', 7, 0o777, 'link')], 7, /not a directory but a symlink/],
  ['a file', [TOP, dir('/s', 7, 0o600, 'file')], 7, /not a directory/],
  ['something else half way', [TOP, dir('/s', 7, 0o600, 'other'), dir('/s/x', 7, 0o700)], 7, /\/s is not a directory/],
];

test.each(cases)('%s', (_, parts, uid, why) => {
  const said = judgePath(parts, { uid });
  if (why === null) expect(said).toBeNull();
  else expect(said).toMatch(why);
});

test('the end of a path may be a program', () => {
  const parts = [TOP, dir('/agent', 0, 0o755, 'file')];
  expect(judgePath(parts, { uid: 0, end: 'file' })).toBeNull();
  expect(judgePath([TOP, dir('/agent', 0, 0o775, 'file')], { uid: 0, end: 'file' })).toMatch(/writable/);
});

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
    { numRuns: times(300) },
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

const me = process.getuid?.() ?? 0;
/** Files of the tests belong to root, as if a user without privileges were asked for: his own are those with this id. */
const USER = 4242;

test('root keeps its things below /run/predict, readable by root alone', () => {
  const folder = privateFolder('test-private');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(folder).toBe('/run/predict/test-private');
  expect(modeOf(folder)).toBe(0o700);
  expect(modeOf('/run/predict') & 0o022).toBe(0);
  expect(privateFolder('test-private')).toBe(folder);
});

test('users keep theirs in XDG_RUNTIME_DIR, or in ~/.cache', () => {
  const home = place();
  expect(privateFolder('redis', USER, { XDG_RUNTIME_DIR: home })).toBe(join(home, 'predict', 'redis'));
  expect(privateFolder('redis', USER, { HOME: home })).toBe(join(home, '.cache', 'predict', 'redis'));
  expect(modeOf(join(home, '.cache'))).toBe(0o700);
});

test.each<[string, (folder: string) => void, RegExp]>([
  ['of another user', (folder) => [mkdirSync(folder), chownSync(folder, 4243, 4243)], /belongs to user 4243/],
  ['that others may write', (folder) => [mkdirSync(folder), chmodSync(folder, 0o777)], /writable by others/],
  ['that is a link', (folder) => symlinkSync('/etc', folder), /a symlink/],
  ['that is a file', (folder) => writeFileSync(folder, ''), /not a directory/],
])('a folder %s is refused, and nothing is made in it', (_, make, why) => {
  const home = place();
  make(join(home, 'predict'));
  expect(() => privateFolder('redis', USER, { XDG_RUNTIME_DIR: home })).toThrow(why);
  rmSync(join(home, 'predict'), { recursive: true });
  privateFolder('other', USER, { XDG_RUNTIME_DIR: home });
  make(join(home, 'predict', 'redis'));
  expect(() => privateFolder('redis', USER, { XDG_RUNTIME_DIR: home })).toThrow(why);
});

test('a folder that is not there is said so', () => {
  expect(() => privateFolder('redis', USER, { XDG_RUNTIME_DIR: '/run/no-such-folder' })).toThrow(
    /no-such-folder.*unset/s,
  );
});

function place(): string {
  expect(me).toBe(0);
  const folder = mkdtempSync('/run/predict-test-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o7777;
}

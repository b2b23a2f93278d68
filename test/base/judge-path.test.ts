import { expect, test } from 'vitest';
import { judgePath, type PathPart } from '../../base/judge-path.ts';

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

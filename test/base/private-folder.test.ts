import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { privateFolder } from '../../base/private-folder.ts';

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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { closeLocked, lockFile } from '../../base/lock-file.ts';
import { tempFolder } from '../experiments/make.ts';

/** A process id that no process has. */
async function gone(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

/** Where flock(1) is not on the PATH, as on macOS. */
async function withoutFlock<T>(task: () => Promise<T>): Promise<T> {
  const { PATH } = process.env;
  process.env.PATH = tempFolder();
  try {
    return await task();
  } finally {
    process.env.PATH = PATH;
  }
}

describe.each([
  ['with flock(1)', <T>(task: () => Promise<T>) => task()],
  ['without flock(1)', withoutFlock],
])('a lock %s', (_, place) => {
  test('is had once, and again when it was closed', async () => {
    const path = join(tempFolder(), 'lock');
    const [first, second] = [openSync(path, 'a'), openSync(path, 'a')];
    await place(async () => {
      expect([await lockFile(first, path), await lockFile(second, path)]).toEqual([true, false]);
      closeLocked(first);
      expect(await lockFile(second, path)).toBe(true);
      closeLocked(second);
    });
  });

  test('is waited for, and had by one of many who come at once', async () => {
    const path = join(tempFolder(), 'lock');
    const files = Array.from({ length: 8 }, () => openSync(path, 'a'));
    await place(async () => {
      const had = await Promise.all(files.map((file) => lockFile(file, path)));
      expect(had.filter(Boolean)).toHaveLength(1);
      const holder = files[had.indexOf(true)] ?? -1;
      const late = openSync(path, 'a');
      const waiting = lockFile(late, path, { waitS: 10 });
      closeLocked(holder);
      expect(await waiting).toBe(true);
      closeLocked(late);
    });
  });
});

test('without flock(1) the lock of a process that is gone is nobody’s', async () => {
  const path = join(tempFolder(), 'lock');
  const file = openSync(path, 'a');
  writeFileSync(`${path}.pid`, String(await gone()));
  expect(await withoutFlock(() => lockFile(file, path))).toBe(true);
  expect(readFileSync(`${path}.pid`, 'utf8')).toBe(String(process.pid));
  closeLocked(file);
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';
import { readProfile } from '../../../../analysis/profiles/formats/read-profile.ts';
import { fixtureBytes, fixturePath, plainly } from './read.ts';

const folder = mkdtempSync(join(tmpdir(), 'recordings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

test.each([
  ['burn.perf-script.txt', 'perf'],
  ['node.cpuprofile', 'v8'],
  ['java.jfr.json.gz', 'jfr'],
])('the format of %s is found out: %s', async (name, format) => {
  expect((await readProfile(fixturePath(name), plainly())).format).toBe(format);
});

test('collapsed text is left to its own reader, with its first line longer than what is looked at', async () => {
  expect((await readProfile(fixturePath('burn.folded'), plainly())).format).toBe('folded');
  expect((await readProfile(write('long', `${'käse;'.repeat(1 << 16)}ä 1\n`), plainly())).format).toBe('folded');
});

test.each([
  '[java tid=7];a.b 3',
  '[unknown] 3',
  '[0] 3',
  '[1,2];f 3',
  '[] 3',
  '{lambda(int)#1};f 3',
  '\n{{closure}} 3',
])('collapsed text may begin as JSON does: %j', async (text) => {
  expect((await readProfile(write('brackets', `${text}\nmain 2\n`), plainly())).format).toBe('folded');
});

test('a file of another format than the one that was named is refused', async () => {
  await expect(readProfile(fixturePath('node.cpuprofile'), { ...plainly(), format: 'perf' })).rejects.toThrow(
    /^--format perf: .* is in another format/,
  );
});

/** Words of the recording machine, as gperftools' header has them: 0, 3, 0, the period, 0. */
const header = (bytes: 4 | 8, isLittle: boolean): Buffer => {
  const view = Buffer.alloc(bytes * 5);
  for (const [index, word] of [0, 3, 0, 10_000, 0].entries()) {
    if (isLittle) view.writeUInt32LE(word, index * bytes);
    else view.writeUInt32BE(word, index * bytes + bytes - 4);
  }
  return Buffer.concat([view, Buffer.alloc(64, 1)]);
};

test.each([
  [
    'perf.data',
    Buffer.from('PERFILE2\x68\0\0\0\0\0\0\0'),
    /perf\.data\): run 'perf script -i \S+perf\.data > perf\.txt'/,
  ],
  ['r.jfr', Buffer.from('FLR\0\0\x02\0\0'), /run 'jfr print --json .* \S+r\.jfr > jfr\.json'/],
  ['little.64', header(8, true), /a CPU profile of gperftools: run 'google-pprof --collapsed PROGRAM \S+little\.64/],
  ['little.32', header(4, true), /a CPU profile of gperftools/],
  ['big.64', header(8, false), /a CPU profile of gperftools/],
  ['big.32', header(4, false), /a CPU profile of gperftools/],
])('%s is named with what to run', async (name, content, said) => {
  await expect(readProfile(write(name, content), plainly())).rejects.toThrow(said);
  await expect(readProfile(write(name, gzipSync(content)), { ...plainly(), format: 'pprof' })).rejects.toThrow(said);
});

test('a gmon.out that a program has just written is named with what to run', async () => {
  const source = write('slow.c', 'int main(void) { volatile long n = 0; while (n < 1000000) n++; return 0; }');
  await execa('cc', ['-pg', '-o', join(folder, 'slow'), source]);
  await execa(join(folder, 'slow'), { cwd: folder });
  await expect(readProfile(join(folder, 'gmon.out'), plainly())).rejects.toThrow(/gprof's gmon\.out.*perf record -g/);
});

test('an empty file is refused', async () => {
  await expect(readProfile(write('empty', ''), plainly())).rejects.toThrow('is empty: it contains no profile.');
});

test('gzip that is cut off is refused', async () => {
  const path = write('cut.gz', fixtureBytes('java.jfr.json.gz'));
  expect((await readProfile(path, plainly())).format).toBe('jfr');
});

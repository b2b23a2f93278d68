import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PROFILE_FORMATS, readRecording } from '../../../../analysis/profiles/formats/index.ts';
import { fixtureBytes, fixturePath } from './read.ts';

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
  expect((await readRecording(fixturePath(name)))?.format).toBe(format);
});

test('collapsed text is left to its own reader, with its first line longer than what is looked at', async () => {
  expect(await readRecording(fixturePath('burn.folded'))).toBe(null);
  expect(await readRecording(write('long', `${'käse;'.repeat(1 << 20)}ä 1\n`))).toBe(null);
  expect(PROFILE_FORMATS).toEqual(['folded', 'perf', 'v8', 'jfr', 'pprof', 'speedscope', 'chrome']);
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
  expect(await readRecording(write('brackets', `${text}\nmain 2\n`))).toBe(null);
});

test('a file of another format than the one that was named is refused', async () => {
  await expect(readRecording(fixturePath('node.cpuprofile'), { format: 'perf' })).rejects.toThrow(
    /^--format perf: .* is in another format/,
  );
});

test('an empty file is refused', async () => {
  await expect(readRecording(write('empty', ''))).rejects.toThrow('is empty: it contains no profile.');
});

test('gzip that is cut off is refused', async () => {
  const path = write('cut.gz', fixtureBytes('java.jfr.json.gz'));
  expect((await readRecording(path))?.format).toBe('jfr');
});

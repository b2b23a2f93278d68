import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { linesOf, openBytes } from '../../../analysis/path/formats/open-bytes.ts';
import { analyseTimely } from '../../../analysis/path/timely/analyse-timely.ts';

const folder = mkdtempSync(join(tmpdir(), 'source-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function textOf(bytes: Buffer): Promise<string> {
  const path = join(folder, 'text');
  writeFileSync(path, bytes);
  const pieces: Buffer[] = [];
  for await (const piece of openBytes(path)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function* piecesOf(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

describe('bytes of a file', () => {
  it('come without a byte order mark, also unpacked, and only the first mark is one', async () => {
    const marked = Buffer.from('\ufeffa\n\ufeffb');
    for (const bytes of [marked, gzipSync(marked)]) expect(await textOf(bytes)).toBe('a\n\ufeffb');
    expect(await textOf(Buffer.from('\ufeff'))).toBe('');
  });

  it('are closed by a reader that finds another format in them', async () => {
    const path = join(folder, 'other');
    writeFileSync(path, 'no event\n'.repeat(1_000_000));
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let time = 0; time < 5; time += 1) {
      expect(await analyseTimely(openBytes(path), { skew: new Map(), waitFrom: 'op' })).toBe(null);
    }
    expect(open()).toBeLessThan(before + 5);
  });
});

describe('lines', () => {
  it('of any length take no more memory than the longest that can be a row', async () => {
    const long = Array.from({ length: 40 }, () => 'x'.repeat(1 << 20));
    const found: string[] = [];
    for await (const lines of linesOf(piecesOf('a\n', ...long, '\nb\r\n', 'c'))) found.push(...lines);
    expect([found[0], found[2], found[3]]).toEqual(['a', 'b', 'c']);
    expect(found[1]?.length).toBe(1 << 20);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CollapsedParser, readCollapsed } from '../../../analysis/profiles/formats/collapsed.ts';
import type { NormaliseFrame } from '../../../analysis/profiles/formats/strip-names.ts';
import { NameTable } from '../../../analysis/profiles/tree/call-tree.ts';
import { foldedText, parseCollapsed } from '../../cases/profiles/collapsed-text.ts';
import { tempFolder } from '../../experiments/make.ts';
import { stacks, textOf } from './make.ts';

const parse = (text: string, normalise: NormaliseFrame | null = null) => {
  const names = new NameTable();
  return { names, ...parseCollapsed(text, { what: 'x.folded', names, normalise }) };
};

test('pieces may end anywhere', () => {
  fc.assert(
    fc.property(stacks, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (all, lengths) => {
      const bytes = Buffer.from(textOf(all));
      const names = new NameTable();
      const parser = new CollapsedParser('x', { names, normalise: null });
      for (let from = 0, piece = 0; from < bytes.length; piece += 1) {
        const length = lengths[piece % lengths.length] ?? 1;
        parser.push(bytes.subarray(from, from + length));
        from += length;
      }
      const whole = parse(textOf(all));
      expect(foldedText(parser.end().tree, names)).toBe(foldedText(whole.tree, whole.names));
    }),
  );
});

test('a stack longer than what is read at once is one stack, plain and packed', async () => {
  const frames = Array.from({ length: 10_000 }, (_, index) => `a.rather.long.name.of.a.function.${index}`);
  const text = `${frames.join(';')} 2\n${frames.slice(0, 3).join(';')} 1`;
  const folder = tempFolder();
  for (const [name, bytes] of [
    ['a.folded', Buffer.from(text)],
    ['a.gz', gzipSync(text)],
  ] as const) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const { tree } = await readCollapsed(path, { names: new NameTable(), normalise: null });
    expect([tree.name.length, tree.total[0], tree.total[3], tree.own[3]]).toEqual([10_001, 3, 3, 1]);
  }
});

test.each([
  ['a 1\na;b', 2, 'no number of samples'],
  ['a 1\n\na;b -3\n', 3, "a negative number of samples, '-3'"],
  ['a;b 2.5\n', 1, "'2.5' at the end, which is not a whole number"],
  ['a;b 1e3\n', 1, "'1e3' at the end"],
  ['a;b +3\n', 1, "'+3' at the end"],
  [`a ${'9'.repeat(16)}\n`, 1, "'9999999999999999' at the end, which is not a whole number of samples below 10^15"],
  ['a;;b 3\n', 1, 'a frame without a name'],
  [';a 3\n', 1, 'a frame without a name'],
  ['a; 3\n', 1, 'a frame without a name'],
  [' 3\n', 1, 'a frame without a name'],
  ['  3\n', 1, 'a frame without a name'],
  ['3\n', 1, 'no number of samples'],
  ['a 3 \n', 1, 'no number of samples'],
  ['a\t3\n', 1, 'no number of samples'],
])('%j is refused by its line', (text, line, said) => {
  expect(() => parse(text)).toThrow(
    expect.objectContaining({
      kind: 'badInput',
      message: expect.stringContaining(`x.folded, line ${line}: the line has ${said}`),
    }),
  );
});

test('a stack longer than any is refused by its line before all of it came', () => {
  const parser = new CollapsedParser('x.folded', { names: new NameTable(), normalise: null });
  parser.push(Buffer.from('a 1\nb'));
  const piece = Buffer.alloc(1 << 26, 'b');
  expect(() => parser.push(piece)).toThrow('x.folded, line 2: the line has more than 67108864 bytes');
});

test.each(['', '\n', '  \r\n', 'a 0\n'])('%j has no samples', (text) => {
  expect(() => parse(text)).toThrow('x.folded has no samples');
});

test('bytes that are no UTF-8, and a file that was cut off, are refused by file and line', async () => {
  const folder = tempFolder();
  const [broken, cut] = [join(folder, 'broken.folded'), join(folder, 'cut.gz')];
  writeFileSync(broken, Buffer.concat([Buffer.from('a 1\na;'), Buffer.from([0xff, 0xfe]), Buffer.from(' 2\n')]));
  writeFileSync(cut, gzipSync(Buffer.from('a;b 1\n'.repeat(1000))).subarray(0, 30));
  const read = (path: string) => readCollapsed(path, { names: new NameTable(), normalise: null });
  await expect(read(broken)).rejects.toThrow(`${broken}, line 2: the line has a frame that is not UTF-8`);
  await expect(read(cut)).rejects.toThrow(`${cut} cannot be decompressed`);
  await expect(read(join(folder, 'none'))).rejects.toThrow('cannot be opened');
});

test('what frames are normalised to is one code path; compile modes are counted where samples end', () => {
  const { tree, names, modes } = parse('main_[j];f_[i] 2\nmain_[i];f_[j] 3\nmain;f_[j] 4\n', (frame) => ({
    name: frame.replace(/_\[.\]$/, ''),
    mode: /_\[(.)\]$/.exec(frame)?.[1] ?? null,
  }));
  expect(foldedText(tree, names)).toBe('main;f 9\n');
  expect(modes).toEqual([
    { name: names.find('f'), mode: 'i', own: 2 },
    { name: names.find('f'), mode: 'j', own: 7 },
  ]);
});

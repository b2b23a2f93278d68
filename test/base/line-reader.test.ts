import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader, linesIn } from '../../base/line-reader.ts';

const MIB = 2 ** 20;

/** What a reader tells of a text in pieces: lines, and the beginnings of those that are too long. */
function told(pieces: readonly string[], mostLineBytes: number): readonly (readonly ['line' | 'long', string])[] {
  const found: ['line' | 'long', string][] = [];
  const reader = new LineReader({
    mostLineBytes,
    onLine: (line) => found.push(['line', line]),
    onTooLong: (line) => found.push(['long', line]),
  });
  for (const piece of pieces) reader.add(piece);
  reader.end();
  return found;
}

const texts = fc.array(fc.constantFrom('\n', '\r\n', 'a', 'bc', 'é', '😀', '0123456789'), { maxLength: 30 });

describe('lines of a text in pieces', () => {
  it('are those of the whole text, wherever the pieces end', () => {
    fc.assert(
      fc.property(texts, (pieces) => {
        const whole = pieces.join('').split('\n');
        // A text that ends with a line end has no line behind it.
        const lines = whole.at(-1) === '' ? whole.slice(0, -1) : whole;
        expect(told(pieces, 1000)).toEqual(lines.map((line) => ['line', line]));
      }),
    );
  });

  it('that are too long are told once, by a beginning of whole characters, and the next line is read', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (pieces, most) => {
        const found = told(pieces, most);
        const whole = told([pieces.join('')], 1000);
        expect(found).toHaveLength(whole.length);
        for (const [index, [, line]] of whole.entries()) {
          const [kind, text = ''] = found[index] ?? [];
          expect(kind).toBe(Buffer.byteLength(line) > most ? 'long' : 'line');
          expect(line.startsWith(text)).toBe(true);
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
          // No more than a part of the next character is missing.
          if (kind === 'long') expect(Buffer.byteLength(text)).toBeGreaterThan(most - 4);
        }
      }),
    );
  });

  it('that are too long are passed over where nobody wants them', () => {
    const found: string[] = [];
    const reader = new LineReader({ onLine: (line) => found.push(line), mostLineBytes: 3 });
    for (const piece of ['a\nbb', 'bb\nc', 'c\nddd', 'd']) reader.add(piece);
    reader.end();
    expect(found).toEqual(['a', 'cc']);
  });

  it('of a flood without line ends take the memory of one line, and time that grows as the flood does', () => {
    const piece = 'x'.repeat(2 ** 15);
    const seconds = (mib: number): number => {
      const before = process.cpuUsage();
      const found = told(new Array<string>(mib * 32).fill(piece), MIB);
      const { user, system } = process.cpuUsage(before);
      expect(found).toEqual([['long', 'x'.repeat(MIB)]]);
      return (user + system) / 1e6;
    };
    // A reader that splits the rest again with each piece takes a second for 8 MiB, and 64 times as many for 64.
    expect(seconds(256)).toBeLessThan(1);
    const before = process.memoryUsage().heapUsed;
    const reader = new LineReader({ onLine: () => undefined, mostLineBytes: MIB });
    for (let at = 0; at < 2 ** 13; at += 1) reader.add(Buffer.alloc(2 ** 13, at).toString('latin1'));
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * MIB);
  });

  it('of bytes are whole characters, wherever the pieces end', async () => {
    const text = 'aé\n😀b\r\n\nc';
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(4), { maxLength: 20 }), async (sizes) => {
        const pieces: Buffer[] = [];
        let rest = Buffer.from(text);
        for (const size of sizes) {
          pieces.push(rest.subarray(0, size));
          rest = rest.subarray(size);
        }
        const found: string[] = [];
        for await (const lines of linesIn([...pieces, rest], 100)) found.push(...lines);
        expect(found).toEqual(text.split('\n'));
      }),
    );
  });
});

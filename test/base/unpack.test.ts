import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PredictError } from '../../base/errors.ts';
import { isGzip, unpacked } from '../../base/unpack.ts';
import { times } from '../times.ts';

async function all(pieces: Iterable<Uint8Array>, most?: number): Promise<Buffer> {
  const found: Buffer[] = [];
  for await (const piece of unpacked(pieces, { path: 'x.gz', most })) found.push(piece);
  return Buffer.concat(found);
}

/** Some 1000 unpacked bytes for a packed one; gzip of several members one after the other is gzip. */
function bomb(mebibytes: number): Buffer {
  const one = gzipSync(Buffer.alloc(2 ** 24));
  return Buffer.concat(Array.from({ length: mebibytes / 16 }, () => one));
}

test('what was packed comes back, in whatever pieces it arrives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), fc.integer({ min: 1, max: 500 }), async (bytes, size) => {
      const packed = gzipSync(bytes);
      expect(isGzip(packed)).toBe(true);
      const pieces = Array.from({ length: Math.ceil(packed.length / size) }, (_, at) =>
        packed.subarray(at * size, (at + 1) * size),
      );
      expect((await all(pieces)).equals(bytes)).toBe(true);
    }),
    { numRuns: times(20) },
  );
});

test('a file that unpacks to far more than it is packed is rejected before much of it is there', async () => {
  const packed = bomb(4096);
  let bytes = 0;
  const reading = async (): Promise<void> => {
    for await (const piece of unpacked([packed], { path: 'x.gz' })) bytes += piece.length;
  };
  await expect(reading()).rejects.toThrow(
    'x.gz decompresses to more than 50 times its size, so it is rejected: use gunzip if you trust it.',
  );
  expect(bytes).toBeLessThan(51 * packed.length);
  expect(bytes).toBeGreaterThan(0);
});

test('a small file may be packed as well as it can be', async () => {
  expect((await all([gzipSync(Buffer.alloc(2 ** 22))])).length).toBe(2 ** 22);
});

test('a reader that names its bound gets so many bytes and no more', async () => {
  const packed = bomb(64);
  expect((await all([packed], 2 ** 26)).length).toBe(2 ** 26);
  await expect(all([packed], 2 ** 26 - 1)).rejects.toThrow('x.gz decompresses to more than 64 MiB, so it is rejected');
});

test('damage is told in a sentence, and so is what the pieces throw', async () => {
  const packed = gzipSync(randomBytes(100_000));
  await expect(all([packed.subarray(0, 50_000)])).rejects.toThrow(
    /^x\.gz cannot be decompressed \(unexpected end of file\): write it again/,
  );
  const broken = function* (): Generator<Uint8Array> {
    yield packed.subarray(0, 1000);
    throw new PredictError('the disk is gone', { kind: 'infrastructure' });
  };
  await expect(all(broken())).rejects.toThrow(/^the disk is gone$/);
});

test('whoever stops early closes where the pieces come from', async () => {
  let closed = false;
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield gzipSync(randomBytes(1 << 20));
    } finally {
      closed = true;
    }
  };
  for await (const _ of unpacked(pieces(), { path: 'x.gz' })) break;
  await expect.poll(() => closed).toBe(true);
});

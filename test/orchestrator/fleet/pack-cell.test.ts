import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at } from '../../../base/lists.ts';
import type { Cell } from '../../../experiments/records.ts';
import { writeCell } from '../../../experiments/store/write-cell.ts';
import { HandOver, receiveCell } from '../../../orchestrator/fleet/hand-over.ts';
import { describeArchive, PIECE, packCell, unpackCell } from '../../../orchestrator/fleet/pack-cell.ts';
import { goodRecord, newCampaign, nth, tempFolder } from '../../experiments/make.ts';
import { noRedis } from '../queue/cells.ts';
import { server } from './fleet.ts';

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

async function* pieces(...all: readonly (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const one of all) yield Buffer.from(one);
}

async function packed(folder: string): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for await (const piece of packCell(folder, await describeArchive(folder))) found.push(piece);
  return found;
}

/** A campaign with a stored cell, and another one that plans the same cells. */
async function stored(): Promise<{ readonly folder: string; readonly dir: string; readonly cell: Cell }> {
  const { dir, cells } = await newCampaign();
  const cell = nth(cells, 0);
  // Longer than a piece.
  await writeCell(dir, goodRecord(cell), { stdout: 'x'.repeat(PIECE + 5), stderr: '' });
  return { folder: join(dir, 'cells', cell.id), dir: (await newCampaign()).dir, cell };
}

describe('an archive of a cell', () => {
  it('is the same of the same files, in bounded pieces, and gives them back', async () => {
    const { folder, dir, cell } = await stored();
    const [archive, all] = [await describeArchive(folder), await packed(folder)];
    expect(all.map(({ length }) => length)).toEqual([PIECE, archive.bytes - PIECE]);
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, 1);
    expect(await describeArchive(folder)).toEqual(archive);
    expect(Buffer.concat(await packed(folder)).equals(Buffer.concat(all))).toBe(true);
    const record = await receiveCell(dir, cell, { offer: { worker: 'w', ...archive }, pieces: pieces(...all) });
    expect(record).toEqual(goodRecord(cell));
    expect(await describeArchive(join(dir, 'cells', cell.id))).toEqual(archive);
  });

  it('is not made where a file is a link', async () => {
    const { folder } = await stored();
    symlinkSync('/etc/passwd', join(folder, 'stderr.parquet'));
    await expect(describeArchive(folder)).rejects.toThrow('is a link, not a file');
  });

  const file = (name: string, bytes = 2, more = {}) => ({ name, bytes, sha256: sha256('ok'), ...more });
  const head = (...files: readonly object[]): string => `${JSON.stringify({ schema: 1, files })}\n`;
  it.each([
    ["names '../stdout.txt', which is not a file", `${head(file('../stdout.txt'))}ok`],
    ["names '/etc/cron.d/x', which is not a file", `${head(file('/etc/cron.d/x'))}ok`],
    ['has a list of files that is not valid', `${head(file('stdout.txt', 0, { link: '/etc/passwd' }))}`],
    ['has a list of files that is not JSON', 'a\n'],
    ['has no list of its files', 'a'.repeat(1 << 15)],
    ['has stdout.txt twice', `${head(file('stdout.txt'), file('stdout.txt'))}okok`],
    ['has 300 MiB, more than 256 MiB', head(file('stdout.txt', 300 << 20))],
    ['has a damaged stdout.txt', `${head(file('stdout.txt'))}no`],
    ['ends within stdout.txt', `${head(file('stdout.txt'))}o`],
    ['goes on behind its last file', `${head(file('stdout.txt'))}ok!`],
  ])('is rejected that %s, with nothing outside its folder', async (sentence, text) => {
    const folder = join(tempFolder(), 'inside');
    mkdirSync(folder);
    const digest = sha256(text.slice(0, text.indexOf('\n') + 1));
    await expect(unpackCell(pieces(text), digest, folder)).rejects.toMatchObject({
      kind: 'badInput',
      message: expect.stringContaining(`The archive of a cell ${sentence}`),
    });
    expect(readdirSync(join(folder, '..'))).toEqual(['inside']);
  });

  it('is rejected with another digest, and where its record is of another cell or changed; nothing is stored', async () => {
    const { folder, dir, cell } = await stored();
    const [archive, all] = [await describeArchive(folder), await packed(folder)];
    const offer = { worker: 'w', ...archive };
    const other = nth((await newCampaign()).cells, 1);
    const wrong = { ...offer, sha256: sha256('another') };
    await expect(receiveCell(dir, cell, { offer: wrong, pieces: pieces(...all) })).rejects.toThrow('another digest');
    await expect(receiveCell(dir, other, { offer, pieces: pieces(...all) })).rejects.toThrow(/record is of cell/);
    writeFileSync(join(folder, 'stderr.txt'), 'forged');
    const forged = { worker: 'w', ...(await describeArchive(folder)) };
    const sent = receiveCell(dir, cell, { offer: forged, pieces: pieces(...(await packed(folder))) });
    await expect(sent).rejects.toThrow('A cell of worker w is not valid: its record has 6 bytes instead of 0.');
    expect(readdirSync(dir).filter((name) => name.startsWith('.incoming'))).toEqual([]);
    expect(readdirSync(join(dir, 'cells'))).toEqual([]);
  });
});

describe.skipIf(noRedis)('cells that wait on a server (needs redis-server)', () => {
  it('are not more than it takes, where those count that are still there', async () => {
    const { redis } = await server();
    const cells = await Promise.all([stored(), stored(), stored()]);
    for (const [index, { folder }] of cells.entries()) writeFileSync(join(folder, 'stderr.txt'), `${index}`);
    const archives = await Promise.all(cells.map(({ folder }) => describeArchive(folder)));
    const handOver = new HandOver(redis, { mostWaiting: 2.5 * PIECE });
    const put = (index: number, more = {}) => handOver.put('a', at(cells, index).folder, at(archives, index), more);
    expect([await put(0), await put(0), await put(1), await put(2)]).toEqual([true, true, true, false]);
    expect(await put(2, { isAsked: true })).toBe(true);
    await handOver.acknowledge('a', { worker: 'w', ...at(archives, 2) });
    await redis.del(`predict:piece:${at(archives, 0).sha256}:0`);
    expect([await put(2), await put(0)]).toEqual([true, false]);
  });
});

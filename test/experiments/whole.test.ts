import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkCampaign } from '../../experiments/store/check-campaign.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { campaignPlan, goodRecord, newCampaign, nth, tempFolder } from './make.ts';

describe('a file that is written whole', () => {
  test('goes into a FIFO, which stays one', async () => {
    const fifo = join(tempFolder(), 'page');
    execFileSync('mkfifo', [fifo]);
    const [, read] = await Promise.all([writeFileWhole(fifo, 'a page'), readFile(fifo, 'utf8')]);
    expect(read).toBe('a page');
    expect(lstatSync(fifo).isFIFO()).toBe(true);
    // As /dev/stdout is a link to what the shell opened.
    const link = `${fifo}-link`;
    symlinkSync(fifo, link);
    expect((await Promise.all([readFile(fifo, 'utf8'), writeFileWhole(link, 'again')]))[0]).toBe('again');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test('is refused where a folder or a link to a file lies, which stays', async () => {
    const folder = tempFolder();
    const [link, other] = [join(folder, 'link'), join(folder, 'other')];
    writeFileSync(other, 'precious');
    symlinkSync(other, link);
    await expect(writeFileWhole(link, 'x')).rejects.toThrow(`${link} cannot be written (it is a link, not a file: `);
    mkdirSync(join(folder, 'page'));
    await expect(writeFileWhole(join(folder, 'page'), 'x')).rejects.toThrow('(it is a folder, not a file: ');
    expect(readFileSync(other, 'utf8')).toBe('precious');
    expect(readdirSync(folder).sort()).toEqual(['link', 'other', 'page']);
  });

  test('is not led elsewhere by a link in the place of its partial', async () => {
    const folder = tempFolder();
    const other = join(folder, 'other');
    writeFileSync(other, 'precious');
    symlinkSync(other, join(folder, '.page.partial'));
    await writeFileWhole(join(folder, 'page'), 'a page');
    expect(readFileSync(other, 'utf8')).toBe('precious');
    expect(readFileSync(join(folder, 'page'), 'utf8')).toBe('a page');
  });

  test('is one of two that are written at once, never a part of both', async () => {
    const path = join(tempFolder(), 'page');
    const texts = ['a', 'b', 'c', 'd'].map((letter, index) => letter.repeat(5_000_000 * (index + 1)));
    await Promise.all(texts.map((text) => writeFileWhole(path, text)));
    expect(texts).toContain(readFileSync(path, 'utf8'));
    expect(readdirSync(join(path, '..'))).toEqual(['page']);
  });
});

test('a cell is forced to the disk file by file, with its folder and the one above, and no file that is gone again', async () => {
  const { dir, cells } = await newCampaign();
  const file = await open(dir);
  const sync = vi.spyOn(Object.getPrototypeOf(file), 'sync');
  onTestFinished(() => sync.mockRestore());
  await file.close();
  const samples = Array.from({ length: 25 }, (_, host) => ({ host: `n${host}`, text: '1\tcpu\tc0\t2\n' }));
  const record = goodRecord(nth(cells, 0));
  await writeCell(dir, record, { stdout: 'out\n', stderr: '', samples });
  const files = readdirSync(join(dir, 'cells', record.cell.id));
  expect(files).toEqual(['record.json', 'roots.parquet', 'samples.parquet', 'stderr.txt', 'stdout.txt']);
  expect(sync).toHaveBeenCalledTimes(files.length + 2);
});

describe('a sweep that begins in a folder', () => {
  test('takes away what killed writers of ours left, and no hidden file or folder of others', async () => {
    const dir = tempFolder();
    const id = '0123456789abcdef';
    const ours = [
      ...['.campaign.json.partial', `.report.html.${id}.partial`],
      ...[`cells/.${id}.partial`, 'cells/.output.partial', `cells/.output-${id}.partial`, `attempts/.${id}-12.partial`],
    ];
    const theirs = [
      ...['.config.old', '.git.old', '.cache.partial', '.page.html.partial'],
      ...['cells/.notes.partial', `cells/.${id}-draft.partial`, 'attempts/.git.old'],
    ];
    for (const path of [...ours, ...theirs]) mkdirSync(join(dir, path), { recursive: true });
    await createOrOpenCampaign(dir, campaignPlan());
    const hidden = ['', 'cells/', 'attempts/'].flatMap((place) =>
      readdirSync(join(dir, place))
        .filter((name) => name.startsWith('.'))
        .map((name) => `${place}${name}`),
    );
    expect(hidden.sort()).toEqual([...theirs].sort());
    expect((await checkCampaign(dir)).partials).toEqual([]);
  });
});

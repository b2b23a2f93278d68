import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readCache } from '../../experiments/store/cache-file.ts';
import { readDoneCells } from '../../experiments/store/cells.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { listObservations } from '../../experiments/store/observations.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeAttempt, writeCell } from '../../experiments/store/write-cell.ts';
import { campaignPlan, goodRecord, nth, tempFolder } from './make.ts';

/** A mounted disk of 64 KiB, or null where this process may not mount one. */
function tinyDisk(): string | null {
  const folder = join(tempFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', [folder]);
  });
  return folder;
}

const SAMPLES = Array.from({ length: 400 }, (_, index) => `${index}\tcpu\tc${index}\t${Math.sin(index)}\n`).join('');
const output = { stdout: 'out\n', stderr: 'err\n', samples: [{ host: 'a', text: SAMPLES }] };
const CLEAR = /^.* cannot be written \(its disk is full: free some space and rerun the command\)\.$/;

describe('a full disk', () => {
  test('wherever it fills up, a cell is stored whole or one clear sentence says why not', async (context) => {
    const disk = tinyDisk();
    if (disk === null) return context.skip();
    const dir = join(disk, 'c');
    const { cells } = await createOrOpenCampaign(dir, campaignPlan());
    const record = goodRecord(nth(cells, 0));
    const outcomes: string[] = [];
    for (let filled = 60; filled >= 0; filled -= 4) {
      const filler = join(disk, 'filler');
      try {
        writeFileSync(filler, 'x'.repeat(filled * 1024));
      } catch {
        // campaign.json takes its part of the 64 KiB: the disk is full, which is what is asked for.
      }
      const failure = await writeCell(dir, record, output).then(
        () => null,
        (error: Error) => error.message,
      );
      const found = readdirSync(join(dir, 'cells'));
      if (failure === null) {
        expect(found).toEqual([record.cell.id]);
        expect(listObservations((await openCampaign(dir)).records).length).toBe(2);
      } else {
        expect(failure).toMatch(CLEAR);
        expect(found).toEqual([]);
        expect((await readDoneCells(dir)).size).toBe(0);
      }
      outcomes.push(failure === null ? 'stored' : 'full');
      rmSync(join(dir, 'cells', record.cell.id), { recursive: true, force: true });
      rmSync(filler, { force: true });
    }
    expect(new Set(outcomes)).toEqual(new Set(['full', 'stored']));
  });

  test('a campaign and an attempt that do not fit leave nothing behind', async (context) => {
    const disk = tinyDisk();
    if (disk === null) return context.skip();
    const large = campaignPlan({ nodes: '1,4,9', scales: '10..40', bw: '10..90/10' });
    await expect(createOrOpenCampaign(join(disk, 'large'), large)).rejects.toThrow(CLEAR);
    expect(readdirSync(join(disk, 'large')).sort()).toEqual(['attempts', 'cells']);
    const dir = join(disk, 'c');
    const { cells } = await createOrOpenCampaign(dir, campaignPlan());
    const at = '2024-05-01T10:00:00.000Z';
    const attempt = { cell: nth(cells, 0), reason: 'why', at, stdout: 'x'.repeat(100_000), stderr: '' };
    await expect(writeAttempt(dir, attempt)).rejects.toThrow(CLEAR);
    expect(readdirSync(join(dir, 'attempts'))).toEqual([]);
  });
});

test('a disk that is mounted read-only is told as that, also where folders are to be made on it', async (context) => {
  const disk = tinyDisk();
  if (disk === null) return context.skip();
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  const refused =
    /^.* cannot be written \(its disk is mounted read-only: choose another location, or make this one writable\)\.$/;
  await expect(createOrOpenCampaign(join(disk, 'new', 'folder'), campaignPlan())).rejects.toThrow(refused);
  await expect(createOrOpenCampaign(disk, campaignPlan())).rejects.toThrow(refused);
});

test('a campaign without room for an index, or on a disk that is read-only, is read all the same', async (context) => {
  const disk = tinyDisk();
  if (disk === null) return context.skip();
  const dir = join(disk, 'c');
  const { cells } = await createOrOpenCampaign(dir, campaignPlan());
  await writeCell(dir, goodRecord(nth(cells, 0)), output);
  await delay(2300);
  const fill = (): void => {
    // To the last byte, whatever pages are left.
    for (let size = 4096; size >= 1; size /= 2) {
      try {
        for (;;) writeFileSync(join(disk, 'filler'), 'x'.repeat(size), { flag: 'a' });
      } catch {
        // It is full for pieces of that size.
      }
    }
  };
  fill();
  const { records } = await openCampaign(dir);
  expect(records).toHaveLength(1);
  expect(await readCache(dir, 'cells')).toBeNull();
  rmSync(join(disk, 'filler'));
  expect((await openCampaign(dir)).records).toEqual(records);
  expect((await readCache(dir, 'cells'))?.lines.size).toBe(1);
  rmSync(join(dir, 'cache'), { recursive: true });
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  expect((await openCampaign(dir)).records).toEqual(records);
  expect(readdirSync(dir)).not.toContain('cache');
});

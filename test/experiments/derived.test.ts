import { cpSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenCampaign, openCampaign } from '../../experiments/store/open-campaign.ts';
import { measuredCampaign } from '../orchestrator/damage.ts';
import { tempFolder } from './make.ts';

/** Campaigns whose files have settled, for all tests of this file. */
const settled: string[] = [];
const folder = mkdtempSync(join(tmpdir(), "it's [a] * test-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  const first = join(folder, '0');
  await measuredCampaign(first);
  for (let copy = 1; copy < 8; copy += 1) {
    settled.push(join(folder, `${copy}`));
    cpSync(first, join(folder, `${copy}`), { recursive: true });
  }
  settled.push(first);
  await delay(2300);
});

function settledCampaign(): string {
  const dir = settled.pop();
  if (dir === undefined) throw new Error('none is left');
  return dir;
}

/** Asks for a value of every cell; which were made for that, and all of them. */
async function ask<T>(
  open: OpenCampaign,
  value: (id: string) => T,
  { settings = 'one', during = () => {} }: { readonly settings?: string; readonly during?: () => void } = {},
): Promise<{ readonly made: readonly string[]; readonly values: readonly (T | undefined)[] }> {
  const ids = open.records.map(({ cell }) => cell.id);
  const made: string[] = [];
  const make = async (missing: readonly string[]) => {
    made.push(...missing);
    during();
    return new Map(missing.map((id) => [id, value(id)]));
  };
  const found = await open.derived({ kind: 'trial', settings, ids, make });
  return { made, values: ids.map((id) => found.get(id)) };
}

describe('what is made of a cell', () => {
  test('is made once, by whoever asks first, and is the same afterwards', async () => {
    const dir = settledCampaign();
    const value = (id: string) => ({ id, parts: [0.1 + 0.2, 1e-320, -1.5e300, null], text: 'é\n"' });
    const first = await ask(await openCampaign(dir), value);
    expect(first.made).toHaveLength(first.values.length);
    const again = await ask(await openCampaign(dir), value);
    expect(again).toEqual({ made: [], values: first.values });
    const open = await openCampaign(dir);
    const [one, ...others] = open.records;
    const some = await ask({ ...open, records: others }, value);
    expect(some.made).toEqual([]);
    expect((await ask(await openCampaign(dir), value)).made).toEqual([]);
    expect(one).toBeDefined();
  });

  test('is made again with other settings', async () => {
    const dir = settledCampaign();
    const open = await openCampaign(dir);
    await ask(open, () => 1);
    const other = await ask(open, () => 2, { settings: 'two' });
    expect(new Set(other.values)).toEqual(new Set([2]));
    expect((await ask(open, () => 3, { settings: 'two' })).made).toEqual([]);
  });

  test.each([
    ['a number that JSON does not know', Number.NaN],
    ['a negative zero', { a: -0 }],
    ['a member that is not there', { a: undefined }],
    ['numbers in an array of their own', new Float64Array(3)],
  ])('is never another value than the one that was made: %s', async (_, value) => {
    const open = await openCampaign(settledCampaign());
    for (const _time of [1, 2]) {
      const { made, values } = await ask(open, () => value);
      expect(made).toHaveLength(values.length);
      for (const one of values) expect(one).toBe(value);
    }
  });

  test('is not kept of files that changed while it was made', async () => {
    const dir = settledCampaign();
    const open = await openCampaign(dir);
    const id = open.records[0]?.cell.id ?? '';
    const during = (): void => writeFileSync(join(dir, 'cells', id, 'stdout.txt'), 'another text');
    await ask(open, () => 1, { during });
    expect((await ask(open, () => 2)).made).toEqual([id]);
  });

  test('is not kept of cells that were written a moment ago', async () => {
    const dir = join(tempFolder(), 'c');
    for (const { id } of await measuredCampaign(dir)) {
      utimesSync(join(dir, 'cells', id, 'stdout.txt'), new Date(), new Date());
    }
    const open = await openCampaign(dir);
    await ask(open, () => 1);
    const again = await ask(open, () => 2);
    expect(again.made).toHaveLength(again.values.length);
  });

  test('fails as making it fails, and nothing of it is kept', async () => {
    const open = await openCampaign(settledCampaign());
    const fail = (): never => {
      throw new Error('no value');
    };
    await expect(ask(open, fail)).rejects.toThrow('no value');
    const { made, values } = await ask(open, () => 1);
    expect(made).toHaveLength(values.length);
  });
});

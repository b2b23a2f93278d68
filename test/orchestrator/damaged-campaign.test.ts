import { cpSync, lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PredictError } from '../../base/errors.ts';
import type { Cell } from '../../experiments/records.ts';
import { readDoneCells } from '../../experiments/store/cells.ts';
import { checkCampaign, repairCampaign } from '../../experiments/store/check-campaign.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { readStatus } from '../../experiments/store/status.ts';
import { tempFolder } from '../experiments/make.ts';
import { times } from '../times.ts';
import { contents, type Fault, fileFaults, folderFaults, measuredCampaign } from './damage.ts';

/** How every command reads a campaign. */
const READERS: Readonly<Record<string, (dir: string) => Promise<unknown>>> = {
  status: readStatus,
  'whoever asks a question': openCampaign,
  sweep: readDoneCells,
};

let whole: string;
let cells: readonly Cell[];
let before: ReadonlyMap<string, string>;

beforeAll(async () => {
  whole = join(mkdtempSync(join(tmpdir(), 'damage-')), 'campaign');
  cells = await measuredCampaign(whole);
  before = contents(whole);
});

/** A copy of the whole campaign, which goes with its check. */
async function withCopy(use: (dir: string) => Promise<void>): Promise<void> {
  const dir = join(tempFolder(), 'c');
  cpSync(whole, dir, { recursive: true });
  try {
    await use(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The check names nothing but what has one of these names in its path, and every command refuses in the words of the first. */
async function expectNamed(dir: string, names: readonly string[]): Promise<void> {
  const { problems } = await checkCampaign(dir);
  const [first] = problems;
  if (first === undefined) throw new Error('nothing is named');
  expect(problems.filter(({ path }) => !names.some((name) => path.includes(`${sep}${name}`)))).toEqual([]);
  const said = await Promise.all(
    Object.entries(READERS).map(
      async ([name, read]) =>
        await read(dir).then(
          () => `${name} took it`,
          ({ kind, message }: PredictError) => `${kind}: ${message}`,
        ),
    ),
  );
  expect(said).toEqual(said.map(() => said[0]));
  expect(said[0]).toMatch(/^badInput: /);
  expect(said[0]).toContain(`${basename(first.path)} ${first.problem}`);
}

/** A repair leaves a whole campaign in which all other cells are as they were, and nothing is gone. */
async function expectMended(dir: string, fallen: readonly string[]): Promise<void> {
  const found = [...contents(dir).values()].sort();
  const { problems, moved } = await repairCampaign(dir, 'a test');
  expect([problems, moved.length > 0]).toEqual([[], true]);
  const after = contents(dir);
  expect([...after].flatMap(([path, text]) => (path === '.lock' ? [] : [text])).sort()).toEqual(found);
  for (const [path, text] of before) {
    if (!fallen.some((id) => path.includes(id))) expect(after.get(path), path).toBe(text);
  }
  const { done } = (await readStatus(dir)).cells;
  expect(done).toBeGreaterThanOrEqual(cells.length - 2);
}

const ofCells = (): string[] => [...before.keys()].filter((path) => path.startsWith('cells'));
const pick = <T>(list: readonly T[], where: number): T => list[Math.floor(where * list.length)] as T;

describe('a campaign that something happened to', () => {
  it('is read by all before', async () => {
    for (const [name, read] of Object.entries(READERS)) await expect(read(whole), name).resolves.toBeDefined();
    expect(await checkCampaign(whole)).toEqual({ problems: [], partials: [] });
  });

  it('is named by all in the same words, and mended: any file of any cell', async () => {
    const happens = async ({ where, inflict }: Fault): Promise<void> =>
      await withCopy(async (dir) => {
        const path = join(dir, pick(ofCells(), where));
        const own = basename(dirname(path));
        const other = otherThan(own);
        const text = readFileSync(path, 'utf8');
        inflict(path, join(dir, 'cells', other, basename(path)));
        fc.pre(!isSameJson(path, text));
        await expectNamed(dir, [own, other]);
        await expectMended(dir, [own, other]);
      });
    await fc.assert(fc.asyncProperty(fileFaults, happens), { numRuns: times(6), seed: 1 });
  });

  it('is named by all in the same words, and mended: the folder of any cell', async () => {
    const happens = async ({ where, inflict }: Fault): Promise<void> =>
      await withCopy(async (dir) => {
        const own = pick(cells, where).id;
        const other = otherThan(own);
        inflict(join(dir, 'cells', own), join(dir, 'cells', other));
        await expectNamed(dir, [own, other, 'f'.repeat(16)]);
        await expectMended(dir, [own, other]);
      });
    await fc.assert(fc.asyncProperty(folderFaults, happens), { numRuns: times(4), seed: 1 });
  });

  it('is named by all in the same words, and nothing is moved: campaign.json', async () => {
    const happens = async ({ name, inflict }: Fault): Promise<void> =>
      await withCopy(async (dir) => {
        fc.pre(!['deleted', 'swapped', 'copied'].includes(name));
        const path = join(dir, 'campaign.json');
        const text = readFileSync(path, 'utf8');
        inflict(path, path);
        fc.pre(!isSameJson(path, text));
        await expectNamed(dir, ['campaign.json']);
        const found = contents(dir);
        expect(await repairCampaign(dir, 'a test')).toMatchObject({ moved: [], problems: [{ path }] });
        expect(contents(dir)).toEqual(found);
      });
    await fc.assert(fc.asyncProperty(fileFaults, happens), { numRuns: times(4), seed: 1 });
  });
});

function otherThan(id: string): string {
  return cells.find((cell) => cell.id !== id)?.id ?? '';
}

/** A byte may change and nothing that it says: a space, the case of an exponent. */
function isSameJson(path: string, before: string): boolean {
  if (!path.endsWith('.json') || !lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  try {
    return isDeepStrictEqual(JSON.parse(readFileSync(path, 'utf8')), JSON.parse(before));
  } catch {
    return false;
  }
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import type { Cell } from '../../experiments/records.ts';
import { readCache, writeCache } from '../../experiments/store/cache-file.ts';
import { checkCampaign } from '../../experiments/store/check-campaign.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { seal } from '../../experiments/store/digest.ts';
import { isSame } from '../../experiments/store/identity.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { readStatus } from '../../experiments/store/status.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { bundled } from '../launch/bundled.ts';
import { type Fault, fileFaults, folderFaults, measuredCampaign } from '../orchestrator/damage.ts';
import { times } from '../times.ts';
import { campaignPlan, goodRecord, nth, tempFolder } from './make.ts';

/** Longer than what a file must have lain unchanged to be believed. */
const SETTLED_MS = 2300;

interface Indexed {
  readonly dir: string;
  readonly cells: readonly Cell[];
}

/** Faults that are drawn, each for a campaign of its own. */
const DRAWN = times(15);
/** Campaigns whose files have settled, for all tests of this file. */
const settled: Indexed[] = [];
const folder = mkdtempSync(join(tmpdir(), "it's [a] * test-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  const cells = await measuredCampaign(join(folder, '0'));
  settled.push({ dir: join(folder, '0'), cells });
  for (let copy = 1; copy < DRAWN + 16; copy += 1) {
    settled.push({ dir: join(folder, `${copy}`), cells });
    cpSync(join(folder, '0'), join(folder, `${copy}`), { recursive: true });
  }
  await delay(SETTLED_MS);
});

/** A campaign with an index of all its cells. */
async function indexedCampaign(): Promise<Indexed> {
  const made = settled.pop();
  if (made === undefined) throw new Error('none is left');
  await openCampaign(made.dir);
  expect((await readCache(made.dir, 'cells'))?.lines.size).toBe(made.cells.length);
  return made;
}

/** All that readers are told, or in which words they are refused. */
async function answers(dir: string): Promise<string> {
  const asked = [
    readStatus(dir),
    openCampaign(dir).then(({ campaign, records, profiled }) => ({ campaign, records, profiled })),
  ];
  const told = await Promise.allSettled(asked);
  return JSON.stringify(told.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))));
}

/** The same of a copy without a cache, of which this process knows nothing yet. */
async function answersWithout(dir: string): Promise<string> {
  const copy = `${dir}.fresh`;
  execFileSync('cp', ['-a', dir, copy]);
  rmSync(join(copy, 'cache'), { recursive: true, force: true });
  return (await answers(copy)).replaceAll('.fresh', '');
}

/** Bytes that this process has read from files since it began. */
function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function flip(path: string): void {
  const data = readFileSync(path);
  data[data.length >> 1] = (data[data.length >> 1] ?? 0) ^ 1;
  writeFileSync(path, data);
}

/** Changes that try not to be seen, and some that are none. */
const QUIET_CHANGES: Readonly<Record<string, (path: string) => void>> = {
  'same size, times put back': (path) => {
    const { atime, mtime } = statSync(path);
    flip(path);
    utimesSync(path, atime, mtime);
  },
  'another file of the same size and times': (path) => {
    const { atime, mtime } = statSync(path);
    cpSync(path, `${path}.tmp`);
    flip(`${path}.tmp`);
    utimesSync(`${path}.tmp`, atime, mtime);
    renameSync(`${path}.tmp`, path);
  },
  touched: (path) => utimesSync(path, new Date(), new Date()),
  'beside a hidden file': (path) => writeFileSync(join(dirname(path), '.hidden'), 'x'),
  'with its cell gone': (path) => rmSync(dirname(path), { recursive: true }),
  'with its cell written again': (path) => {
    renameSync(dirname(path), `${dirname(dirname(path))}/.away`);
    cpSync(`${dirname(dirname(path))}/.away`, dirname(path), { recursive: true });
  },
};
const quietChanges: fc.Arbitrary<Fault> = fc
  .record({ where: share, kind: fc.constantFrom(...Object.keys(QUIET_CHANGES)) })
  .map(({ where, kind }) => ({ name: kind, where, inflict: (path: string) => QUIET_CHANGES[kind]?.(path) }));

const pick = <T>(list: readonly T[], where: number): T => list[Math.floor(where * list.length)] as T;

describe('a campaign with an index', () => {
  test('whatever happened to a file or a cell gets the answer that it gets without one', async () => {
    let expected: string | undefined;
    let differing = 0;
    const happens = async ([isFolder, { where, inflict }]: readonly [boolean, Fault]): Promise<void> => {
      const { dir, cells } = await indexedCampaign();
      expected ??= await answers(dir);
      const folder = join(dir, 'cells', pick(cells, where).id);
      const other = join(dir, 'cells', cells.find(({ id }) => !folder.endsWith(id))?.id ?? '');
      const name = pick(readdirSync(folder).sort(), (where * 97) % 1);
      if (isFolder) inflict(folder, other);
      else inflict(join(folder, name), join(other, name));
      const found = await answers(dir);
      expect(found).toBe(await answersWithout(dir));
      if (found !== expected) differing += 1;
    };
    const changes = fc.oneof(
      fc.tuple(fc.constant(false), fileFaults),
      fc.tuple(fc.constant(false), quietChanges),
      fc.tuple(fc.constant(true), folderFaults),
    );
    await fc.assert(fc.asyncProperty(changes, happens), { numRuns: DRAWN, seed: 1, endOnFailure: true });
    expect(differing).toBeGreaterThan(DRAWN / 2);
  });

  test('is not read again: its cells come from the index', async () => {
    const { dir, cells } = await indexedCampaign();
    const reads = async (campaign: string): Promise<number> => {
      const before = bytesRead();
      await openCampaign(campaign);
      return bytesRead() - before;
    };
    execFileSync('cp', ['-a', dir, `${dir}-copy`]);
    const folders = cells.map(({ id }) => join(dir, 'cells', id));
    const files = folders.flatMap((folder) => readdirSync(folder).map((name) => lstatSync(join(folder, name)).size));
    const size = files.reduce((sum, one) => sum + one, 0);
    expect(await reads(`${dir}-copy`)).toBeGreaterThan(size);
    expect(await reads(dir)).toBeLessThan(size);
  });

  test('sees another plan: a cell that is planned no more, one that was added, one that was planned differently', async () => {
    const [removed, added, changed] = [await indexedCampaign(), await indexedCampaign(), await indexedCampaign()];
    const replan = (dir: string, plan: (cells: Cell[]) => readonly Cell[]): void => {
      const { digest: _, ...campaign } = JSON.parse(readFileSync(join(dir, 'campaign.json'), 'utf8'));
      writeFileSync(join(dir, 'campaign.json'), JSON.stringify(seal({ ...campaign, cells: plan(campaign.cells) })));
    };
    const more = { ...nth(added.cells, 0), id: 'f'.repeat(16), rep: 77 };
    replan(removed.dir, (cells) => cells.slice(1));
    replan(added.dir, (cells) => [...cells, more]);
    await writeCell(added.dir, goodRecord(more), { stdout: '', stderr: '' });
    replan(changed.dir, ([first, ...rest]) => (first === undefined ? [] : [{ ...first, rep: 88 }, ...rest]));
    for (const { dir } of [removed, added, changed]) expect(await answers(dir)).toBe(await answersWithout(dir));
    expect(await answers(removed.dir)).toContain('is not a cell of this campaign');
    expect((await readStatus(added.dir)).cells.done).toBe(added.cells.length + 1);
    expect(await answers(changed.dir)).toContain('is of a different cell than planned');
  });

  test('does not believe what was changed a moment before it was verified', async () => {
    const dir = join(tempFolder(), 'c');
    for (const { id } of await measuredCampaign(dir)) {
      utimesSync(join(dir, 'cells', id, 'stdout.txt'), new Date(), new Date());
    }
    const told = await answers(dir);
    expect((await readCache(dir, 'cells'))?.lines.size ?? 0).toBe(0);
    await delay(SETTLED_MS);
    expect(await answers(dir)).toBe(told);
    expect((await readCache(dir, 'cells'))?.lines.size).toBeGreaterThan(0);
  });

  test('is checked by content all the same', async () => {
    const { dir, cells } = await indexedCampaign();
    const lines = (await readCache(dir, 'cells'))?.lines ?? new Map<string, Buffer>();
    const { id } = nth(cells, 0);
    flip(join(dir, 'cells', id, 'samples.parquet'));
    // As if nothing had been seen of the change: the identities of the files as they are now.
    const line = JSON.parse(String(lines.get(id)));
    const now = line.files.map(([name]: [string]) => {
      const is = lstatSync(join(dir, 'cells', id, name), { bigint: true });
      return [name, `${is.ino} ${is.size} ${is.mtimeNs} ${is.ctimeNs}`];
    });
    const forged = new Map([...lines, [id, Buffer.from(JSON.stringify({ ...line, files: now }))]]);
    await writeCache(dir, 'cells', { head: 'null', lines: forged });
    await expect(openCampaign(dir)).resolves.toBeDefined();
    expect((await checkCampaign(dir)).problems.map(({ problem }) => problem)).toEqual([
      'was changed after it was measured',
    ]);
  });

  test('is read by several at once', async () => {
    const { dir } = await indexedCampaign();
    const told = await answers(dir);
    rmSync(join(dir, 'cache'), { recursive: true });
    expect(new Set(await Promise.all(Array.from({ length: 8 }, () => answers(dir))))).toEqual(new Set([told]));
    expect(await answers(dir)).toBe(told);
    expect((await checkCampaign(dir)).partials).toEqual([]);
  });
});

test('an index whose writer is killed is the whole one of before', { timeout: 300_000 }, async () => {
  const compiled = mkdtempSync(join(projectRoot(), 'dist', 'test-'));
  onTestFinished(() => rmSync(compiled, { recursive: true }));
  const store = await bundled('experiments/store/cache-file.ts', compiled);
  const dir = join(tempFolder(), 'c');
  const { cells } = await createOrOpenCampaign(dir, campaignPlan());
  const path = join(dir, 'cache/cells');
  const write = (code: string): ChildProcess => {
    const lines = `new Map([['${nth(cells, 0).id}', Buffer.alloc(1e6, text)]])`;
    const whole = `import { writeCache } from ${JSON.stringify(store)};
      const write = (text) => writeCache(${JSON.stringify(dir)}, 'cells', { head: text, lines: ${lines} });
      ${code}`;
    return spawn(process.execPath, ['--input-type=module', '-e', whole], { stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const whole: Buffer[] = [];
  for (const text of ['a', 'b']) {
    await once(write(`await write('${text}')`), 'close');
    whole.push(readFileSync(path));
  }
  const seen = new Set<number>();
  let left = 0;
  // Until one was killed in each of both and one in mid-write.
  for (let kill = 0; kill < times(2) || (kill < 400 && (seen.size < 2 || left === 0)); kill += 1) {
    const child = write(`for (;;) for (const text of ['a', 'b']) { console.log('now'); await write(text); }`);
    await new Promise<void>((enough) => {
      let writes = 0;
      child.stdout?.on('data', (said: Buffer) => {
        writes += String(said).split('now').length - 1;
        if (writes > kill % 4) enough();
      });
    });
    await delay(kill % 16);
    child.kill('SIGKILL');
    await once(child, 'close');
    const found = readFileSync(path);
    seen.add(whole.findIndex((one) => one.equals(found)));
    left += (await checkCampaign(dir)).partials.length;
    await createOrOpenCampaign(dir, campaignPlan());
    expect((await checkCampaign(dir)).partials).toEqual([]);
  }
  expect([...seen].sort()).toEqual([0, 1]);
  expect(left).toBeGreaterThan(0);
});

describe('an index of somebody else', () => {
  test('is not one of a copied folder: no file of it is the one that was verified', async () => {
    const { dir, cells } = await indexedCampaign();
    const copy = join(tempFolder(), 'copy');
    execFileSync('cp', ['-a', dir, copy]);
    const lines = (await readCache(copy, 'cells'))?.lines ?? new Map();
    expect(lines.size).toBe(cells.length);
    for (const [id, line] of lines) {
      const { files } = JSON.parse(String(line));
      for (const one of files) expect(isSame(join(copy, 'cells', id), [one])).toBe(false);
    }
    flip(join(copy, 'cells', nth(cells, 0).id, 'stdout.txt'));
    await expect(openCampaign(copy)).rejects.toThrow('was changed after it was measured');
  });

  test('is not read without the key that its user has', async () => {
    const { dir } = await indexedCampaign();
    const told = await answers(dir);
    const [cache, before] = [process.env.XDG_CACHE_HOME, readFileSync(join(dir, 'cache/cells'))];
    onTestFinished(() => {
      if (cache === undefined) delete process.env.XDG_CACHE_HOME;
      else process.env.XDG_CACHE_HOME = cache;
    });
    // In a folder above which nobody else may write.
    const home = mkdtempSync(join(homedir(), '.predict-test-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    process.env.XDG_CACHE_HOME = home;
    expect(await readCache(dir, 'cells')).toBeNull();
    expect(await answers(dir)).toBe(told);
    expect(readFileSync(join(dir, 'cache/cells')).subarray(0, 64)).not.toEqual(before.subarray(0, 64));
    expect(statSync(join(home, 'predict/keys/campaigns')).mode & 0o777).toBe(0o600);
  });

  test('is not read once a byte of it was changed, and written again', async () => {
    const { dir } = await indexedCampaign();
    const [told, path] = [await answers(dir), join(dir, 'cache/cells')];
    const good = readFileSync(path);
    const change = async (at: number, mask: number): Promise<void> => {
      const data = Buffer.from(good);
      const where = Math.floor(at * data.length);
      data[where] = (data[where] ?? 0) ^ mask;
      writeFileSync(path, data);
      expect(await readCache(dir, 'cells')).toBeNull();
    };
    await fc.assert(fc.asyncProperty(share, fc.integer({ min: 1, max: 255 }), change), { numRuns: times(20), seed: 1 });
    for (const left of [0, 1, 64, 65, good.length - 1]) {
      writeFileSync(path, good.subarray(0, left));
      expect(await readCache(dir, 'cells')).toBeNull();
    }
    expect(await answers(dir)).toBe(told);
    // Of several readers at once the last one writes; who asks for times adds them.
    await openCampaign(dir);
    expect(readFileSync(path)).toEqual(good);
  });

  test.each<[string, (path: string) => void]>([
    ['a FIFO', (path) => execFileSync('mkfifo', [path])],
    ['a link', (path) => symlinkSync('/dev/zero', path)],
    ['a folder', (path) => mkdirSync(path)],
    ['a file beyond all bounds', (path) => execFileSync('truncate', ['-s', '600M', path])],
  ])('%s in its place is neither waited for nor read', async (_, make) => {
    const { dir } = await indexedCampaign();
    const [told, path] = [await answers(dir), join(dir, 'cache/cells')];
    rmSync(path);
    make(path);
    expect(await answers(dir)).toBe(told);
  });

  test('is not written through a link in place of its folder', async () => {
    const { dir } = await indexedCampaign();
    const [told, elsewhere] = [await answers(dir), tempFolder()];
    rmSync(join(dir, 'cache'), { recursive: true });
    symlinkSync(elsewhere, join(dir, 'cache'));
    expect(await answers(dir)).toBe(told);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('is not made in a folder of another user', async (context) => {
    if (process.getuid?.() !== 0) return context.skip();
    const { dir } = await indexedCampaign();
    const told = await answersWithout(dir);
    rmSync(join(dir, 'cache'), { recursive: true });
    execFileSync('chown', ['12345', dir]);
    expect(await answers(dir)).toBe(told);
    expect(existsSync(join(dir, 'cache'))).toBe(false);
  });
});

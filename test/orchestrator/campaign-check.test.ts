import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCampaign } from '../../experiments/store/campaign.ts';
import { checkCampaign, repairCampaign } from '../../experiments/store/check-campaign.ts';
import { lockCampaign } from '../../experiments/store/lock.ts';
import { tempFolder } from '../experiments/make.ts';
import { runPredict } from '../run-predict.ts';
import { measuredCampaign } from './damage.ts';

const check = (dir: string, ...flags: string[]) => runPredict(['campaign', 'check', dir, ...flags]);

/** A campaign of two damaged cells, a stranger, a damaged line of events and a half-written cell. */
async function damagedCampaign(): Promise<{ dir: string; ids: readonly string[] }> {
  const dir = join(tempFolder(), 'c');
  const ids = (await measuredCampaign(dir)).map(({ id }) => id).sort();
  const [a = '', b = '', c = ''] = ids;
  const inside = (...path: string[]): string => join(dir, 'cells', ...path);
  truncateSync(inside(a, 'samples.parquet'), 5);
  rmSync(inside(a, 'stdout.txt'));
  renameSync(inside(b, 'record.json'), inside(b, 'record.old'));
  cpSync(inside(c), inside(`${c}.bak`), { recursive: true });
  writeFileSync(inside(c, 'notes.txt'), 'mine');
  mkdirSync(inside('.0123456789abcdef.partial'));
  writeFileSync(join(dir, 'events.jsonl'), 'garbage\n');
  return { dir, ids };
}

describe('predict campaign check', () => {
  it('lists all problems by path, and repairs by moving', async () => {
    const { dir, ids } = await damagedCampaign();
    const [a = '', b = '', c = ''] = ids;
    const at = (...path: string[]): string => join(dir, ...path);
    const found = await check(dir);
    expect([found.exitCode, found.stdout.split('\n')]).toEqual([
      2,
      [
        expect.stringMatching(/samples\.parquet has 5 bytes instead of \d+$/),
        `${at('cells', a, 'stdout.txt')} is missing`,
        `${at('cells', b)} has no record.json`,
        `${at('cells', `${c}.bak`)} is not a cell of this campaign`,
        `${at('cells', c, 'notes.txt')} is not a file of this cell`,
        `${at('events.jsonl')} is damaged in line 1`,
      ],
    ]);
    expect(found.stderr).toContain(
      '.0123456789abcdef.partial is being written by a sweep, or was left by a killed one',
    );
    expect(found.stderr).toContain('is damaged (6 problems): ');

    const { exitCode, stdout } = await check(dir, '--repair', '--json');
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      {
        whole: true,
        problems: [],
        setAside: [
          { from: at('cells', a), to: at('set-aside', `${a}-1`) },
          { from: at('cells', b), to: at('set-aside', `${b}-1`) },
          { from: at('cells', `${c}.bak`), to: at('set-aside', `${c}.bak-1`) },
          { from: at('cells', c, 'notes.txt'), to: at('set-aside', `${c}-notes.txt-1`) },
          { from: at('events.jsonl'), to: at('set-aside', 'events.jsonl-1') },
        ],
      },
    ]);
    expect(readdirSync(at('cells')).filter((name) => !name.startsWith('.'))).toEqual(ids.slice(2));
    expect(await check(dir)).toMatchObject({ exitCode: 0, stdout: `${dir} is intact.` });
  });

  it('says what is wrong as data', async () => {
    const { dir, ids } = await damagedCampaign();
    const { exitCode, stdout } = await check(dir, '--json');
    const { whole, problems, setAside } = JSON.parse(stdout);
    expect([exitCode, whole, setAside, problems.length]).toEqual([2, false, [], 6]);
    expect(problems[1]).toEqual({
      path: join(dir, 'cells', ids[0] ?? '', 'stdout.txt'),
      cell: ids[0],
      problem: 'is missing',
    });
    expect(problems[3]).toMatchObject({ cell: null, problem: 'is not a cell of this campaign' });
  });

  it('overwrites nothing that was set aside before', async () => {
    const dir = join(tempFolder(), 'c');
    await measuredCampaign(dir);
    for (const text of ['first', 'second', 'third']) {
      writeFileSync(join(dir, 'cells', 'stray'), text);
      await repairCampaign(dir, 'me');
    }
    expect([1, 2, 3].map((n) => readFileSync(join(dir, 'set-aside', `stray-${n}`), 'utf8'))).toEqual([
      'first',
      'second',
      'third',
    ]);
  });

  it('moves nothing while a sweep writes there', async () => {
    const { dir } = await damagedCampaign();
    const lock = await lockCampaign(dir, 'ann');
    await expect(repairCampaign(dir, 'me')).rejects.toMatchObject({ kind: 'busy' });
    lock.release();
    expect(existsSync(join(dir, 'set-aside'))).toBe(false);
  });

  it('moves nothing where campaign.json is gone, and says so', async () => {
    const { dir } = await damagedCampaign();
    rmSync(join(dir, 'campaign.json'));
    const path = join(dir, 'campaign.json');
    expect(await repairCampaign(dir, 'me')).toMatchObject({
      problems: [{ path, problem: 'is missing', part: null }, { path: join(dir, 'events.jsonl') }],
      moved: [],
    });
    const { exitCode, stderr } = await check(dir, '--repair');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`restore ${path} from a copy`)]);
  });

  it('refuses a folder that is no campaign', async () => {
    const dir = tempFolder();
    await expect(checkCampaign(dir)).rejects.toMatchObject({ kind: 'badInput' });
    await expect(checkCampaign(join(dir, 'nowhere'))).rejects.toThrow('is not a campaign: there is no ');
    expect(readdirSync(dir)).toEqual([]);
  });

  it('names cells of a plan without digest that are planned twice or have the id of another', async () => {
    const dir = join(tempFolder(), 'c');
    await measuredCampaign(dir);
    const path = join(dir, 'campaign.json');
    const { digest: _, ...plan } = JSON.parse(readFileSync(path, 'utf8'));
    const [first, second, ...rest] = plan.cells;
    const write = (cells: unknown): void => writeFileSync(path, JSON.stringify({ ...plan, schema: 1, cells }));
    write([first, second, ...rest]);
    expect((await checkCampaign(dir)).problems).toEqual([]);
    write([first, { ...second, bw: 33 }, ...rest, first]);
    expect((await checkCampaign(dir)).problems.slice(0, 2).map(({ problem }) => problem)).toEqual([
      `plans a cell ${second.id} with different content`,
      `plans cell ${first.id} twice`,
    ]);
    await expect(readCampaign(dir)).rejects.toThrow(
      `campaign.json plans a cell ${second.id} with different content. Restore`,
    );
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { lockCampaign } from '../../experiments/store/lock.ts';
import { bundled } from '../launch/bundled.ts';
import { tempFolder } from './make.ts';

const folder = (): string => join(tempFolder(), 'campaign');

let store = '';

/** Another process that holds the lock until it ends. */
async function otherHolder(dir: string): Promise<{ readonly pid: number | undefined; kill(): Promise<void> }> {
  const code = `import { lockCampaign } from ${JSON.stringify(store)};
    await lockCampaign(${JSON.stringify(dir)}, 'bob@far pid ' + process.pid);
    console.log('held');
    setInterval(() => {}, 1e6);`;
  const child = spawn('node', ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  await Promise.race([once(child.stdout, 'data'), closed]);
  return { pid: child.pid, kill };
}

describe('the lock of a campaign folder', () => {
  beforeAll(async () => {
    store = await bundled('experiments/store/lock.ts', mkdtempSync(join(tmpdir(), 'lock-')));
  });

  test('keeps a second writer out and names the first, until it lets go', async () => {
    const dir = folder();
    const first = await lockCampaign(dir, 'ann@head pid 7 (sweep a)');
    await expect(lockCampaign(dir, 'me')).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringMatching(
        /campaign is in use by ann@head pid 7 \(sweep a\) since 20\d\d-.*Z: wait for it to end, or choose another folder\.$/,
      ),
    });
    first.release();
    (await lockCampaign(dir, 'me')).release();
    expect(readFileSync(join(dir, '.lock'), 'utf8')).toBe('');
  });

  test('is had by one of many who come at once', async () => {
    const dir = folder();
    const tries = await Promise.allSettled(Array.from({ length: 16 }, (_, n) => lockCampaign(dir, `number ${n}`)));
    const got = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(got).toHaveLength(1);
    for (const one of tries) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ kind: 'busy' });
    }
    got[0]?.release();
  });

  test('is another for each folder', async () => {
    const locks = [await lockCampaign(folder(), 'me'), await lockCampaign(folder(), 'me')];
    for (const lock of locks) lock.release();
  });

  test('ends with its process, also one that is killed', async () => {
    const dir = folder();
    const other = await otherHolder(dir);
    await expect(lockCampaign(dir, 'me')).rejects.toThrow(`is in use by bob@far pid ${other.pid} since `);
    await other.kill();
    const mine = await lockCampaign(dir, 'me');
    expect(readFileSync(join(dir, '.lock'), 'utf8')).toMatch(/^me since /);
    mine.release();
  });

  test('is not kept by programs that were started under it', async () => {
    const dir = folder();
    const mine = await lockCampaign(dir, 'me');
    const child = execa('sleep', ['60'], { reject: false });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await child;
    });
    mine.release();
    (await lockCampaign(dir, 'me')).release();
  });

  test.each([
    ['a link', async (path: string) => void (await execa('ln', ['-s', '/etc/hostname', path]))],
    ['a FIFO', async (path: string) => void (await execa('mkfifo', [path]))],
    ['a folder', async (path: string) => void (await execa('mkdir', [path]))],
  ])('is not taken where %s lies in its place', async (_, place) => {
    const dir = tempFolder();
    await place(join(dir, '.lock'));
    await expect(lockCampaign(dir, 'me')).rejects.toMatchObject({ kind: 'unwritable' });
    rmSync(join(dir, '.lock'), { recursive: true });
  });
});

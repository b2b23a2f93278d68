import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { privateFolder } from '../../../base/paths.ts';
import { startPrivateRedis } from '../../../orchestrator/queue/redis.ts';
import { tempFolder } from '../../experiments/make.ts';
import { noRedis, redisFolders, serverId } from './cells.ts';

/** The id of a process that has ended. */
function deadId(): number {
  return spawnSync('true').pid;
}

/** A place in the folder of all private servers, gone after the test. */
function placed(name: string): string {
  const path = join(privateFolder('redis'), name);
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function startAndStop(): Promise<void> {
  await (await startPrivateRedis()).stop();
}

describe.skipIf(noRedis)('a private server (needs redis-server)', () => {
  it('that stands still before it is ready is ended, and leaves nothing', async () => {
    const [folder, path] = [tempFolder(), process.env.PATH ?? ''];
    const mark = join(folder, 'id');
    // The real one, stopped before its first word.
    writeFileSync(
      join(folder, 'redis-server'),
      `#!/bin/sh\necho $$ > '${mark.replaceAll("'", "'\\''")}'\nkill -STOP $$\n`,
      {
        mode: 0o755,
      },
    );
    process.env.PATH = `${folder}:${path}`;
    onTestFinished(() => {
      process.env.PATH = path;
    });
    await expect(startPrivateRedis({ readyMs: 1_000 })).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringContaining('did not start (it was not ready within 1 s)'),
    });
    expect(redisFolders()).toEqual([]);
    const id = Number(readFileSync(mark, 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(id, 0)).toThrow('ESRCH'));
  });

  it('has its socket where nobody else can reach it, and leaves nothing', async () => {
    const { socket, stop } = await startPrivateRedis();
    expect(dirname(dirname(socket))).toBe(privateFolder('redis'));
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    await stop();
    expect(redisFolders()).toEqual([]);
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const)('can be stopped after a %s', async (signal) => {
    const { stop } = await startPrivateRedis();
    const id = serverId();
    process.kill(id, signal);
    // Its end has been heard of, where it ends.
    while (signal !== 'SIGSTOP' && existsSync(`/proc/${id}`)) await new Promise((resolve) => setTimeout(resolve, 10));
    await stop();
    expect(redisFolders()).toEqual([]);
  });

  it('removes what a controller that was killed left', async () => {
    const left = placed(`${deadId()}-abcdef`);
    mkdirSync(left);
    writeFileSync(join(left, 'socket'), '');
    await startAndStop();
    expect(existsSync(left)).toBe(false);
  });

  it('leaves alone what a living process has, and what has no process in its name', async () => {
    const kept = [placed('1-abcdef'), placed('NaN-abcdef'), placed('-1-abcdef')];
    for (const path of kept) mkdirSync(path);
    await startAndStop();
    expect(kept.map((path) => existsSync(path))).toEqual([true, true, true]);
  });

  it('follows no link', async () => {
    const precious = join(tempFolder(), 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), 'x');
    symlinkSync(precious, placed(`${deadId()}-abcdef`));
    await startAndStop();
    expect(existsSync(join(precious, 'file'))).toBe(true);
  });
});

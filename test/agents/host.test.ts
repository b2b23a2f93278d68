import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';

describe.skipIf(process.getuid?.() !== 0)('predict-agent (needs root for its network namespaces)', () => {
  it('holds to every fact of its own checks', async () => {
    const { agent } = await buildHostPrograms();
    const script = join(projectRoot(), 'agents', 'host', 'check.sh');
    const result = await execa('sh', [script, dirname(agent)], { reject: false, timeout: 300_000 });
    expect(result.stdout).toMatch(/^\d\d+ facts checked, 0 not so$/m);
    expect(result.exitCode).toBe(0);
  });

  it('probe counts the flow, whichever of its two connections comes first', async () => {
    const { agent } = await buildHostPrograms();
    const words = ['probe', '--listen', '127.0.0.1:0', '--seconds', '1', '--warm-bytes', '1000', '--ping-after', '0'];
    const receiving = execa(agent, words, { reject: false });
    const [said] = await once(receiving.stderr, 'data');
    const port = Number(/listening (\d+)/.exec(String(said))?.[1]);
    const connectTo = async (): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    };
    const message = await connectTo();
    const flow = await connectTo();
    message.write('x');
    for (let piece = 0; piece < 20; piece += 1) {
      flow.write(Buffer.alloc(10_000));
      await delay(10);
    }
    flow.end();
    const { exitCode, stdout, stderr } = await receiving;
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ role: 'receiver', totalBytes: 200_000, complete: true });
    message.destroy();
  });

  it('keep-groups keeps the groups of a program that means to change them, where the kernel would', async () => {
    const { agent } = await buildHostPrograms();
    const change = ['setpriv', '--groups', '4242', 'id', '-G'];
    const run = (...words: string[]) => execa('/usr/bin/env', words, { reject: false });
    const own = ['unshare', '--map-root-user'];
    expect((await run(...own, ...change)).stderr).toMatch(/Operation not permitted/);
    const kept = await run(...own, agent, 'keep-groups', '--', ...change);
    expect([kept.exitCode, kept.stdout.split(' ').includes('4242')]).toEqual([0, false]);
    const free = await run(agent, 'keep-groups', '--', ...change);
    expect([free.exitCode, free.stdout, free.stderr]).toEqual([1, '', expect.stringMatching(/groups can change here/)]);
    const absent = await run(...own, agent, 'keep-groups', '--', '/nonexistent');
    expect([absent.exitCode, absent.stderr]).toEqual([1, expect.stringMatching(/cannot be started \(No such file/)]);
  });

  it('sample counts what all processes of its PID namespace use, also those that have ended', async () => {
    const { agent } = await buildHostPrograms();
    const burn = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; times';
    const script = '{ sleep 0.2; sh -c "$2" >&2; sleep 0.1; } | "$1" sample --hz 20 --cgroup /proc';
    const words = ['--pid', '--fork', '--mount-proc', 'sh', '-c', script, 'sh', agent, burn];
    const { stdout, stderr } = await execa('unshare', words);
    const busy = [...stdout.matchAll(/cpu\.busy_ns\tcgroup\t(\d+)/g)].map(([, value]) => Number(value) / 1e9);
    // What the shell that burned says of itself, user and system.
    const [user = Number.NaN, system = Number.NaN] = [...stderr.matchAll(/0m([\d.]+)s/g)].map(([, value]) =>
      Number(value),
    );
    const used = (busy.at(-1) ?? Number.NaN) - (busy[0] ?? Number.NaN);
    expect(user + system).toBeGreaterThan(0.05);
    expect(used).toBeGreaterThan(user + system - 0.03);
    expect(used).toBeLessThan(user + system + 0.1);
    expect(busy).toEqual(busy.toSorted((a, b) => a - b));
  });

  it('guard ends its command when the controller is gone, and passes its exit code on otherwise', async () => {
    const { agent } = await buildHostPrograms();
    const kept = execa(agent, ['guard', '--', 'sh', '-c', 'exit 7'], { reject: false });
    expect((await kept).exitCode).toBe(7);
    const left = execa(
      agent,
      ['guard', '--grace', '1', '--', 'sh', '-c', 'trap "" TERM; echo ready; sleep 900; sleep 900'],
      {
        reject: false,
        timeout: 300_000,
      },
    );
    await once(left.stdout, 'data');
    left.stdin?.end();
    // 128 + SIGKILL: TERM was ignored.
    expect((await left).exitCode).toBe(137);
  });
});

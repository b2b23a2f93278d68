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

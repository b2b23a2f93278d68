import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { FlowProducer, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { projectRoot } from '../../../base/paths.ts';
import { type FleetWorker, type Order, orderSchema } from '../../../orchestrator/fleet/fleet-records.ts';
import { tempFolder } from '../../experiments/make.ts';
import { freePort } from '../../faults/fleet/parties.ts';
import { runPredict } from '../../run-predict.ts';
import { noRedis } from '../queue/cells.ts';
import { follow, server, work } from './fleet.ts';

const ESCAPES = '\u001b]0;owned\u0007\u001b[2J';

function queueOf(connection: Redis, name: string): Queue {
  const queue = new Queue(name, { connection });
  onTestFinished(() => queue.close());
  return queue;
}

/** The order of a campaign that is queued for a worker that came before. */
async function queued(redis: Redis): Promise<Order> {
  const worker: FleetWorker = {
    ...{ id: 'earlier', site: 'site-a', controller: 'x', at: new Date().toISOString(), hosts: 2, ranksPerNode: 1 },
    ...{ cluster: 'fake', launcher: 'openmpi', lineRateBps: 1e9, memoryPerNode: null, datasets: [], slots: null },
    ...{ doing: null, cannot: {} },
  };
  await redis.hset('predict:workers', worker.id, JSON.stringify(worker));
  const campaigns = queueOf(redis, 'predict-fleet');
  return await vi.waitFor(async () => {
    const [job] = await campaigns.getJobs();
    return orderSchema.parse(job?.data);
  }, 20_000);
}

/** A campaign with one cell, as somebody with the owner's password could queue it before all others. */
async function plant(connection: Redis, data: unknown): Promise<void> {
  const flow = new FlowProducer({ connection });
  onTestFinished(() => flow.close());
  const key = 'f'.repeat(16);
  const cell = { name: 'cell', queueName: `predict-cells-${key}-site-a-2`, opts: { jobId: 'cell-0123456789abcdef' } };
  const opts = { jobId: `${key}-site-a`, priority: 1 };
  await flow.add({ name: 'site-a', queueName: 'predict-fleet', data, opts, children: [cell] });
}

describe.skipIf(noRedis)('a hostile owner (needs redis-server)', () => {
  it.each<[string, (order: Order) => unknown]>([
    ['a plan of 10^12 cells', (order) => ({ ...order, sweep: { ...order.sweep, reps: 1e12 } })],
    ['shell commands', (order) => ({ ...order, workload: { ...order.workload, kind: 'pipeline' } })],
    ['a path as its key', (order) => ({ ...order, key: '../../../etc/x' })],
    ['a path as its site', (order) => ({ ...order, site: '../site-a' })],
    ['terminal escapes as its name', (order) => ({ ...order, name: ESCAPES })],
    ['another program', (order) => ({ ...order, workload: { ...order.workload, command: ['/bin/sh', '-c', 'id'] } })],
    ['no fields', () => ({})],
    ['a text', () => 'x'.repeat(1 << 20)],
  ])('with %s keeps nobody from other campaigns, and starts nothing', async (_, change) => {
    const { socket, redis } = await server();
    const owner = follow(socket);
    const order = await queued(redis);
    const other = { ...order, key: 'f'.repeat(16), name: 'other' };
    await plant(redis, change(other));
    const { world, notes } = work(socket);
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4 }]);
    expect(world.asked.join('\n')).not.toMatch(/\/bin\/sh -c id/);
    const { stdout, stderr } = await runPredict(['queue', '--redis', socket]);
    expect(`${stdout}${stderr}`).not.toContain('\u001b');
    expect(notes.join('\n')).not.toMatch(/TypeError|undefined/);
  });

  it.each([
    ['a cell that nobody planned', 'cell-ffffffffffffffff'],
    ['a path', 'cell-../../../../etc/passwd'],
    ['an id of its own', 'x'],
  ])('who queues %s in a campaign of others costs that job alone', async (_, jobId) => {
    const { socket, redis } = await server();
    const owner = follow(socket);
    const order = await queued(redis);
    const [cells = ''] = (await redis.keys(`bull:predict-cells-${order.key}-*:meta`)).map((key) => key.split(':')[1]);
    await queueOf(redis, cells).add('cell', { deep: [1] }, { jobId, priority: 1 });
    work(socket);
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
  });
});

describe.skipIf(noRedis)('a hostile worker (needs redis-server)', () => {
  it('that says anything of itself, of hosts and of cells changes nothing of a campaign', async () => {
    const { socket, redis } = await server();
    const owner = follow(socket);
    const order = await queued(redis);
    const id = '0'.repeat(16);
    await redis.hset('predict:workers', 'a', 'not JSON', 'b', '{}', 'c', JSON.stringify({ id: ESCAPES, hosts: 1e300 }));
    const offer = { worker: 'nobody', sha256: 'a'.repeat(64), bytes: 2 ** 50 };
    await redis.hset(`predict:offers:${order.key}:site-a`, {
      ...{ [id]: JSON.stringify(offer), '../x': JSON.stringify(offer), __proto__x: '{}' },
      inventory: JSON.stringify({ hosts: [{ name: ESCAPES }] }),
    });
    work(socket);
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
    const { stdout } = await runPredict(['queue', '--redis', socket]);
    expect(stdout).not.toContain('\u001b');
  });

  it('that offers cells which it does not have is asked, and others measure them', async () => {
    const { socket, redis } = await server();
    const owner = follow(socket, { times: { roundMs: 100 } });
    const order = await queued(redis);
    const offer = JSON.stringify({ worker: 'nobody', sha256: 'a'.repeat(64), bytes: 1000 });
    const [cells = ''] = (await redis.keys(`bull:predict-cells-${order.key}-*:meta`)).map((key) => key.split(':')[1]);
    for (const job of await queueOf(redis, cells).getJobs()) {
      await redis.hset(`predict:offers:${order.key}:site-a`, String(job.id).replace('cell-', ''), offer);
    }
    work(socket);
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
  });
});

describe.skipIf(noRedis)('users of a Redis, one per role, as the documentation has them (needs redis-server)', () => {
  async function withUsers(): Promise<{ readonly url: (user: string) => string; readonly redis: Redis }> {
    const folder = tempFolder();
    const users = /```text\n(user owner [^`]+)```/.exec(
      readFileSync(join(projectRoot(), 'docs/cluster.md'), 'utf8'),
    )?.[1];
    writeFileSync(join(folder, 'users.acl'), `user default on nopass ~* &* +@all\n${users}`);
    const port = await freePort();
    const words = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--aclfile', join(folder, 'users.acl')];
    const child = spawn('redis-server', [...words, '--dir', folder], { stdio: 'ignore' });
    const redis = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 });
    redis.on('error', () => undefined);
    onTestFinished(() => {
      redis.disconnect();
      child.kill('SIGKILL');
    });
    await redis.ping();
    const passwords: Readonly<Record<string, string>> = {
      owner: 'PASSWORD1',
      'site-a': 'PASSWORD2',
      looks: 'PASSWORD3',
    };
    return { redis, url: (user) => `redis://${user}:${passwords[user]}@127.0.0.1:${port}` };
  }

  it('are enough for what each does', async () => {
    const { redis, url } = await withUsers();
    const owner = follow(url('owner'));
    work(url('site-a'));
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
    const { exitCode, stdout } = await runPredict(['queue', '--redis', url('looks')]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('site-a-1')]);
    const refused = (await redis.call('ACL', 'LOG')) as readonly unknown[];
    expect(refused.map(String).filter((text) => !text.includes('looks'))).toEqual([]);
  });

  it('let a worker do nothing at other sites, and who looks do nothing', async () => {
    const { url } = await withUsers();
    const [worker, looks] = [new Redis(url('site-a')), new Redis(url('looks'))];
    onTestFinished(() => {
      worker.disconnect();
      looks.disconnect();
    });
    const key = '0'.repeat(16);
    for (const name of [`bull:predict-cells-${key}-site-b-2:wait`, `predict:offers:${key}:site-b`, 'elsewhere'])
      await expect(worker.hset(name, 'a', 'b')).rejects.toThrow(/NOPERM/);
    for (const command of ['FLUSHALL', 'KEYS', 'SHUTDOWN'])
      await expect(worker.call(command, 'x')).rejects.toThrow(/NOPERM/);
    await expect(looks.hset('predict:workers', 'a', 'b')).rejects.toThrow(/NOPERM/);
    await expect(looks.eval("return redis.call('del', KEYS[1])", 1, 'predict:workers')).rejects.toThrow(
      /can't run this/,
    );
    const { exitCode, stderr } = await runPredict(['queue', 'cancel', 'campaign', '--redis', url('looks')]);
    expect([exitCode, stderr]).toEqual([expect.any(Number), expect.not.stringMatching(/\n\s+at /)]);
    expect(exitCode).not.toBe(0);
  });
});

describe('a hostile server', () => {
  /** A server that answers each command with what stands for Redis' words. */
  async function answering(reply: (text: string) => string): Promise<string> {
    const sockets = new Set<Socket>();
    const listener = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        for (const _ of bytes.toString('latin1').matchAll(/\*\d+\r\n\$/g))
          socket.write(reply(bytes.toString('latin1')));
      });
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      listener.close();
    });
    const address = listener.address();
    return `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  it.each<[string, (text: string) => string]>([
    ['texts of other protocols', () => 'HTTP/1.1 200 OK\r\n\r\n'],
    ['numbers for everything', (text) => (/ping/i.test(text) ? '+PONG\r\n' : ':1\r\n')],
    ['errors for everything', (text) => (/ping/i.test(text) ? '+PONG\r\n' : `-ERR ${ESCAPES}\r\n`)],
    ['lists for everything', (text) => (/ping/i.test(text) ? '+PONG\r\n' : '*2\r\n$1\r\na\r\n$2\r\n{}\r\n')],
  ])('that answers %s is one that failed, in a sentence', async (_, reply) => {
    const redis = await answering(reply);
    const { exitCode, stderr } = await runPredict(['queue', '--redis', redis]);
    expect(stderr).not.toMatch(/\n\s+at |\u001b/);
    expect([0, 3]).toContain(exitCode);
  });
});

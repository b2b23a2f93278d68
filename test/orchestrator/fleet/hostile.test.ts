import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Order, orderSchema } from '../../../orchestrator/fleet/fleet-records.ts';
import { startPrivateRedis } from '../../../orchestrator/queue/redis.ts';
import { runPredict } from '../../run-predict.ts';
import { noRedis } from '../queue/cells.ts';
import { follow, work } from './fleet.ts';

const ESCAPES = '\u001b]0;owned\u0007\u001b[2J';

async function server() {
  const { socket, stop } = await startPrivateRedis();
  const redis = new Redis(socket);
  onTestFinished(async () => {
    redis.disconnect();
    await stop();
  });
  return { socket, redis };
}

function queueOf(connection: Redis, name: string): Queue {
  const queue = new Queue(name, { connection });
  onTestFinished(() => queue.close());
  return queue;
}

/** The order of a campaign that is queued, and its job. */
async function queued(redis: Redis): Promise<{ readonly order: Order; readonly campaigns: Queue }> {
  const campaigns = queueOf(redis, 'predict-fleet');
  return await vi.waitFor(async () => {
    const [job] = await campaigns.getJobs();
    return { order: orderSchema.parse(job?.data), campaigns };
  }, 20_000);
}

/** A campaign as somebody with the owner's password could queue it, with one cell. */
async function plant(redis: Redis, campaigns: Queue, { key, site, ...order }: Order): Promise<void> {
  const parent = { id: `${key}-${site}`, queue: campaigns.qualifiedName };
  await queueOf(redis, `predict-cells-${key}-${site}-2`).add('cell', null, { jobId: 'cell-0123456789abcdef', parent });
  await campaigns.add(site, { key, site, ...order }, { jobId: parent.id, priority: 1 });
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
    const { order, campaigns } = await queued(redis);
    const other = { ...order, key: 'f'.repeat(16), name: 'other' };
    await plant(redis, campaigns, change(other) as Order);
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
    const { order } = await queued(redis);
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
    const { order } = await queued(redis);
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
    const { order } = await queued(redis);
    const offer = JSON.stringify({ worker: 'nobody', sha256: 'a'.repeat(64), bytes: 1000 });
    const [cells = ''] = (await redis.keys(`bull:predict-cells-${order.key}-*:meta`)).map((key) => key.split(':')[1]);
    for (const job of await queueOf(redis, cells).getJobs()) {
      await redis.hset(`predict:offers:${order.key}:site-a`, String(job.id).replace('cell-', ''), offer);
    }
    work(socket);
    expect(await owner.result).toMatchObject([{ planned: 4, done: 4, unmeasured: [] }]);
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
    expect(stderr).not.toMatch(/ at .+:\d+|\u001b/);
    expect([0, 3]).toContain(exitCode);
  });
});

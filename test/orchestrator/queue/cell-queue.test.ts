import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CellQueue, type HeldCell, type QueueTimes } from '../../../orchestrator/queue/cell-queue.ts';
import { type PrivateRedis, startPrivateRedis } from '../../../orchestrator/queue/redis.ts';
import { cells, noRedis, runQueue } from './cells.ts';

const NONE: ReadonlySet<string> = new Set();

async function server(): Promise<PrivateRedis> {
  const redis = await startPrivateRedis();
  onTestFinished(() => redis.stop());
  return redis;
}

interface Of extends QueueTimes {
  readonly name?: string;
}

async function controller({ socket }: PrivateRedis, { name = 'sweep', ...times }: Of = {}): Promise<CellQueue> {
  const queue = await CellQueue.open(socket, name, times);
  onTestFinished(() => queue.close());
  return queue;
}

async function claimed(queue: CellQueue): Promise<HeldCell> {
  const claim = await queue.claim();
  if (claim === null) throw new Error('the queue is empty');
  return claim;
}

describe.skipIf(noRedis)('controllers that share a server (needs redis-server)', () => {
  it('share the cells of one sweep: each is claimed once', async () => {
    const redis = await server();
    const [one, two] = [await controller(redis), await controller(redis)];
    await one.enqueue(cells(4), NONE);
    await two.enqueue(cells(4), NONE);
    const ids: string[] = [];
    for (const queue of [one, two, two, one]) {
      const claim = await claimed(queue);
      ids.push(claim.id);
      await queue.settle(claim, { kind: 'done' });
    }
    expect(ids).toEqual(cells(4).map(({ id }) => id));
    expect([await one.claim(), await two.claim()]).toEqual([null, null]);
  });

  it('do not touch the cells of another sweep, whatever ends one of them', async () => {
    const redis = await server();
    const other = await controller(redis, { name: 'another sweep' });
    await other.enqueue(cells(2), NONE);
    const [plan, base] = [cells(2), { redis: redis.socket, name: 'sweep', done: NONE, isDone: async () => false }];
    await runQueue({ ...base, plan, run: async () => undefined });
    const failing = runQueue({ ...base, plan, run: () => Promise.reject(new Error('broken')) });
    await expect(failing).rejects.toThrow('broken');
    expect((await claimed(other)).id).toBe(plan[0]?.id);
  });

  it('take back at once what they had claimed before they were killed, and nothing of others', async () => {
    const redis = await server();
    const killed = await controller(redis, { token: 'one', waits: false });
    await killed.enqueue(cells(3), NONE);
    const other = await controller(redis, { token: 'two', waits: false });
    const before = [await claimed(killed), await claimed(other)].map(({ id }) => id);
    const again = await controller(redis, { token: 'one', waits: false });
    await again.enqueue([], NONE);
    const after = [await claimed(again), await claimed(again), await again.claim()].map((claim) => claim?.id);
    expect(after).toEqual([before[0], cells(3)[2]?.id, undefined]);
  });

  it('find the cells of a controller that ended early, each once and in order', async () => {
    const redis = await server();
    const first = await CellQueue.open(redis.socket, 'sweep');
    await first.enqueue(cells(3), NONE);
    await first.settle(await claimed(first), { kind: 'untried' });
    await first.close();
    const second = await controller(redis);
    await second.enqueue(cells(3), NONE);
    const ids: string[] = [];
    for (let claim = await second.claim(); claim; claim = await second.claim()) {
      ids.push(claim.id);
      await second.settle(claim, { kind: 'done' });
    }
    expect(ids).toEqual(cells(3).map(({ id }) => id));
  });

  it('wait for a cell that another one holds, and get it when it is given back', async () => {
    const redis = await server();
    const [one, two] = [await controller(redis), await controller(redis)];
    await one.enqueue(cells(1), NONE);
    const claim = await claimed(one);
    const waiting = two.claim();
    await one.settle(claim, { kind: 'untried' });
    expect((await waiting)?.id).toBe(claim.id);
  });

  it('get cells that were given back in the order of the plan, whoever gave them back first', async () => {
    const redis = await server();
    const [one, two] = [await controller(redis), await controller(redis)];
    await one.enqueue(cells(4), NONE);
    const held = [await claimed(one), await claimed(two), await claimed(one)];
    for (const claim of held) await one.settle(claim, { kind: 'untried' });
    const ids: string[] = [];
    for (let claim = await two.claim(); claim; claim = await two.claim()) {
      ids.push(claim.id);
      await two.settle(claim, { kind: 'done' });
    }
    expect(ids).toEqual(cells(4).map(({ id }) => id));
  });

  it('leave a cell whose claim ran out to whoever has it then', async () => {
    const redis = await server();
    const [one, two] = [await controller(redis), await controller(redis)];
    await one.enqueue(cells(1), NONE);
    const frozen = await claimed(one);
    // A suspended machine as the server sees it: the lock has run out, and the next look for stalled jobs finds that.
    const connection = new Redis(redis.socket);
    await connection.del(`bull:sweep:${frozen.job.id}:lock`, 'bull:sweep:stalled-check');
    await connection.sadd('bull:sweep:stalled', String(frozen.job.id));
    connection.disconnect();
    await two.enqueue([], NONE);
    const again = await claimed(two);
    expect(again.id).toBe(frozen.id);
    await one.settle(frozen, { kind: 'done' });
    const held = new Redis(redis.socket);
    expect(await held.lrange('bull:sweep:active', 0, -1)).toEqual([again.job.id]);
    held.disconnect();
    await two.settle(again, { kind: 'done' });
    expect(await two.claim()).toBeNull();
  });

  it.each([
    ['done', 0],
    ['hopeless', 0],
    ['untried', 1],
  ] as const)('settle a cell whose claim ran out and that nobody else has: %s', async (kind, turns) => {
    const redis = await server();
    const queue = await controller(redis);
    await queue.enqueue(cells(1), NONE);
    const claim = await claimed(queue);
    // A clock that jumps ahead takes the lock away at once.
    const connection = new Redis(redis.socket);
    await connection.del(`bull:sweep:${claim.job.id}:lock`);
    connection.disconnect();
    await queue.settle(claim, { kind, reason: 'the link is gone' });
    const again = await queue.claim();
    expect(again?.id).toBe(turns === 1 ? claim.id : undefined);
  });

  it('say that keys of theirs were written over', async () => {
    const redis = await server();
    const queue = await controller(redis);
    await queue.enqueue(cells(1), NONE);
    const connection = new Redis(redis.socket);
    for (const key of await connection.keys('bull:*')) await connection.set(key, 'text');
    connection.disconnect();
    await expect(queue.claim()).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringMatching(/^The Redis server of the queue rejects commands \(.*WRONGTYPE/),
    });
  });

  it('may add a cell again that was given up', async () => {
    const queue = await controller(await server());
    await queue.enqueue(cells(1), NONE);
    await queue.settle(await claimed(queue), { kind: 'hopeless', reason: 'the link is gone' });
    expect(await queue.claim()).toBeNull();
    await queue.enqueue(cells(1), NONE);
    expect((await claimed(queue)).id).toBe(cells(1)[0]?.id);
  });
});

describe.skipIf(noRedis)('jobs (needs redis-server)', () => {
  it('carry the id of their cell and nothing else', async () => {
    const redis = await server();
    const queue = await controller(redis);
    await queue.enqueue(cells(1), NONE);
    const { job, id } = await claimed(queue);
    expect([job.id, job.data]).toEqual([`cell-${id}`, null]);
  });

  it('that name no cell of the plan are said and dropped, never run', async () => {
    const redis = await server();
    const stranger = new Queue('sweep', { connection: { path: redis.socket } });
    onTestFinished(() => stranger.close());
    for (const jobId of ['../../precious', 'cell-../../precious']) {
      await stranger.add('cell', { id: '../../precious' }, { jobId, lifo: true });
    }
    const [ran, unknown]: [number[], string[]] = [[], []];
    await runQueue({
      ...{ redis: redis.socket, name: 'sweep', plan: cells(2) },
      run: async ({ rep }) => void ran.push(rep),
      onUnknown: (id) => void unknown.push(id),
    });
    expect([ran, unknown]).toEqual([
      [1, 2],
      ['../../precious', '../../precious'],
    ]);
    expect(await stranger.getJobCountByTypes('wait', 'prioritized', 'delayed', 'active', 'failed')).toBe(0);
  });
});

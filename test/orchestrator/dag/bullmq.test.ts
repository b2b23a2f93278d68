import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DagLine, DagRun } from '../../../experiments/dag/dag-records.ts';
import type { Cell } from '../../../experiments/records.ts';
import { bullmqSource, parseQueues } from '../../../orchestrator/dag/bullmq/bullmq-source.ts';
import { CellQueue } from '../../../orchestrator/queue/cell-queue.ts';
import { type PrivateRedis, reachRedis, startPrivateRedis } from '../../../orchestrator/queue/redis.ts';

let redis: PrivateRedis;
beforeAll(async () => {
  redis = await startPrivateRedis();
});
afterAll(() => redis.stop());

async function watch(
  queues: string,
  { periods, whileWatching }: { periods: number; whileWatching?: () => Promise<void> },
) {
  const lines: DagLine[] = [];
  const begun: Omit<DagRun, 'schema'>[] = [];
  const stop = new AbortController();
  const source = bullmqSource({ server: redis.socket, queues: parseQueues(queues), capacity: 5, periodS: 0.6, hz: 20 });
  const done = source.watch(
    {
      onBegin: (run) => void begun.push(run),
      onLine: (line) => {
        lines.push(line);
        if (lines.filter(({ kind }) => kind === 'period').length >= periods) stop.abort();
      },
      onPrinted: () => undefined,
    },
    stop.signal,
  );
  await whileWatching?.();
  return { end: await done, run: begun[0], periods: lines.filter((line) => line.kind === 'period') };
}

describe('queues of BullMQ', () => {
  it('tell which workers are busy and which queue is full', async () => {
    const connection = await reachRedis(redis.socket);
    const [parse, load] = [new Queue('parse', { connection }), new Queue('load', { connection })];
    await parse.addBulk(Array.from({ length: 60 }, (_, id) => ({ name: 'job', data: { id } })));
    const workers = [
      new Worker('parse', async () => void (await Promise.all([sleep(60), load.add('job', {})])), {
        connection: await reachRedis(redis.socket),
      }),
      new Worker('load', () => sleep(5), { connection: await reachRedis(redis.socket) }),
    ];
    const { run, periods } = await watch('parse,load', { periods: 2 });
    await Promise.all(workers.map((worker) => worker.close(true)));
    await Promise.all([parse.close(), load.close()]);
    connection.disconnect();
    expect(run?.edges.map(({ id }) => id)).toEqual(['producer>parse', 'parse>load']);
    const last = periods.at(-1);
    expect(last?.vertices.parse?.processing[0]).toBeGreaterThan(0.8);
    expect(last?.vertices.load?.processing[0]).toBeLessThan(0.7);
    expect(last?.edges['producer>parse']?.buffer).toEqual([1]);
    expect(last?.edges['parse>load']?.buffer?.[0]).toBeLessThan(0.5);
    expect(last?.vertices.parse?.records).toBeGreaterThan(2);
    expect(last?.vertices.producer?.processing).toEqual([]);
  });

  it("shows predict's own queue of cells", async () => {
    const queue = await CellQueue.open(redis.socket, 'predict-test');
    const cells = Array.from({ length: 8 }, (_, id) => ({ id: `cell-${id}` })) as unknown as Cell[];
    await queue.enqueue(cells, new Set());
    const claim = await queue.claim();
    const { periods } = await watch('predict-test', { periods: 1 });
    expect(periods[0]?.vertices['predict-test']?.processing).toEqual([1]);
    expect(periods[0]?.edges['producer>predict-test']).toMatchObject({ buffer: [1] });
    if (claim) await queue.settle(claim, { kind: 'done' });
    await queue.close();
  });

  it('names the queues there are, and ends when the server is gone', async () => {
    await expect(watch('nothing', { periods: 1 })).rejects.toThrow(
      /there is no queue 'nothing'\. There are .*predict-test/,
    );
    const { end } = await watch('predict-test', {
      periods: 99,
      whileWatching: async () => {
        await sleep(500);
        await redis.stop();
      },
    });
    expect(end.fault).toMatchObject({ kind: 'infrastructure' });
  });

  it.each([
    ['a number for all', ':1\r\n', ':1\r\n', /replies to PING with 1, so it is not Redis/],
    ['nothing', '*-1\r\n', '*-1\r\n', /replies to PING with null, so it is not Redis/],
    ['a text', '+PONG\r\n', '$5\r\nhello\r\n', /cannot be queried: its replies are not those of a Redis server\.$/],
    ['a list of nothing', '+PONG\r\n', '*-1\r\n', /cannot be queried: its replies are not those of a Redis server\.$/],
    ['numbers in a list', '+PONG\r\n', '*2\r\n:1\r\n:2\r\n', /cannot be queried: its replies are not those/],
  ])('of a server that answers %s are refused in a sentence', async (_, pong, other, said) => {
    const info = 'redis_version:7.0.0\r\nloading:0\r\n';
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        const asked = data.toString().match(/^\*\d+\r\n\$\d+\r\n\w+/gm) ?? [];
        for (const words of asked) {
          if (/info$/i.test(words)) socket.write(`$${info.length}\r\n${info}\r\n`);
          else socket.write(/ping$/i.test(words) ? pong : other);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const source = bullmqSource({ server: address, queues: parseQueues('a'), capacity: 5, periodS: 0.6, hz: 20 });
      const nobody = { onBegin: () => undefined, onLine: () => undefined, onPrinted: () => undefined };
      await expect(source.watch(nobody, new AbortController().signal)).rejects.toThrow(said);
    } finally {
      server.close();
    }
  });

  it('are a chain, or what each is fed by', () => {
    expect(parseQueues('a,b')).toEqual([
      { name: 'a', from: null },
      { name: 'b', from: 'a' },
    ]);
    expect(parseQueues('a>b,a>c')).toEqual([
      { name: 'a', from: null },
      { name: 'b', from: 'a' },
      { name: 'c', from: 'a' },
    ]);
    expect(() => parseQueues('a,,b')).toThrow(/is not a queue/);
  });
});

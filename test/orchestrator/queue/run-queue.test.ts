import { execFileSync } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PredictError } from '../../../base/errors.ts';
import type { Cell } from '../../../experiments/records.ts';
import { HostLost } from '../../../orchestrator/hosts/lost-hosts.ts';
import { reachRedis, startPrivateRedis } from '../../../orchestrator/queue/redis.ts';
import type { QueueOptions, QueueOutcome } from '../../../orchestrator/queue/run-queue.ts';
import { cells, noRedis, redisFolders, runQueue, serverId } from './cells.ts';

const linkGone = (): PredictError => new PredictError('the link is gone', { kind: 'infrastructure' });

const start = (run: QueueOptions['run'], change: Partial<QueueOptions> = {}): Promise<QueueOutcome> =>
  runQueue({ run, ...change });

describe.skipIf(noRedis)('working off a queue (needs redis-server)', () => {
  it('runs each cell once, in the order of the plan, and leaves no server behind', async () => {
    const order: number[] = [];
    await start(async ({ rep }) => void order.push(rep), { plan: cells(12) });
    expect(order).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(redisFolders()).toEqual([]);
  });

  it('ends at once when nothing is left to do', async () => {
    const plan = cells(3);
    const outcome = await start(() => Promise.reject(new Error('ran')), {
      plan,
      done: new Set(plan.map(({ id }) => id)),
    });
    expect(outcome).toEqual({ unmeasured: [] });
  });

  it('tries an infrastructure fault again before the next cell has its turn', async () => {
    const tries: string[] = [];
    const retries: [number, number, string][] = [];
    const { unmeasured } = await start(
      async ({ rep }, attempt) => {
        tries.push(`${rep}.${attempt}`);
        if (rep === 1 && attempt < 3) throw linkGone();
      },
      { onRetry: ({ rep }, attempt, reason) => void retries.push([rep, attempt, reason]) },
    );
    expect(unmeasured).toEqual([]);
    expect(tries).toEqual(['1.1', '1.2', '1.3', '2.1', '3.1']);
    expect(retries).toEqual([
      [1, 1, 'the link is gone'],
      [1, 2, 'the link is gone'],
    ]);
  });

  it('gives a cell up after three tries, naming the last reason', async () => {
    const givenUp: number[] = [];
    const { unmeasured } = await start(
      async ({ rep }) => {
        if (rep === 2) throw linkGone();
      },
      { onGivenUp: ({ rep }) => void givenUp.push(rep) },
    );
    expect(unmeasured.map(({ cell: { rep }, reason }) => [rep, reason])).toEqual([[2, 'the link is gone']]);
    expect(givenUp).toEqual([2]);
  });

  it.each([
    ['two cells fail in the same way', ['n1: the link is 20 % off', 'n2: the link is 30 % off'], 2],
    ['three in a row are given up, each in its own way', ['no link', 'no launcher', 'no disk'], 3],
  ])('stops when %s', async (_, faults, tried) => {
    const tries: number[] = [];
    const { unmeasured } = await start(
      async ({ rep }) => {
        tries.push(rep);
        throw new PredictError(faults[rep - 1] ?? 'more', { kind: 'infrastructure' });
      },
      { plan: cells(6) },
    );
    expect(unmeasured.map(({ reason }) => reason)).toEqual(faults);
    expect([...new Set(tries)]).toHaveLength(tried);
  });

  it('goes on when a cell was measured between those that were given up', async () => {
    const tries: string[] = [];
    const { unmeasured } = await start(
      async ({ rep }, attempt) => {
        tries.push(`${rep}.${attempt}`);
        if (attempt < 3 || [1, 3, 5].includes(rep)) throw linkGone();
      },
      { plan: cells(5) },
    );
    expect(unmeasured.map(({ cell: { rep } }) => rep)).toEqual([1, 3, 5]);
    expect(tries.slice(-4)).toEqual(['4.3', '5.1', '5.2', '5.3']);
  });

  it('ends with any other error at once', async () => {
    let runs = 0;
    const failing = start(async () => {
      runs += 1;
      throw new PredictError('the disk is full', { kind: 'unwritable' });
    });
    await expect(failing).rejects.toThrow('the disk is full');
    expect(runs).toBe(1);
    expect(redisFolders()).toEqual([]);
  });

  it('settles a cell that the store has without running it', async () => {
    const order: number[] = [];
    const isDone = async ({ rep }: Cell): Promise<boolean> => rep === 2;
    await start(async ({ rep }) => void order.push(rep), { isDone });
    expect(order).toEqual([1, 3]);
  });

  it('runs nothing when it was aborted before', async () => {
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
    };
    await expect(start(run, { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'interrupted' });
    expect(runs).toBe(0);
  });

  it('waits for the running cell at an abort and runs no other', async () => {
    const controller = new AbortController();
    const ended: number[] = [];
    const run = async ({ rep }: Cell): Promise<void> => {
      controller.abort();
      await Promise.resolve();
      ended.push(rep);
    };
    await expect(start(run, { signal: controller.signal })).rejects.toMatchObject({ kind: 'interrupted' });
    expect(ended).toEqual([1]);
    expect(redisFolders()).toEqual([]);
  });

  it('is not closed before a cell has ended that was not waited for any more', async () => {
    const controller = new AbortController();
    const steps: string[] = [];
    const run = async (): Promise<void> => {
      controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 500));
      steps.push('stored');
    };
    await start(run, { signal: controller.signal, times: { abortMs: 10 } }).catch(() => steps.push('closed'));
    expect(steps).toEqual(['stored', 'closed']);
  });

  it('does not wait for a second try at an abort', async () => {
    const controller = new AbortController();
    const stopped = start(() => Promise.reject(linkGone()), {
      plan: cells(1),
      signal: controller.signal,
      onRetry: () => controller.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ kind: 'interrupted' });
  });

  it('says that a server that is not there does not answer', async () => {
    const absent = start(async () => undefined, { redis: '/nowhere/socket' });
    await expect(absent).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringContaining('/nowhere'),
    });
  });

  it('does not wait for a server that takes connections and says nothing', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    await expect(reachRedis(`127.0.0.1:${port}`, { readyMs: 300 })).rejects.toMatchObject({
      kind: 'infrastructure',
      message: expect.stringMatching(/127\.0\.0\.1:\d+ does not respond: it took longer than 0\.3 s\.$/),
    });
  });

  it('gives a cell up at once when a host that it needs is lost, and goes on with the others, however many', async () => {
    const [tries, givenUp]: [string[], number[]] = [[], []];
    const { unmeasured } = await start(
      async ({ rep }, attempt) => {
        tries.push(`${rep}.${attempt}`);
        if (rep <= 5) throw new HostLost('n4 is gone', { host: 'n4', isHead: false });
      },
      { plan: cells(7), onGivenUp: ({ rep }) => void givenUp.push(rep) },
    );
    expect(tries).toEqual(['1.1', '2.1', '3.1', '4.1', '5.1', '6.1', '7.1']);
    expect(givenUp).toEqual([1, 2, 3, 4, 5]);
    expect(unmeasured.map(({ reason }) => reason)).toEqual(Array(5).fill('n4 is gone'));
  });

  it('ends when the host is lost that starts every run', async () => {
    let runs = 0;
    const ended = start(async () => {
      runs += 1;
      throw new HostLost('n1 is gone', { host: 'n1', isHead: true });
    });
    await expect(ended).rejects.toMatchObject({ kind: 'infrastructure', host: 'n1' });
    expect(runs).toBe(1);
  });

  it('starts another server when its own is killed, and runs no cell twice', async () => {
    const [order, notes]: [number[], string[]] = [[], []];
    const done = new Set<string>();
    const outcome = await start(
      async ({ id, rep }) => {
        if (rep === 2) {
          process.kill(serverId(), 'SIGKILL');
          // The queue has heard of it, and the cell is measured all the same.
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
        order.push(rep);
        done.add(id);
      },
      { plan: cells(4), isDone: async ({ id }) => done.has(id), onNote: (text) => void notes.push(text) },
    );
    expect([outcome.unmeasured, order]).toEqual([[], [1, 2, 3, 4]]);
    expect(notes).toEqual([
      expect.stringMatching(/^The Redis server of the queue was lost: .* Starting another one\.$/),
    ]);
    expect(redisFolders()).toEqual([]);
  });

  it('does not start servers for ever', async () => {
    const ended = start(
      async () => {
        process.kill(serverId(), 'SIGKILL');
      },
      { plan: cells(9) },
    );
    await expect(ended).rejects.toMatchObject({ kind: 'infrastructure', exitCode: 3 });
    expect(redisFolders()).toEqual([]);
  });

  it('ends, after the running cell, when a server that is not its own is gone, whether killed or silent', async () => {
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      const server = await startPrivateRedis();
      const id = serverId();
      let ended = 0;
      const working = start(
        async () => {
          process.kill(id, signal);
          await new Promise((resolve) => setTimeout(resolve, 100));
          ended += 1;
        },
        { redis: server.socket, times: { aliveMs: 50 } },
      );
      await expect(working).rejects.toMatchObject({
        kind: 'infrastructure',
        message: expect.stringMatching(/rerun the same command/),
      });
      expect(ended).toBe(1);
      await server.stop();
    }
  });

  it('does not wait for ever for a cell that goes on after an abort', async () => {
    const controller = new AbortController();
    const stuck = start(
      () => {
        controller.abort();
        return new Promise(() => undefined);
      },
      { signal: controller.signal, times: { abortMs: 100 } },
    );
    await expect(stuck).rejects.toMatchObject({ kind: 'interrupted' });
  });

  it('goes on after this process paused for longer than its claims last', async () => {
    const order: number[] = [];
    const done = new Set<string>();
    const outcome = await start(
      async ({ id, rep }) => {
        // Nothing runs in this process meanwhile, as in one that was suspended.
        if (rep === 2) execFileSync('sleep', ['1.5']);
        order.push(rep);
        done.add(id);
      },
      { plan: cells(4), isDone: async ({ id }) => done.has(id), times: { lockMs: 200, aliveMs: 50 } },
    );
    expect([outcome.unmeasured, order]).toEqual([[], [1, 2, 3, 4]]);
  });
});

import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { PredictError } from '../../base/index.ts';
import type { Cell } from '../../experiments/index.ts';
import { runQueue } from '../../orchestrator/queue/run-queue.ts';

const cell = (index: number): Cell => ({
  id: String(index).padStart(16, '0'),
  workload: 'graph500',
  nodes: 4,
  ranks: 4,
  scale: 12,
  bw: 100,
  rep: index,
  role: 'measure',
  roots: 4,
});
const cells = [cell(1), cell(2), cell(3)];
const redisFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`predict-redis-${process.pid}-`));

describe.skipIf(!existsSync('/usr/bin/redis-server'))('the queue (needs redis-server)', () => {
  const start = (run: (cell: Cell, attempt: number) => Promise<void>, signal = new AbortController().signal) =>
    runQueue({ redis: undefined, name: 'predict-test', cells, signal, run, onRetry: () => undefined });

  it('runs each cell once, in order, and leaves no server behind', async () => {
    const order: number[] = [];
    await start(async ({ rep }) => void order.push(rep));
    expect(order).toEqual([1, 2, 3]);
    expect(redisFolders()).toEqual([]);
  });

  it('tries an infrastructure fault again while the others go on', async () => {
    const tries: string[] = [];
    const { unmeasured } = await start(async ({ rep }, attempt) => {
      tries.push(`${rep}.${attempt}`);
      if (rep === 1 && attempt < 3) throw new PredictError('the link is gone', { kind: 'infrastructure' });
    });
    expect(unmeasured).toEqual([]);
    expect(tries.filter((name) => name.startsWith('1.'))).toEqual(['1.1', '1.2', '1.3']);
    expect(tries.indexOf('2.1')).toBeLessThan(tries.indexOf('1.3'));
  });

  it('names the cells that no try could measure', async () => {
    const { unmeasured } = await start(async ({ rep }) => {
      if (rep === 2) throw new PredictError('the link is gone', { kind: 'infrastructure' });
    });
    expect(unmeasured.map(({ cell: { rep }, reason }) => [rep, reason])).toEqual([[2, 'the link is gone']]);
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

  it('runs nothing when it was aborted before', async () => {
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
    };
    await expect(start(run, AbortSignal.abort())).rejects.toMatchObject({ kind: 'interrupted' });
    expect(runs).toBe(0);
  });

  it('stops at an abort', async () => {
    const controller = new AbortController();
    const stopped = start(async () => controller.abort(), controller.signal);
    await expect(stopped).rejects.toMatchObject({ kind: 'interrupted' });
    expect(redisFolders()).toEqual([]);
  });
});

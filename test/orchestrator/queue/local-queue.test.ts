import { expect, it } from 'vitest';
import { infrastructure } from '../../../base/errors.ts';
import type { QueueOptions } from '../../../orchestrator/queue/run-queue.ts';
import { tempFolder } from '../../experiments/make.ts';
import { cells, runQueue } from './cells.ts';

/** Runs cells where no redis-server is on the PATH. */
async function withoutRedis(options: Pick<QueueOptions, 'run'> & Partial<QueueOptions>) {
  const { PATH } = process.env;
  process.env.PATH = tempFolder();
  try {
    return await runQueue(options);
  } finally {
    process.env.PATH = PATH;
  }
}

it('without redis-server the cells are queued in this process, in the order of the plan, without a word about it', async () => {
  const [ran, notes] = [[] as number[], [] as string[]];
  const plan = cells(4);
  const outcome = await withoutRedis({
    plan,
    done: new Set([plan[2]?.id ?? '']),
    run: async ({ rep }) => void ran.push(rep),
    onNote: (text) => void notes.push(text),
  });
  expect([outcome.unmeasured, ran]).toEqual([[], [1, 2, 4]]);
  expect(notes).toEqual([]);
});

it('a cell that fails is tried again there and given up after its last try', async () => {
  const tries: string[] = [];
  const { unmeasured } = await withoutRedis({
    plan: cells(2),
    run: async ({ rep }, attempt) => {
      tries.push(`${rep}.${attempt}`);
      if (rep === 1) throw infrastructure('a host is gone');
    },
  });
  expect(tries).toEqual(['1.1', '1.2', '1.3', '2.1']);
  expect(unmeasured.map(({ reason }) => reason)).toEqual(['a host is gone']);
});

it('an interrupt ends the sweep, and the cell that ran is not counted', async () => {
  const controller = new AbortController();
  const run = async (): Promise<void> => controller.abort();
  await expect(withoutRedis({ plan: cells(3), run, signal: controller.signal })).rejects.toMatchObject({
    kind: 'interrupted',
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ahead, tellOfWork, working } from '../../base/working.ts';

afterEach(() => tellOfWork(null));

test('what takes long is told a few times a second, not at every step, and to nobody who did not ask', async () => {
  await delay(Math.max(0, 2001 - performance.now()));
  const told: string[] = [];
  working('counting', 0, 5);
  tellOfWork((text) => told.push(text));
  for (let step = 1; step <= 1000; step += 1) working('counting', step, 1000);
  expect(told).toEqual(['counting: 1 of 1000']);
  await delay(250);
  working('adding');
  expect(told).toEqual(['counting: 1 of 1000', 'adding ...']);
});

test('the rest is reckoned from the pace so far', async () => {
  const told: string[] = [];
  tellOfWork((text) => told.push(text));
  const startMs = performance.now();
  working('reading', 0, 40);
  await delay(1000);
  const soonestMs = performance.now() - startMs;
  working('reading', 10, 40);
  const latestMs = performance.now() - startMs;
  const left = Number(/^reading: 10 of 40, about (\d+) s left$/.exec(told.at(-1) ?? '')?.[1]);
  expect(left).toBeGreaterThanOrEqual(Math.floor((3 * soonestMs) / 1000));
  expect(left).toBeLessThanOrEqual(Math.ceil((3 * latestMs) / 1000));
});

test('the pace of work that begins anew is its own', () => {
  const told: string[] = [];
  tellOfWork((text) => told.push(text));
  const clock = vi.spyOn(performance, 'now');
  onTestFinished(() => clock.mockRestore());
  const at = (ms: number, step: number): void => {
    clock.mockReturnValue(1e6 + ms);
    working('drawing', step, 40);
  };
  for (const [ms, step] of [
    [0, 0],
    [100, 39],
    [9000, 0],
    [9500, 1],
    [10_000, 2],
  ] as const)
    at(ms, step);
  expect(told.slice(-2)).toEqual(['drawing: 1 of 40, about 20 s left', 'drawing: 2 of 40, about 19 s left']);
});

test('the next two are begun before the caller is done with one, never more', async () => {
  const seen: string[] = [];
  const made = ahead([1, 2, 3, 4], async (item) => {
    seen.push(`begun ${item}`);
    return item * 10;
  });
  for await (const one of made) seen.push(`got ${one}`);
  const order = ['begun 1', 'begun 2', 'begun 3', 'got 10', 'begun 4', 'got 20', 'got 30', 'got 40'];
  expect(seen).toEqual(order);
});

test('an error comes with its own item, and is nobody else’s when the caller stops before', async () => {
  const failing = (at: number) =>
    ahead([1, 2, 3], async (item) => {
      if (item === at) throw new Error(`no ${item}`);
      return item;
    });
  const got: number[] = [];
  const all = async (): Promise<void> => {
    for await (const one of failing(2)) got.push(one);
  };
  await expect(all()).rejects.toThrow('no 2');
  expect(got).toEqual([1]);
  for await (const one of failing(2)) if (one === 1) break;
  for await (const _ of ahead([], async () => expect.fail())) expect.fail();
});

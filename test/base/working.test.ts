import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { tellOfWork, working } from '../../base/working.ts';

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

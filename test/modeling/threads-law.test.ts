import { expect, test } from 'vitest';
import { fitThreadsLaw } from '../../modeling/answers/threads-law.ts';

/** Amdahl's law by hand: a serial share of one second, and noise of either sign. */
const runsOf = (serial: number, counts: readonly number[]) =>
  counts.flatMap((threads) =>
    [0.99, 1.01].map((noise) => ({ threads, ct: (serial + (1 - serial) / threads) * noise })),
  );

test.each([
  [0.1, [1, 2, 4], 8, 1 / (0.1 + 0.9 / 8)],
  [0.5, [1, 2], 4, 1.6],
])(
  'of a serial part of %d, known with %j threads, %d threads bring a speedup of %d',
  (serial, counts, threads, speedup) => {
    const law = fitThreadsLaw(runsOf(serial, counts));
    expect(law?.serialPercent.value).toBeCloseTo(100 * serial, 6);
    expect(law?.twice).toMatchObject({ threads });
    expect(law?.twice.speedup.value).toBeCloseTo(speedup, 6);
    expect(law?.twice.ct.value).toBeCloseTo(1 / speedup, 6);
    expect(law?.twice.ct.low).toBeLessThan(law?.twice.ct.value ?? 0);
    expect(law?.twice.ct.high).toBeGreaterThan(law?.twice.ct.value ?? 0);
  },
);

test('runs with one number of threads, or slower with more, have no law', () => {
  expect(fitThreadsLaw(runsOf(0.5, [2]))).toBeNull();
  expect(fitThreadsLaw(runsOf(1.2, [1, 2]))).toBeNull();
  expect(fitThreadsLaw([])).toBeNull();
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMonitorFolder } from '../../../../analysis/sources/monitor/read-folder.ts';
import { folderOf, names, stat, T0, values, writeFiles } from './encode.ts';

const count = fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1));
/** Sums stay below 2^53, where numbers are exact. */
const large = fc.oneof(count, fc.nat(2 ** 45));
/** Steps of the clock, ns. */
const step = fc.bigInt({ min: 1n, max: 10n ** 12n });

/** Periods of some rows of differences each; the first row of values is the one since boot. */
const table = (value: fc.Arbitrary<number>, fields: number) =>
  fc.integer({ min: 1, max: 5 }).chain((width) =>
    fc.array(
      fc.record({
        step,
        rows: fc.array(fc.array(value, { minLength: fields, maxLength: fields }), {
          minLength: width,
          maxLength: width,
        }),
      }),
      { minLength: 2, maxLength: 12 },
    ),
  );

type Table = readonly { readonly step: bigint; readonly rows: readonly (readonly number[])[] }[];

function timesOf(periods: Table): bigint[] {
  let time = T0;
  return periods.map(({ step: by }) => {
    time += by;
    return time;
  });
}

/** Rate times duration, which gives back what was counted. */
function expectTotals(
  metric: { readonly startNs: Float64Array; readonly endNs: Float64Array; readonly rates?: Float64Array } | undefined,
  expected: readonly number[],
): void {
  const totals = [...(metric?.rates ?? [])].map(
    (rate, index) => (rate * ((metric?.endNs[index] ?? 0) - (metric?.startNs[index] ?? 0))) / 1e9,
  );
  expect(totals).toHaveLength(expected.length);
  for (const [index, total] of totals.entries()) {
    const want = expected[index] ?? Number.NaN;
    expect(Math.abs(total - want)).toBeLessThanOrEqual(1e-12 * want);
  }
}

test('CPUs: seconds of work come back as they were counted', async () => {
  const folder = await folderOf({});
  await fc.assert(
    fc.asyncProperty(table(count, 10), async (periods) => {
      const times = timesOf(periods);
      const records = periods.map(({ rows }, index) => stat(times[index] ?? 0n, rows));
      await writeFiles(folder, { 'proc-stat-a': records });
      const { metrics, originNs } = await readMonitorFolder(folder);
      expect(originNs).toBe(times[0]);
      const jiffies = ([user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0]: readonly number[]) =>
        user + nice + system + irq + softirq + steal;
      expectTotals(
        metrics[0],
        periods.slice(1).map(({ rows }) => rows.reduce((sum, row) => sum + jiffies(row), 0) / 100),
      );
      expect([...(metrics[0]?.endNs ?? [])]).toEqual(times.slice(1).map((time) => Number(time - originNs)));
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['network: bytes', 'proc-net-dev-a', 4, [0, 2], 1],
  ['disks: sectors of 512 bytes', 'proc-diskstats-a', 7, [1, 4], 512],
] as const)('%s come back as they were counted', async (_, name, fields, columns, bytes) => {
  const folder = await folderOf({});
  await fc.assert(
    fc.asyncProperty(table(large, fields), async (periods) => {
      const times = timesOf(periods);
      const devices = (periods[0]?.rows ?? []).map((_row, index) => `sd${'abcde'[index]}`);
      const records = periods.map(({ rows }, index) => values(times[index] ?? 0n, rows));
      await writeFiles(folder, { [name]: [names(T0, devices), ...records] });
      const { metrics, originNs } = await readMonitorFolder(folder);
      expect(originNs).toBe(T0);
      expect(metrics).toHaveLength(columns.length);
      for (const [at, column] of columns.entries()) {
        expectTotals(
          metrics[at],
          periods.slice(1).map(({ rows }) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0) * bytes),
        );
      }
    }),
    { numRuns: 100 },
  );
});

import { expect, test } from 'vitest';
import { readCellUse } from '../../experiments/store/host-use.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { goodRecord, newCampaign, nth } from './make.ts';

const START_NS = 1_714_557_600_000_000_000n;

/** Readings each half second: half a core of two is used, 1000 bytes a second are sent by each of two interfaces, and received before a throttle's own device. */
function readings(seconds: number): string {
  const lines = [
    `${START_NS}\tcpu.capacity_mcores\tall\t8000`,
    `${START_NS}\tcpu.share_mcores\tall\t2000`,
    ...Array.from({ length: seconds * 2 + 1 }, (_, half) => {
      const at = START_NS + BigInt(half) * 500_000_000n;
      const bytes = half * 500;
      return [
        `${at}\tcpu.busy_ns\tcgroup\t${half * 250_000_000}`,
        ...['eth0', 'eth1'].map((name) => `${at}\tnet.tx_bytes\t${name}\t${bytes}`),
        `${at}\tnet.rx_bytes\teth0\t${bytes * 9}`,
        `${at}\tnet.rx_bytes\tpredict-ifb0\t${bytes * 3}`,
      ].join('\n');
    }),
  ];
  return `${lines.join('\n')}\n`;
}

test.each([
  [10, 10],
  [100, 60],
])('of a run of %i s the last %i s are read, each host by itself', async (seconds, kept) => {
  const { dir, cells } = await newCampaign();
  const cell = nth(cells, 0);
  const samples = ['n1', 'n2'].map((host) => ({ host, text: readings(host === 'n1' ? seconds : 2) }));
  await writeCell(dir, goodRecord(cell), { stdout: '', stderr: '', samples });
  const use = await readCellUse(dir, cell.id);
  const endedAt = new Date(Number(START_NS / 1_000_000n) + seconds * 1000).toISOString();
  expect(use).toMatchObject({ id: cell.id, seconds: kept, endedAt });
  const known = (values: readonly number[]): readonly number[] => values.filter((value) => !Number.isNaN(value));
  const first = use?.hosts.find(({ host }) => host === 'n1');
  expect(known(first?.cpuPercent ?? []).length).toBeGreaterThan(15);
  for (const value of known(first?.cpuPercent ?? [])) expect(value).toBeCloseTo(25, 6);
  for (const value of known(first?.outBps ?? [])) expect(value).toBeCloseTo(16_000, 6);
  for (const value of known(first?.inBps ?? [])) expect(value).toBeCloseTo(24_000, 6);
  // Its counters ended long before.
  expect(use?.hosts.map(({ host }) => host)).toEqual(kept < seconds ? ['n1'] : ['n1', 'n2']);
});

test('a cell that was not sampled tells nothing', async () => {
  const { dir, cells } = await newCampaign();
  expect(await readCellUse(dir, nth(cells, 0).id)).toBeNull();
});

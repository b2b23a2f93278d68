import { describe, expect, test } from 'vitest';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { cellModel } from '../../../../analysis/sources/runs/cell-model.ts';
import type { Counter } from '../../../../experiments/store/read-traces.ts';
import { consumed, cpu, makeCounter, makeRecord, makeTrace } from './make-run.ts';

const platform = await loadPlatform('graph500');

const idle = (host: string, metric: string): Counter =>
  makeCounter(host, metric, [
    [0, 0],
    [100, 0],
  ]);

function capacityOf(
  path: string,
  {
    bw = 10,
    lineRateBps = 200e6,
    quota = [],
    slow = null,
  }: {
    readonly bw?: number;
    readonly lineRateBps?: number;
    readonly quota?: readonly Counter[];
    /** Whose link was accepted at 15 Mbit/s out and 14.48 in. */
    readonly slow?: string | null;
  },
): number {
  const hosts = ['a', 'b'];
  const counters = hosts.flatMap((host) => [
    cpu(host, [
      [0, 0],
      [100, 0],
    ]),
    idle(host, 'net.rx_bytes'),
    idle(host, 'net.tx_bytes'),
  ]);
  const trace = makeTrace(
    [
      [0, 'construct', 0, 100],
      [1, 'construct', 0, 100],
    ],
    [...counters, ...quota],
  );
  const record = makeRecord({ hosts, bw });
  const accepted = {
    proof: { bw, rateBps: 2e7, probes: [{ host: 'a', outBps: 15e6, inBps: 14.48e6 }], classes: [] },
    marks: slow === null ? [] : [{ kind: 'link-accepted' as const, host: slow, text: '' }],
  };
  const { model } = cellModel({ ...record, ...accepted }, trace, { platform, lineRateBps, cores: 3 });
  return consumed(model, path).capacity;
}

const quotaOf = (host: string, ...millicores: readonly number[]): Counter =>
  makeCounter(
    host,
    'cpu.capacity_mcores',
    millicores.map((value, at) => [50 * at, value]),
  );

describe("processors' capacity", () => {
  test("is the host's own quota in cores, the other hosts keep theirs", () => {
    const quota = [quotaOf('a', 500, 500)];
    expect(capacityOf('/host[host=a]/cpu', { quota })).toBe(0.5);
    expect(capacityOf('/host[host=b]/cpu', { quota })).toBe(3);
  });

  test('is the last quota that was read', () => {
    expect(capacityOf('/host[host=a]/cpu', { quota: [quotaOf('a', 4000, 1500)] })).toBe(1.5);
  });

  test('is the number of cores where no quota was read, or one of 0', () => {
    expect(capacityOf('/host[host=a]/cpu', {})).toBe(3);
    expect(capacityOf('/host[host=a]/cpu', { quota: [quotaOf('a', 0)] })).toBe(3);
  });
});

describe("the link's capacity in bytes per second", () => {
  test.each([
    { bw: 10, lineRateBps: 200e6, bytes: 2.5e6 },
    { bw: 100, lineRateBps: 200e6, bytes: 25e6 },
    { bw: 2.5, lineRateBps: 1e9, bytes: 3.125e6 },
  ])('at $bw % of $lineRateBps bit/s is $bytes in both directions', ({ bytes, ...options }) => {
    expect(capacityOf('/host[host=a]/network/bytes-in', options)).toBe(bytes);
    expect(capacityOf('/host[host=b]/network/bytes-out', options)).toBe(bytes);
  });

  test('of a host whose slow link was accepted is what its slower probe reached, with headers', () => {
    // 14.48 Mbit/s of a stream are 15.14 Mbit/s on the link.
    expect(capacityOf('/host[host=a]/network/bytes-in', { slow: 'a' })).toBeCloseTo(15.14e6 / 8, 3);
    expect(capacityOf('/host[host=b]/network/bytes-in', { slow: 'a' })).toBe(2.5e6);
    expect(capacityOf('/host[host=a]/network/bytes-in', {})).toBe(2.5e6);
  });
});

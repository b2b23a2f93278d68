import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asBitsPerSecond } from '../../base/units.ts';
import { burstBytes } from '../../throttle/burst.ts';
import { judgeProbes, judgeRun, linkUse } from '../../throttle/proof.ts';
import type { LinkState } from '../../throttle/state.ts';

const counters = (bytes: number) => ({ rateBps: 20e6, bytes, drops: 0, overlimits: 0 });
const state = (change: Partial<LinkState> & { bytes?: number } = {}): LinkState => ({
  interface: 'eth0',
  state: 'throttled',
  rateBps: 20e6,
  leaseEndsInS: 50,
  owner: 'ann',
  expired: false,
  keeper: true,
  uptimeS: 100,
  interfaceBytes: { out: change.bytes ?? 0, in: change.bytes ?? 0 },
  classes: { out: counters(change.bytes ?? 0), in: counters(change.bytes ?? 0) },
  qdisc: '',
  ...change,
});
const judge = (before: LinkState, after: LinkState, rate: number | null = 20e6): string | null => {
  const rateBps = rate === null ? null : asBitsPerSecond(rate);
  return judgeRun({ rateBps, before: new Map([['n1', before]]), after: new Map([['n1', after]]), communicates: true });
};

describe('probes', () => {
  it('prove a rate that they nearly reach', () => {
    expect(judgeProbes([{ host: 'n1', outBps: 19.1e6, inBps: 18.8e6 }], asBitsPerSecond(20e6))).toBeNull();
  });

  it.each([
    ['out', { outBps: 21e6, inBps: 19e6 }],
    ['in', { outBps: 19e6, inBps: 10e6 }],
  ])('doubt one that is off (%s)', (direction, goodput) => {
    expect(judgeProbes([{ host: 'n1', ...goodput }], asBitsPerSecond(20e6))).toMatch(
      new RegExp(`on n1 reached .* ${direction}, `),
    );
  });
});

describe('a run', () => {
  it('is a measurement when bytes passed below the rate', () => {
    expect(judge(state(), state({ uptimeS: 110, bytes: 20e6 }))).toBeNull();
  });

  it('is not held to the mark of a lease that ran out before it', () => {
    const free = { state: 'free', rateBps: null, keeper: false, classes: null, expired: true } as const;
    expect(judge(state(free), state({ ...free, uptimeS: 110, bytes: 20e6 }), null)).toBeNull();
  });

  it.each([
    ['no byte passed', state(), state({ uptimeS: 110 }), 20e6, /no byte/],
    ['the mean rate was above the set one', state(), state({ uptimeS: 110, bytes: 30e6 }), 20e6, /was set/],
    ['the lease ran out', state(), state({ uptimeS: 110, bytes: 1e6, expired: true }), 20e6, /lease/],
    [
      'its keepers are dead',
      state(),
      state({ uptimeS: 110, bytes: 1e6, keeper: false }),
      20e6,
      /watchdog of n1 has ended/,
    ],
    ['the link was restored', state(), state({ uptimeS: 110, bytes: 1e6, state: 'free' }), 20e6, /free after/],
    ['the rate was another', state({ rateBps: 40e6 }), state({ bytes: 1e6 }), 20e6, /was set to 40 Mbit/],
    ['a baseline was throttled', state(), state({ bytes: 1e6 }), null, /not free/],
  ])('is none when %s', (_, before, after, rate, reason) => {
    expect(judge(before, after, rate)).toMatch(reason);
  });
});

describe('the use of a link', () => {
  it('is what its counters grew by, per second between the readings', () => {
    const busy = state({ uptimeS: 110, bytes: 20e6 });
    const counted = {
      ...busy,
      classes: { out: { ...counters(20e6), drops: 7, overlimits: 9 }, in: counters(10e6) },
    };
    expect(linkUse('n1', state(), counted)).toEqual([
      { host: 'n1', direction: 'out', bytes: 20e6, overlimits: 9, drops: 7, averageBps: 16e6 },
      { host: 'n1', direction: 'in', bytes: 10e6, overlimits: 0, drops: 0, averageBps: 8e6 },
    ]);
  });

  it('of a free link is that of its interface', () => {
    const free = (uptimeS: number, out: number) =>
      state({ state: 'free', classes: null, uptimeS, interfaceBytes: { out, in: 2 * out } });
    expect(linkUse('n1', free(100, 0), free(100.5, 1e6))).toEqual([
      { host: 'n1', direction: 'out', bytes: 1e6, overlimits: 0, drops: 0, averageBps: 16e6 },
      { host: 'n1', direction: 'in', bytes: 2e6, overlimits: 0, drops: 0, averageBps: 32e6 },
    ]);
  });

  it('of two readings within a hundredth of a second, or of a counter that began anew, is finite and not negative', () => {
    expect(linkUse('n1', state({ bytes: 0 }), state({ bytes: 1000 }))[0]?.averageBps).toBe(800_000);
    expect(linkUse('n1', state({ bytes: 5000 }), state({ bytes: 0 }))[0]).toMatchObject({ bytes: 0, averageBps: 0 });
  });
});

describe('the burst', () => {
  it('lasts from 1 to 4 ms, but holds a dozen packets', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e6, max: 400e9, noNaN: true }), (rate) => {
        const ms = (burstBytes(asBitsPerSecond(rate)) * 8 * 1000) / rate;
        return (
          burstBytes(asBitsPerSecond(rate)) >= 18_168 &&
          ms > 0.99 &&
          (ms < 4.01 || burstBytes(asBitsPerSecond(rate)) === 18_168)
        );
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asBitsPerSecond } from '../../base/units.ts';
import { burstBytes } from '../../throttle/link-command.ts';
import {
  acceptedLinks,
  judgeBalance,
  judgeFreeProbes,
  judgeLatency,
  judgeProbes,
  judgeRun,
  linkUse,
  rateDoubt,
} from '../../throttle/proof.ts';
import type { LinkState } from '../../throttle/state.ts';

const counters = (bytes: number) => ({
  ...{ rateBps: 20e6, bytes, packets: Math.ceil(bytes / 1500), backlogBytes: 0, drops: 0, overlimits: 0 },
});
const state = (change: Partial<LinkState> & { bytes?: number } = {}): LinkState => ({
  interface: 'eth0',
  state: 'throttled',
  rateBps: 20e6,
  latencyMs: 0,
  leaseEndsInS: 50,
  owner: 'ann',
  expired: false,
  keeper: true,
  uptimeS: 100,
  interfaceBytes: { out: change.bytes ?? 0, in: change.bytes ?? 0 },
  classes: { out: counters(change.bytes ?? 0), in: counters(change.bytes ?? 0) },
  ...{ freeBytes: { out: 0, in: 0 }, belowBytes: new Map(), otherBytes: new Map() },
  qdisc: '',
  ...change,
});
const judge = (before: LinkState, after: LinkState, rate: number | null = 20e6, latencyMs = 0): string | null => {
  const rateBps = rate === null ? null : asBitsPerSecond(rate);
  const readings = { before: new Map([['n1', before]]), after: new Map([['n1', after]]) };
  return judgeRun({ rateBps, latencyMs, ...readings, communicates: true, beside: [] });
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

describe('the small messages of probes', () => {
  const probe = (roundTripMs?: number) => [
    { host: 'n1', roundTripMs: 9 },
    { host: 'n2', roundTripMs },
  ];
  it.each([
    ['none is set', probe(0.1), 0, null],
    ['both ends add it', probe(1.01), 0.5, null],
    ['a clock hides some of it', probe(0.98), 0.5, null],
    [
      'one end adds it',
      probe(0.6),
      0.5,
      'the small messages of n2 took 0.6 ms there and back, but both ends add 0.5 ms each',
    ],
    ['none came back', probe(), 2, 'the small messages of n2 had no round trip, but both ends add 2 ms each'],
  ])('are held against a latency: %s', (_, probes, latencyMs, doubt) => {
    expect(judgeLatency(probes, latencyMs)).toBe(doubt);
  });
});

describe('a run', () => {
  it('is a measurement with its latency before and after it, as tc rounds it', () => {
    const [before, after] = [state({ latencyMs: 1.23 }), state({ latencyMs: 1.23, uptimeS: 110, bytes: 20e6 })];
    expect(judge(before, after, 20e6, 1.234)).toBeNull();
    expect(judge(before, { ...after, latencyMs: -1 }, 20e6, 1.234)).toBe(
      'the link of n1 added 1.23 ms before and more than one latency after the run, not 1.234 ms',
    );
    expect(judge(before, after)).toMatch(/not 0 ms$/);
  });

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
    [
      'nearly all went past the class',
      state(),
      state({ ...{ uptimeS: 110, bytes: 1_000 }, interfaceBytes: { out: 5e9, in: 5e9 } }),
      20e6,
      /n1 moved 100 % of its 4.66 GiB \(out\) on eth0 past the throttled class/,
    ],
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

const LINE_BPS = 200e6;
const use = (host: string, direction: 'out' | 'in', mbit: number) => ({
  ...{ host, direction, averageBps: mbit * 1e6 },
  ...{ bytes: mbit * 1e6, overlimits: 0, drops: 0 },
});
/** [sent, received] of each host, Mbit/s. */
const hosts = (...pairs: [number, number][]) =>
  pairs.flatMap(([out, back], index) => [use(`n${index + 1}`, 'out', out), use(`n${index + 1}`, 'in', back)]);

describe('the balance of what hosts sent and received', () => {
  it('holds whichever of them sends most', () => {
    const links = fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.double({ min: 0, max: 200, noNaN: true })), {
      minLength: 1,
    });
    fc.assert(
      fc.property(links, (flows) => {
        const classes = flows.flatMap(([from, to, mbit]) => [
          use(`n${from}`, 'out', mbit),
          use(`n${to}`, 'in', mbit * 0.97),
        ]);
        expect(judgeBalance(classes, LINE_BPS)).toBeNull();
      }),
    );
  });

  it('names the host that sends to others, with the figure', () => {
    expect(judgeBalance(hosts([192, 1], [1, 1], [1, 1], [1, 1]), LINE_BPS)).toEqual({
      host: 'n1',
      text: 'the hosts of the run sent 191 Mbit/s on average that none of them received (n1: 191 Mbit/s more than it received)',
    });
  });

  it('names the host that receives from others', () => {
    expect(judgeBalance(hosts([50, 50], [50, 90]), LINE_BPS)).toMatchObject({
      host: 'n2',
      text: expect.stringContaining('received 40 Mbit/s on average that none of them sent'),
    });
  });

  it.each([
    ['what the controller is sent', hosts([0.3, 0.1], [0.3, 0.1], [0.3, 0.1], [0.3, 0.1])],
    ['a fiftieth of a link', hosts([4, 0], [0, 0])],
    ['losses under load', hosts([180, 170], [175, 165])],
    ['a run without traffic', hosts([0, 0])],
  ])('is not disturbed by %s', (_, classes) => {
    expect(judgeBalance(classes, LINE_BPS)).toBeNull();
  });
});

const LINE = asBitsPerSecond(200e6);

/** A ring in which each host sends to the next one at these rates, Mbit/s. */
const ring = (...mbit: number[]) =>
  mbit.map((out, index) => ({
    host: `n${index + 1}`,
    outBps: out * 1e6,
    inBps: (mbit.at(index - 1) ?? 0) * 1e6,
  }));

describe('the probes of free links', () => {
  it.each([
    ['two hosts', [190, 188]],
    ['three hosts, one a little slow', [190, 140, 188]],
    ['nine hosts of which none fills the link', [90, 95, 80, 92, 88, 91, 70, 93, 89]],
    ['links that are far faster than the line rate', [900, 400, 950]],
  ])('are a baseline: %s', (_, mbit) => {
    expect(judgeFreeProbes(ring(...mbit), LINE)).toBeNull();
  });

  it.each([
    ['of two, one direction is taken', [3.5, 190], 'n1'],
    ['of two, one direction is shared fairly', [190, 95], 'n2'],
    ['of three, one probe is', [190, 188, 95], 'n3'],
    ['of four, both probes of one host are', [95, 190, 190, 95], 'n1'],
    ['of five, both probes of one host are', [190, 4, 3.5, 190, 190], 'n2'],
    ['of four, one is shared fairly and the others hinder each other', [158, 96, 175, 151], 'n2'],
  ])('are none when %s', (_, mbit, host) => {
    expect(judgeFreeProbes(ring(...mbit), LINE)).toMatch(new RegExp(`^the probe from ${host} to .* other traffic`));
  });

  it('say nothing of a slow host that is accepted, and all of another one', () => {
    // The link of n3 is slow, both ways.
    const slow = ring(190, 40, 38, 188, 190);
    expect(judgeFreeProbes(slow, LINE)).toMatch(/^the probe from n2 to n3/);
    expect([judgeFreeProbes(slow, LINE, ['n3']), rateDoubt(slow, LINE, ['n3'])]).toEqual([null, null]);
    expect(judgeFreeProbes(ring(190, 40, 38, 188, 30, 35, 190), LINE, ['n3'])).toMatch(/^the probe from n5 to n6/);
    expect(judgeProbes(slow, LINE)).toMatch(/n2 .* out/);
    expect(judgeProbes(slow, LINE, ['n3'])).toBeNull();
    // Faster than what was set is no proof of it, whoever is accepted.
    expect(judgeProbes(slow, asBitsPerSecond(30e6), ['n3'])).toContain('the probe on n1');
    expect(acceptedLinks(slow, LINE, ['n3'])).toEqual([{ host: 'n3', bps: 38e6 }]);
  });

  it('tell of a line rate that no link reaches', () => {
    expect(rateDoubt(ring(140, 141, 139), LINE)).toEqual({
      ...{ host: 'n3', way: 'below' },
      text: 'its probe reached 139 Mbit/s over the unthrottled link, 70 % of the line rate of 200 Mbit/s',
    });
  });

  it('tell of a line rate that links exceed', () => {
    expect(rateDoubt(ring(190, 940), LINE)).toMatchObject({ host: 'n2', way: 'above' });
  });

  it('say nothing of links near their line rate, nor of a single host', () => {
    expect(rateDoubt(ring(151, 190, 203), LINE)).toBeNull();
    expect([rateDoubt([], LINE), judgeFreeProbes([], LINE)]).toEqual([null, null]);
  });
});

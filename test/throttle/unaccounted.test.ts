import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BothWays, ControllerTraffic, LinkState } from '../../throttle/state.ts';
import { findUnaccounted } from '../../throttle/unaccounted.ts';

/** What a host moved since its links began to count: bytes of each kind, each way the same unless it is said. */
interface Moved {
  readonly uptimeS?: number;
  readonly class?: number;
  readonly free?: Partial<BothWays>;
  /** Of the interface, past both classes. */
  readonly around?: Partial<BothWays>;
  readonly drops?: number;
  readonly waits?: number;
  readonly packets?: number;
  readonly others?: Readonly<Record<string, Partial<BothWays>>>;
  readonly below?: Readonly<Record<string, Partial<BothWays>>>;
  readonly ssh?: ControllerTraffic;
  readonly isFree?: boolean;
}

const none = { sentBytes: 0, receivedBytes: 0, packets: 0 };
const both = ({ out = 0, in: back = 0 }: Partial<BothWays> = {}): BothWays => ({ out, in: back });
const listed = (links: Moved['others'] = {}) =>
  new Map(Object.entries(links).map(([name, bytes]) => [name, both(bytes)] as const));

function state(moved: Moved): LinkState {
  const { class: passed = 0, drops = 0, waits = 0, packets = Math.ceil(passed / 1514), isFree = false } = moved;
  const [free, around] = [both(moved.free), both(moved.around)];
  const counters = { rateBps: 20e6, bytes: passed, packets, backlogBytes: waits, drops, overlimits: 0 };
  return {
    ...{ interface: 'eth0', state: isFree ? 'free' : 'throttled', rateBps: isFree ? null : 20e6 },
    ...{
      latencyMs: 0,
      leaseEndsInS: 50,
      owner: 'ann',
      expired: false,
      keeper: true,
      uptimeS: moved.uptimeS ?? 10,
      qdisc: '',
    },
    interfaceBytes: { out: passed + free.out + around.out, in: passed + free.in + around.in },
    ...{ belowBytes: listed(moved.below), otherBytes: listed(moved.others) },
    classes: isFree ? null : { out: counters, in: counters },
    freeBytes: isFree ? null : free,
    controller: { asked: moved.ssh ?? none, answered: moved.ssh ?? none },
  };
}

const start = (isFree = false): LinkState => state({ uptimeS: 0, isFree });
const find = (moved: Moved, beside: readonly string[] = []): string | null =>
  findUnaccounted({ host: 'h3', before: start(moved.isFree), after: state(moved), beside });

const MIB = 2 ** 20;
const run = { class: 30 * MIB };

describe('what a run moved', () => {
  it('is accounted for when all of it passed the class', () => {
    expect(find(run)).toBeNull();
  });

  it('is not when a quarter of it passed the free class: the share, the way and the interface are named', () => {
    expect(find({ ...run, free: { out: 10 * MIB } })).toBe(
      'h3 moved 25 % of its 40 MiB (out) on eth0 past the throttled class: over the SSH port, or with addresses outside of the data network',
    );
    expect(find({ ...run, free: { in: 10 * MIB } })).toMatch(/^h3 moved 25 % of its 40 MiB \(in\) on eth0/);
  });

  it('is not when the interface counted it and no class did', () => {
    expect(find({ ...run, around: { out: 10 * MIB } })).toMatch(/^h3 moved 25 % of its 40 MiB \(out\) on eth0/);
    expect(find({ class: 1_000, around: { in: 5e9 } })).toMatch(/^h3 moved 100 % of its 4.66 GiB \(in\)/);
  });

  it('may be next to nothing: noise is no other path', () => {
    expect(
      find({ class: 200, free: { out: 60_000, in: 60_000 }, others: { eth1: { out: 50_000, in: 90_000 } } }),
    ).toBeNull();
    expect(find({ class: 200, free: { out: 400_000 } })).toMatch(/\(out\) on eth0/);
  });

  it('has bytes of the controller, wherever its connections go', () => {
    const ssh = { sentBytes: 2 * MIB, receivedBytes: 8 * MIB, packets: 9_000 };
    const [there, back] = [{ out: 8.4 * MIB }, { in: 2.5 * MIB }];
    expect(find({ ...run, free: there })).not.toBeNull();
    expect(find({ ...run, free: { ...there, ...back }, ssh })).toBeNull();
    expect(find({ ...run, others: { eth1: { ...there, ...back } }, ssh })).toBeNull();
  });

  it('has those bytes once: they do not explain two interfaces', () => {
    const ssh = { sentBytes: 0, receivedBytes: 8 * MIB, packets: 6_000 };
    expect(find({ ...run, free: { out: 8 * MIB }, others: { eth1: { out: 8 * MIB } }, ssh })).toMatch(/on eth1 beside/);
  });

  it('may have been dropped, or wait, before the class counts it, on the way in alone', () => {
    expect(find({ ...run, around: { in: 5 * MIB }, drops: 80 })).toBeNull();
    expect(find({ ...run, around: { in: 5 * MIB }, waits: 5 * MIB })).toBeNull();
    expect(find({ ...run, around: { out: 5 * MIB }, drops: 80, waits: 5 * MIB })).toMatch(/\(out\)/);
    // What another class counted was not dropped by this one.
    expect(find({ ...run, free: { in: 5 * MIB }, drops: 80 })).toMatch(/\(in\)/);
  });

  it('has padding and checksums that a class does not count: a run of 54 bytes a packet', () => {
    const packets = 100_000;
    expect(find({ class: 54 * packets, packets, around: { out: 10 * packets, in: 10 * packets } })).toBeNull();
  });
});

describe('another interface', () => {
  it('that carried as much is named, with what to do where that is meant', () => {
    expect(find({ ...run, others: { eth1: { out: 20 * MIB }, eth2: {} } })).toBe(
      'h3 moved 20 MiB (out) on eth1 beside the 30 MiB on eth0, which alone is measured. If that is storage or the like, name eth1 under network.beside in the inventory',
    );
  });

  it('may carry what it likes when the inventory names it', () => {
    expect(find({ ...run, others: { eth1: { out: 90 * MIB, in: 90 * MIB } } }, ['eth1'])).toBeNull();
    expect(find({ ...run, others: { eth1: { out: 90 * MIB }, eth2: { in: 9 * MIB } } }, ['eth1'])).toMatch(/on eth2/);
  });

  it('counts on free links too, which have no class', () => {
    const free = { isFree: true, around: { out: 30 * MIB, in: 30 * MIB } };
    expect(find(free)).toBeNull();
    expect(find({ ...free, others: { ib0: { in: 20 * MIB } } })).toMatch(/^h3 moved 20 MiB \(in\) on ib0/);
  });

  it('of several, each with a little, counts together', () => {
    const rails = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`r${i}`, { out: MIB }]));
    expect(find({ ...run, others: { r0: { out: MIB } } })).toBeNull();
    expect(find({ ...run, others: rails })).toMatch(/on r\d beside/);
  });

  it('that appeared during the run counts from nothing, one that began anew does not count', () => {
    const before = state({ uptimeS: 0, others: { eth1: { out: 500 * MIB } } });
    const after = (others: Moved['others'] = {}) => state({ ...run, others });
    const judge = (others: Moved['others']) =>
      findUnaccounted({ host: 'h3', before, after: after(others), beside: [] });
    expect(judge({ eth1: { out: 500 * MIB }, eth2: { out: 9 * MIB } })).toMatch(/on eth2/);
    expect(judge({ eth1: { out: 3 * MIB } })).toBeNull();
  });

  it('below the data interface carries its bytes too, and is told only by what is more', () => {
    const members = { m0: { out: 16 * MIB, in: 15 * MIB }, m1: { out: 15 * MIB, in: 16 * MIB } };
    expect(find({ ...run, below: members })).toBeNull();
    expect(find({ ...run, below: { ...members, m0: { out: 30 * MIB } } })).toMatch(/on m0 beside/);
    expect(find({ ...run, below: { ...members, m0: { out: 30 * MIB } } }, ['m0'])).toBeNull();
  });
});

describe('any run', () => {
  const bytes = fc.nat(2 ** 31);

  it('is valid where 97 % of its bytes passed the class, and is not where 93 % did and noise does not explain it', () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom('free', 'around'), fc.constantFrom('out', 'in'), (total, where, way) => {
        const part = (share: number): Moved => ({
          ...{ uptimeS: 1, class: total * (1 - share), packets: 0 },
          [where]: { [way]: total * share },
        });
        expect(find(part(0.03))).toBeNull();
        expect(find(part(0.07)) !== null).toBe(total * 0.02 > 78_036 + 1);
      }),
    );
  });

  it('is never made valid by more bytes that went past', () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, bytes, (passed, free, more, other) => {
        const less = find({ class: passed, free: { out: free }, others: { eth1: { out: other } } });
        const worse = find({ class: passed, free: { out: free + more }, others: { eth1: { out: other } } });
        if (less?.includes('past the throttled class')) expect(worse).not.toBeNull();
      }),
    );
  });
});

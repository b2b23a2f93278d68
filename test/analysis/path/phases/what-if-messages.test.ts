import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkQueues } from '../../../../analysis/path/link-queues.ts';
import { type RankMessages, rankMessages, type Sight } from '../../../../analysis/path/phases/rank-messages.ts';
import type { RankPhases } from '../../../../analysis/path/phases/rank-phases.ts';
import { searchGraphs } from '../../../../analysis/path/phases/search-graphs.ts';
import { type Change, whatIf } from '../../../../analysis/path/what-if.ts';
import { mulberry32 } from '../../../../base/lists.ts';
import { times } from '../../../times.ts';
import { recorded, simulateMessages } from './messages.ts';
import { type PacketCosts, simulatePackets } from './packets.ts';

const NS_PER_BYTE = 80;
const grid = { side: 3, levels: 5 };
const hostOf = (rank: number): string => `node${rank}`;

/** Of a search, on links with so many bytes of burst. */
function lengthIf(
  { phases, messages }: { readonly phases: RankPhases; readonly messages: RankMessages },
  changes: readonly Change[],
  burst = 0,
): number | undefined {
  const linkOf = (slower: number) => ({ nsPerByte: NS_PER_BYTE * slower, burstNs: burst * NS_PER_BYTE * slower });
  const links = {
    ...{ hostOf: (rank: number) => rank, queues: () => linkQueues(grid.side ** 2, linkOf(1)) },
    ...{ needNs: (bytes: number) => bytes * NS_PER_BYTE, apartNs: () => 0 },
  };
  return whatIf(searchGraphs(phases, { messages, links }), { changes, hostOf, linkOf })[0];
}

/** Costs by places from a list of numbers from 0 to 1. */
function costsOf(numbers: readonly number[]): PacketCosts {
  const pick = (...places: readonly number[]): number =>
    numbers[places.reduce((sum, place) => sum * 31 + place, 7) % numbers.length] ?? 0;
  return {
    compute: (rank, level) => Math.round(1e6 + 9e6 * pick(rank, level)),
    bytes: (from, to, level) => Math.round(1000 + 60_000 * pick(from, to, level) ** 2),
    nsPerByte: NS_PER_BYTE,
  };
}

const numbers = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 97, maxLength: 97 });
const keys = ['link', 'compute', 'fold transfer', 'fold work', 'idle'] as const;

describe('what if, through recorded messages', () => {
  test('nothing changed is the measured time, to the nanosecond', () => {
    fc.assert(
      fc.property(numbers, (list) => {
        const { phases, messages, lengthNs } = simulatePackets(costsOf(list), grid);
        for (const key of keys) {
          const changes = [{ key, factor: 1 }];
          expect(lengthIf({ phases, messages }, changes)).toBe(lengthNs);
        }
      }),
      { numRuns: times(2) },
    );
  });

  test.each([{ link: 0.5 }, { link: 0.2 }, { link: 3 }, { compute: 0.5 }, { compute: 2 }, { compute: 0.5, link: 2 }])(
    '%o: within 6 % of the same packets simulated with that change, and a quarter of what it changes',
    (change: { link?: number; compute?: number }) => {
      const { link = 1, compute = 1 } = change;
      const changes = Object.entries({ link, compute }).map(([key, factor]) => ({ key, factor }));
      const runs = Array.from({ length: times(6) }, (_, seed) => {
        const costs = costsOf(Array.from({ length: 97 }, mulberry32(seed)));
        const { phases, messages, lengthNs: before } = simulatePackets(costs, grid);
        const truth = simulatePackets(
          { ...costs, compute: (...places) => costs.compute(...places) * compute, nsPerByte: NS_PER_BYTE * link },
          grid,
        ).lengthNs;
        const found = lengthIf({ phases, messages }, changes) ?? 0;
        return { off: Math.abs(found - truth), moved: Math.abs(truth - before), truth };
      });
      const sum = (of: (run: (typeof runs)[number]) => number): number => runs.reduce((all, run) => all + of(run), 0);
      expect(sum(({ off }) => off)).toBeLessThan(0.06 * sum(({ truth }) => truth));
      expect(sum(({ off }) => off)).toBeLessThan(0.25 * sum(({ moved }) => moved));
    },
  );

  test('messages that were handed over before the search leave the times as measured', () => {
    const { phases, messages, lengthNs } = simulatePackets(costsOf(Array.from({ length: 97 }, mulberry32(1))), grid);
    const earlier = (sight: Sight): Sight => (sight.send % 3 === 0 ? { ...sight, handedNs: -1 } : sight);
    const seen = messages.seen.map((sights) => sights.map(earlier));
    const sent = messages.sent.map(earlier).sort((a, b) => a.handedNs - b.handedNs);
    expect(lengthIf({ phases, messages: { ...messages, seen, sent } }, [])).toBe(lengthNs);
  });

  test('less of anything never takes longer, whatever messages were held up by', () => {
    const whole = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 97, maxLength: 97 });
    fc.assert(
      fc.property(whole, fc.constantFrom(...keys), fc.double({ min: 0, max: 1, noNaN: true }), (list, key, factor) => {
        const pick = (...places: readonly number[]): number =>
          list[places.reduce((sum, place) => sum * 31 + place, 3) % list.length] ?? 1;
        const costs = { compute: pick, encode: pick, travel: pick, decode: pick };
        const { phases, messages: sent, path } = simulateMessages(costs, grid);
        const bytes = sent.flatMap(({ from, to }) => [pick(from, to) / 50, pick(from, to) / 50]);
        const messages = rankMessages(recorded(sent, { bytes }), { ranks: 9, onClock: (_, ns) => ns });
        const ask = (own: number): number => lengthIf({ phases, messages }, [{ key, factor: own }], 3000) ?? 0;
        const length = path.at(-1)?.endNs ?? 0;
        expect(ask(1)).toBe(length);
        expect(ask(factor)).toBeLessThanOrEqual(length);
      }),
      { numRuns: times(20) },
    );
  });
});

describe('links as token buckets', () => {
  const rate = { nsPerByte: 8, burstNs: 0 };

  test('a burst passes at once, what follows at the rate, and a pause makes up for it', () => {
    const { hand } = linkQueues(2, { nsPerByte: 1, burstNs: 20_000 });
    const send = (ns: number): number => hand({ from: 0, to: 1, bytes: 14_480, ns });
    // 10 packets of 1514 bytes and the 106 bytes of a message's own.
    expect([send(0), send(0), send(0)]).toEqual([0, 2 * 15_246 - 20_000, 3 * 15_246 - 20_000]);
    expect(send(1e6)).toBe(1e6);
  });

  test('two senders share the link into a host, and two ways of a link nothing', () => {
    const { hand } = linkQueues(3, rate);
    const one = hand({ from: 0, to: 2, bytes: 1448, ns: 0 });
    expect(one).toBe((1514 + 106) * 8);
    expect(hand({ from: 1, to: 2, bytes: 1448, ns: 0 })).toBe(2 * one);
    expect(hand({ from: 2, to: 1, bytes: 1448, ns: 0 })).toBe(one);
  });

  test('what stays on a host takes no time', () => {
    expect(linkQueues(1, rate).hand({ from: 0, to: 0, bytes: 1e6, ns: 5 })).toBe(5);
  });
});

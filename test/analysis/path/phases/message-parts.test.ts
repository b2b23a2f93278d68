import { describe, expect, test } from 'vitest';
import type { LinkQueues } from '../../../../analysis/path/link-queues.ts';
import { inferenceError } from '../../../../analysis/path/phases/cell-paths.ts';
import { type RankMessages, rankMessages } from '../../../../analysis/path/phases/rank-messages.ts';
import { type RankPhases, rankPhases } from '../../../../analysis/path/phases/rank-phases.ts';
import { searchGraphs, searchPaths } from '../../../../analysis/path/phases/search-graphs.ts';
import { searchSummary } from '../../../../analysis/path/run-paths.ts';
import { whatIf } from '../../../../analysis/path/what-if.ts';
import { LINKS, type Message, recorded } from './messages.ts';
import { KINDS } from './simulate.ts';

const MS = 1e6;

interface Given {
  /** Of rank 0 in its fold, ms. */
  readonly asleep: number;
  readonly queued?: number;
  readonly messages: readonly Message[];
}

/** Ranks 0 and 1 of a 2 x 2 grid compute until 20 and 1, then fold until 40 and 2; the others end at once. Times in ms. */
function run({ asleep, queued = 0, messages }: Given): {
  readonly phases: RankPhases;
  readonly messages: RankMessages;
} {
  const rows = [
    [0, 0, 0, 20, 0, 0],
    [1, 0, 0, 1, 0, 0],
    [2, 0, 0, 1, 0, 0],
    [3, 0, 0, 1, 0, 0],
    [0, 1, 20, 40, asleep, queued],
    [1, 1, 1, 2, 0, 0],
  ] as const;
  const column = (index: 0 | 1 | 2 | 3 | 4 | 5, unit = 1): number[] => rows.map((row) => row[index] * unit);
  const phases = rankPhases(
    {
      ...{ rank: column(0), search: rows.map(() => 0), kind: column(1), step: rows.map(() => 0) },
      ...{ startNs: column(2, MS), endNs: column(3, MS), asleepNs: column(4, MS), queuedNs: column(5, MS) },
      bytes: rows.map(() => 0),
    },
    { ranks: 4, kinds: KINDS },
  );
  const inNs = messages.map((one) => ({
    ...one,
    ...{ handed: one.handed * MS, seen: one.seen * MS, waited: one.waited * MS },
  }));
  const bytes = messages.flatMap(({ travels = 0 }) => [travels * MS, travels * MS]);
  return { phases, messages: rankMessages(recorded(inNs, { bytes }), { ranks: 4, onClock: (_, ns) => ns }) };
}

/** Time on the path by key, ms. */
function profile(given: Given, queues: () => LinkQueues = LINKS.queues): Readonly<Record<string, number>> {
  const { phases, messages } = run(given);
  const [search] = searchPaths(phases, { messages, links: { ...LINKS, queues } });
  const { profileNs } = searchSummary(search ?? expect.fail());
  return Object.fromEntries(Object.entries(profileNs).map(([key, ns]) => [key, ns / MS]));
}

/** How long the search would take, ms. */
function changed(given: Given, key: string, factor: number): number {
  const { phases, messages } = run(given);
  const linkOf = (slower: number) => ({ nsPerByte: (slower * 1448) / 1514, burstNs: 0 });
  const graphs = searchGraphs(phases, { messages, links: LINKS });
  const options = { changes: [{ key, factor }], hostOf: (rank: number) => `host${rank}` };
  return (whatIf(graphs, { ...options, linkOf })[0] ?? Number.NaN) / MS;
}

/** Handed over at 2, links are through with it at 5; rank 0 begins to wait at 25 and sees it so much later. */
const message = (wait: number): Message => ({ from: 1, to: 0, handed: 2, seen: 25 + wait, waited: wait, travels: 3 });

describe('a message that links had passed while its receiver was busy', () => {
  // It lay there for 20 before the wait: longer than 15, not longer than 21.
  const short: Given = { asleep: 0, messages: [message(14)] };

  test('had only to be read: the path stays on the receiver', () => {
    expect(profile(short)).toEqual({ compute: 20, 'fold work': 20 });
  });

  test('held its receiver up where the wait is longer than it lay there', () => {
    // Through at 18, the wait begins at 20: 2 are less than 18.
    const long: Given = { asleep: 0, messages: [{ ...message(0), travels: 16, seen: 38, waited: 18 }] };
    expect(profile(long)).toEqual({ compute: 1, 'fold work': 3, 'fold transfer': 36 });
  });

  test('held its receiver up where that slept: links were slower than they should be', () => {
    expect(profile({ ...short, asleep: 14 })).toEqual({
      ...{ compute: 1, 'fold work': 2, 'fold transfer': 37 },
    });
    // What other waits account for tells nothing: here the rank slept while it waited for the message of 39.
    const other: Message = { from: 1, to: 0, handed: 1.5, seen: 22, waited: 1, travels: 0 };
    expect(profile({ asleep: 1, messages: [other, message(14)] })['fold transfer']).toBe(20.5);
  });

  test('is the same for a what-if: without transfers nothing is saved, without work all that the rank did', () => {
    expect(changed(short, 'fold transfer', 0)).toBe(40);
    expect(changed(short, 'fold work', 0)).toBe(20);
    // Where it slept, the message is there 37 after it was handed over, whatever the rank does.
    expect(changed({ ...short, asleep: 14 }, 'fold work', 0)).toBeCloseTo(38, 3);
  });

  test('is the same for the error of inference: both stay on the rank', () => {
    const { phases, messages } = run(short);
    const paths = searchPaths(phases, { messages, links: LINKS });
    expect(inferenceError(searchPaths(phases), paths, KINDS)).toEqual({
      ...{ offShare: 0, onRankShare: 1, hops: { inferred: 0, recorded: 0 } },
    });
  });
});

test('of messages that one look finds, the path goes over the one that links took longest for', () => {
  const seen = { to: 0, seen: 39, waited: 19 };
  const one: Message = { ...seen, from: 1, handed: 1, travels: 36 };
  const later: Message = { ...seen, from: 1, handed: 2, travels: 1 };
  expect(profile({ asleep: 0, messages: [one, later] })['fold transfer']).toBe(38);
});

test('what a rank lacked a processor for is that share of what it did, however many messages one look finds', () => {
  // Read at 39, after 19 of the 20: the rank lacked a processor for 15 of 20.
  const messages = [1, 2, 3].map((handed) => ({ ...message(0), handed, seen: 39, waited: 1 }));
  expect(profile({ asleep: 0, queued: 15, messages })).toEqual({ compute: 20, 'fold work': 5, 'fold idle': 15 });
});

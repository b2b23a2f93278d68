import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inferenceError, inferenceSentence } from '../../../../analysis/path/phases/cell-paths.ts';
import { rankMessages } from '../../../../analysis/path/phases/rank-messages.ts';
import { rankPhases } from '../../../../analysis/path/phases/rank-phases.ts';
import { searchPaths } from '../../../../analysis/path/phases/search-graphs.ts';
import type { SearchPath } from '../../../../analysis/path/run-graph.ts';
import { searchSummary } from '../../../../analysis/path/run-paths.ts';
import { times } from '../../../times.ts';
import { LINKS, type MessageCosts, recorded, simulateMessages } from './messages.ts';
import { KINDS } from './simulate.ts';

const plain = ({ path }: SearchPath) => path.map(({ rank, startNs, endNs, key }) => ({ rank, startNs, endNs, key }));
const onClock = (_: number, ns: number): number => ns;

/** Neighbouring steps under one key on one rank as one: an end of a phase between them changes nothing. */
function joined(path: ReturnType<typeof plain>): ReturnType<typeof plain> {
  const done: ReturnType<typeof plain> = [];
  for (const step of path) {
    const last = done.at(-1);
    if (last?.rank === step.rank && last.key === step.key) done[done.length - 1] = { ...last, endNs: step.endNs };
    else done.push(step);
  }
  return done;
}

describe('paths through recorded messages', () => {
  const costs = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 211, maxLength: 211 });
  const pick =
    (numbers: readonly number[], offset: number, scale = 1) =>
    (...places: number[]): number =>
      Math.ceil((numbers[places.reduce((sum, place) => sum * 31 + place, offset) % 211] ?? 1) / scale);
  const made = (numbers: readonly number[]): MessageCosts => ({
    compute: pick(numbers, 3),
    encode: pick(numbers, 71, 10),
    travel: pick(numbers, 127, 2),
    decode: pick(numbers, 181, 10),
  });

  test('are those that a simulation with known messages took', () => {
    fc.assert(
      fc.property(costs, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), (numbers, side, levels) => {
        const { phases, messages, path } = simulateMessages(made(numbers), { side, levels });
        // Two messages that are seen at once leave two answers.
        fc.pre(new Set(messages.map(({ to, seen }) => `${to} ${seen}`)).size === messages.length);
        const bytes = messages.flatMap(({ travels = 0 }) => [travels, travels]);
        const found = rankMessages(recorded(messages, { bytes }), { ranks: side * side, onClock });
        expect(found.problems).toEqual([]);
        const [search] = searchPaths(phases, { messages: found, links: LINKS });
        expect(joined(plain(search ?? empty))).toEqual(joined([...path]));
        expect(search?.path.filter(({ from }) => from >= 0)).toHaveLength(search?.hops ?? 0);
      }),
      { numRuns: times(40) },
    );
  });

  test('are the same where ids join messages that were recorded out of order', () => {
    const { phases, messages } = simulateMessages(made([5, 9, 2, 7].concat(Array(207).fill(3))), {
      side: 2,
      levels: 3,
    });
    const ids = messages.flatMap((_, index) => [index, index]);
    const options = { ranks: 4, onClock };
    expect(
      searchPaths(phases, { messages: rankMessages(recorded(messages, { id: ids }), options), links: LINKS }),
    ).toEqual(searchPaths(phases, { messages: rankMessages(recorded(messages), options), links: LINKS }));
  });

  const rows = [
    [0, 0, 0, 10, 0, 0],
    [1, 0, 0, 25, 0, 0],
    [2, 0, 0, 5, 0, 0],
    [3, 0, 0, 5, 0, 0],
    [0, 1, 10, 40, 20, 5],
    [1, 1, 25, 39, 0, 0],
  ] as const;
  const byHand = rankPhases(
    {
      ...{ rank: rows.map(([rank]) => rank), search: rows.map(() => 0), kind: rows.map(([, kind]) => kind) },
      ...{ step: rows.map(() => 0), startNs: rows.map(([, , start]) => start), endNs: rows.map(([, , , end]) => end) },
      ...{ asleepNs: rows.map(([, , , , asleep]) => asleep), queuedNs: rows.map((row) => row[5]) },
      bytes: rows.map(() => 0),
    },
    { ranks: 4, kinds: KINDS },
  );
  const message = { from: 1, to: 0, handed: 27, seen: 36, waited: 24 };

  test('call idle what sender, receiver and work lacked a processor, and transfer the rest', () => {
    const found = rankMessages(recorded([message], { queuedNs: [2, 3] }), { ranks: 4, onClock });
    const [search] = searchPaths(byHand, { messages: found, links: LINKS });
    expect(plain(search ?? empty)).toEqual([
      { rank: 1, startNs: 0, endNs: 25, key: 'compute' },
      { rank: 1, startNs: 25, endNs: 27, key: 'fold work' },
      { rank: 1, startNs: 27, endNs: 29, key: 'fold idle' },
      { rank: 0, startNs: 29, endNs: 33, key: 'fold transfer' },
      { rank: 0, startNs: 33, endNs: 36, key: 'fold idle' },
      // In the phase it lacked a processor for 5: 3 before it saw the message, 2 of the 6 besides waiting (10 to 12, 36 to 40).
      { rank: 0, startNs: 36, endNs: 39, key: 'fold work' },
      { rank: 0, startNs: 39, endNs: 40, key: 'fold idle' },
    ]);
    expect(search?.hops).toBe(1);
    expect(searchSummary(search ?? empty).profileNs).toEqual({
      ...{ compute: 25, 'fold work': 5, 'fold transfer': 4, 'fold idle': 6 },
    });
  });

  test('say at a step where it came from, also where nothing is left of the transfer', () => {
    const hops = (idle: number) => {
      const found = rankMessages(recorded([message], { queuedNs: [0, idle] }), { ranks: 4, onClock });
      const [search] = searchPaths(byHand, { messages: found, links: LINKS });
      return search?.path.flatMap(({ rank, key, from }) => (from < 0 ? [] : [`${rank} ${key}`]));
    };
    expect([hops(0), hops(9)]).toEqual([['0 fold transfer'], ['0 fold idle']]);
    const apart = rankMessages(recorded([{ ...message, handed: 36 }]), { ranks: 4, onClock });
    const [search] = searchPaths(byHand, { messages: apart, links: LINKS });
    expect(search?.path.filter(({ from }) => from >= 0).map(({ key }) => key)).toEqual(['fold work']);
  });

  test('stay on a rank that found its message there', () => {
    const early = rankMessages(recorded([{ ...message, seen: 30, waited: 0 }]), { ranks: 4, onClock });
    const [search] = searchPaths(byHand, { messages: early, links: LINKS });
    expect(search?.hops).toBe(0);
    expect(search?.path.map(({ key, rank }) => `${key} ${rank}`)).not.toContain('compute 1');
  });

  test('divide a message into what its bytes need and delay', () => {
    const found = rankMessages(recorded([message], { bytes: [2, 2] }), { ranks: 4, onClock });
    const step = searchPaths(byHand, { messages: found, links: LINKS })[0]?.path.find(
      ({ key }) => key === 'fold transfer',
    );
    expect(step?.arrival).toMatchObject({ bytes: 2, onLinkNs: 2 });
    expect([step?.startNs, step?.endNs]).toEqual([27, 36]);
  });

  test('end with clocks that are apart, and take a message as handed over when it was seen', () => {
    const apart = rankMessages(recorded([message]), { ranks: 4, onClock: (rank, ns) => ns + (rank === 1 ? 20 : 0) });
    expect(apart.problems).toEqual([{ kind: 'message that arrived before it was sent', count: 1, lines: [2] }]);
    const [search] = searchPaths(byHand, { messages: apart, links: LINKS });
    const { profileNs, lengthNs } = searchSummary(search ?? empty);
    expect(Object.values(profileNs).reduce((sum, ns) => sum + ns, 0)).toBe(lengthNs);
  });
});

describe('recorded messages', () => {
  test('without their other end, and of ranks that the run lacks, are named', () => {
    const one = { from: 0, to: 1, handed: 1, seen: 2, waited: 1 };
    const trace = recorded([one, { ...one, to: 9, handed: 3, seen: 4 }, { ...one, handed: 5, seen: 6 }]);
    const cut = { ...trace, worker: trace.worker.slice(0, 5), kind: trace.kind.slice(0, 5) };
    const { problems, seen } = rankMessages(cut, { ranks: 4, onClock });
    expect(problems).toEqual([
      { kind: 'message of a rank that the run does not have', count: 2, lines: [3, 4] },
      { kind: 'message without its send or receive', count: 1, lines: [5] },
    ]);
    expect(seen.flat().map(({ send, rank }) => [send, rank])).toEqual([[0, 1]]);
  });

  test('hold their sender up as long as it waits for their buffer; one to a rank that the run lacks holds nobody up', () => {
    const one = { from: 0, to: 1, handed: 1, seen: 9, waited: 0 };
    const trace = recorded([one, { ...one, to: 9 }, { ...one, handed: 3 }]);
    const buffers = { waitedNs: Float64Array.of(2, 2, 2, 0, 0, 0), doneNs: Float64Array.of(4, 5, Number.NaN, 9, 9, 9) };
    const { seen } = rankMessages({ ...trace, ...buffers }, { ranks: 4, onClock });
    expect(seen[0]).toMatchObject([{ send: 0, isOwn: true, handedNs: 1, seenNs: 4, waitedNs: 2 }]);
    expect(seen[1]?.map(({ send, isOwn, seenNs }) => [send, isOwn, seenNs])).toEqual([
      [0, false, 9],
      [2, false, 9],
    ]);
  });
});

describe('the error of inference', () => {
  const step = (rank: number, startNs: number, endNs: number, key: string) => ({
    ...{ rank, startNs, endNs, key, from: -1, arrival: null },
  });
  const path = (hops: number, ...steps: readonly ReturnType<typeof step>[]): SearchPath => ({
    ...{ root: 0, startNs: 0, endNs: 100, hops, path: steps },
  });

  test('is the share of the time under another key, and that on another rank; idle time was work', () => {
    const truth = path(
      2,
      step(0, 0, 40, 'compute'),
      step(0, 40, 50, 'compute idle'),
      step(1, 50, 100, 'fold transfer'),
    );
    const guess = path(1, step(0, 0, 70, 'compute'), step(1, 70, 100, 'fold transfer'));
    const error = inferenceError([guess], [truth], KINDS);
    expect(error).toEqual({ offShare: 0.2, onRankShare: 0.8, hops: { inferred: 1, recorded: 2 } });
    expect(inferenceSentence(error)).toContain(
      '20.0 % of the time would have another key (80.0 % of it on the right rank)',
    );
    expect(inferenceError([truth], [truth], KINDS)).toMatchObject({ offShare: 0, onRankShare: 1 });
  });
});

const empty: SearchPath = { root: 0, startNs: 0, endNs: 0, hops: 0, path: [] };

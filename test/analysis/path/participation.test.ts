import fc from 'fast-check';
import { expect, test } from 'vitest';
import { activityGraph } from '../../../analysis/path/graph/activity-graph.ts';
import { explainNear } from '../../../analysis/path/graph/explain-graph.ts';
import { wholeSlice } from '../../../analysis/path/graph/segment.ts';
import { last } from '../../../base/lists.ts';
import { times } from '../../times.ts';
import { columnsOf, type Piece, type RandomGraph, validGraph } from './random-graph.ts';

/** A part of a path: work of a worker, or what is on its way from it. */
interface Step {
  readonly worker: number;
  readonly to: number | null;
  readonly kind: string;
  readonly key: string;
  readonly ns: number;
  /** Place of the piece of work; -1 for a message. */
  readonly piece: number;
}

/** Workers that never wait and send to each other: many paths are as long as the whole. */
const busyGraph: fc.Arbitrary<RandomGraph> = fc
  .record({
    workers: fc.integer({ min: 2, max: 4 }),
    cuts: fc.array(fc.integer({ min: 1, max: 29 }), { maxLength: 5 }),
    sent: fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.nat(29), fc.integer({ min: 1, max: 9 })), { maxLength: 14 }),
  })
  .map(({ workers, cuts, sent }) => {
    const borders = [...new Set([0, ...cuts, 30])].sort((a, b) => a - b);
    const piecesOf = (worker: number): Piece[] =>
      borders.slice(1).map((endNs, index) => ({
        ...{ startNs: borders[index] ?? 0, endNs },
        kind: (worker + index) % 3 === 0 ? 'io' : 'op',
      }));
    const messages = sent.flatMap(([from, to, startNs, ns]) => {
      const ends = { from: from % workers, to: to % workers };
      return ends.from === ends.to ? [] : [{ ...ends, startNs, endNs: Math.min(30, startNs + ns) }];
    });
    return { pieces: Array.from({ length: workers }, (_, worker) => piecesOf(worker)), messages };
  });

const MOST_PATHS = 3000;

/** Every way from the beginning to the end without a wait, one after another: null for more than anybody enumerates. */
function enumeratePaths({ pieces, messages }: RandomGraph): readonly (readonly Step[])[] | null {
  const endNs = Math.max(...pieces.map((own) => last(own).endNs));
  const found: Step[][] = [];
  const walk = (worker: number, atNs: number, before: readonly Step[]): void => {
    if (found.length > MOST_PATHS) return;
    if (atNs === endNs) found.push([...before]);
    for (const { from, to, startNs, endNs: arrivedNs } of messages) {
      if (from !== worker || startNs !== atNs) continue;
      const step = { worker, to, kind: 'transfer', key: 'message', ns: arrivedNs - startNs, piece: -1 };
      walk(to, arrivedNs, [...before, step]);
    }
    const own = pieces[worker] ?? [];
    const piece = own.findIndex((one) => one.startNs <= atNs && atNs < one.endNs);
    const doing = own[piece];
    if (doing === undefined || doing.kind === 'wait') return;
    const instants = messages.flatMap(({ from, to, startNs, endNs: arrivedNs }) => [
      ...(from === worker ? [startNs] : []),
      ...(to === worker ? [arrivedNs] : []),
    ]);
    const nextNs = Math.min(doing.endNs, ...instants.filter((ns) => ns > atNs));
    walk(worker, nextNs, [...before, { worker, to: null, ...wordsOf(doing, piece), ns: nextNs - atNs, piece }]);
  };
  for (const [worker, own] of pieces.entries()) if (own[0]?.startNs === 0) walk(worker, 0, []);
  return found.length > MOST_PATHS ? null : found;
}

function wordsOf({ kind }: Piece, piece: number): Pick<Step, 'kind' | 'key'> {
  const word = kind === 'gap' ? 'unknown' : kind;
  return { kind: word, key: word === 'op' ? `op${piece % 3}` : word };
}

/** Shares of the time of all paths by a key; null is counted nowhere. */
function sharesBy(paths: readonly (readonly Step[])[], keyOf: (step: Step) => string | null): Map<string, number> {
  const steps = paths.flat();
  const all = steps.reduce((sum, { ns }) => sum + ns, 0);
  const shares = new Map<string, number>();
  for (const step of steps) {
    const key = keyOf(step);
    if (key !== null) shares.set(key, (shares.get(key) ?? 0) + step.ns / all);
  }
  return shares;
}

function expectShares(found: Iterable<readonly [string, number]>, shares: ReadonlyMap<string, number>): void {
  const own = new Map(found);
  expect([...own.keys()].sort()).toEqual([...shares.keys()].sort());
  for (const [key, share] of shares) expect(own.get(key)).toBeCloseTo(share, 9);
}

test('critical participation is what the enumeration of all longest paths gives', () => {
  let longest = 0;
  fc.assert(
    fc.property(fc.oneof(validGraph, busyGraph), (graph) => {
      const paths = enumeratePaths(graph);
      fc.pre(paths !== null);
      longest = Math.max(longest, paths.length);
      const activities = columnsOf(graph);
      const whole = wholeSlice(activities);
      const near = explainNear(activities, activityGraph(activities, whole), 1);
      expect(near.criticalPaths).toBe(paths.length);
      const { byKind, byOperator, byWorker, byPair } = near.participation;
      expectShares(
        Object.entries(byKind),
        sharesBy(paths, ({ kind }) => kind),
      );
      expectShares(
        Object.entries(byOperator),
        sharesBy(paths, ({ key }) => key),
      );
      expectShares(
        Object.entries(byWorker),
        sharesBy(paths, ({ worker, to }) => (to === null ? String(worker) : 'wire')),
      );
      expectShares(
        Object.entries(byPair),
        sharesBy(paths, ({ worker, to }) => (to === null ? null : `${worker} -> ${to}`)),
      );
      const byActivity = sharesBy(paths, ({ worker, piece, kind }) =>
        piece < 0 || kind === 'unknown' ? null : `${worker} ${graph.pieces[worker]?.[piece]?.startNs}`,
      );
      expectShares(
        near.nearCritical.flatMap(({ worker, startNs, weight }) =>
          weight === 0 ? [] : [[`${worker} ${startNs}`, weight] as const],
        ),
        byActivity,
      );
    }),
    { numRuns: times(60) },
  );
  // Graphs of one path alone would show nothing.
  expect(longest).toBeGreaterThan(10);
});

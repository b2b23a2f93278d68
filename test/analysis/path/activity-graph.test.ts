import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Slice } from '../../../analysis/path/activities.ts';
import { activityGraph, edgeNs } from '../../../analysis/path/graph/activity-graph.ts';
import { pathSteps, TRANSFER_STEP, WORK_STEP } from '../../../analysis/path/graph/activity-path.ts';
import { checkProperties } from '../../../analysis/path/graph/check-properties.ts';
import { criticalPath, precededBy } from '../../../analysis/path/graph/critical-path.ts';
import { participationOf } from '../../../analysis/path/graph/explain-graph.ts';
import { explainSlice } from '../../../analysis/path/graph/explain-slices.ts';
import { profilePath } from '../../../analysis/path/graph/profile-path.ts';
import { slicesOf, wholeSlice } from '../../../analysis/path/graph/segment.ts';
import { longestPaths, scaledNs, slackOf } from '../../../analysis/path/graph/vertex-times.ts';
import { at, last } from '../../../base/lists.ts';
import { backtrack } from '../../cases/path/backtrack.ts';
import { times } from '../../times.ts';
import { columnsOf, type RandomGraph, validGraph } from './random-graph.ts';

const NOTHING = { minimumInDegree: [], communicationExistence: [], waitStateTermination: [] };
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** A random graph with a random slice of it, in whole ns. */
const sliced = fc.tuple(validGraph, share, share).map(([graph, a, b]) => {
  const activities = columnsOf(graph);
  const { endNs } = wholeSlice(activities);
  const [from, to] = [Math.min(a, b), Math.max(a, b)].map((part) => Math.floor(part * endNs));
  const startNs = Math.min(from ?? 0, endNs - 1);
  const slice: Slice = { startNs, endNs: Math.max(to ?? 0, startNs + 1) };
  return { activities, slice };
});

test('every slice of a valid graph has a critical path of its whole length, the longest that there is', () => {
  fc.assert(
    fc.property(sliced, ({ activities, slice }) => {
      const path = criticalPath(activities, slice);
      const graph = activityGraph(activities, slice);
      const { longestNs, expectedNs, criticalPaths } = longestPaths(graph);
      const length = slice.endNs - slice.startNs;
      expect(checkProperties(activities, slice)).toEqual(NOTHING);
      expect(path.broken).toBe(null);
      expect([path.lengthNs, longestNs, expectedNs]).toEqual([length, length, length]);
      expect(criticalPaths).toBeGreaterThan(0);
      const { edges } = backtrack(graph);
      expect(edges.reduce((sum, edge) => sum + edgeNs(graph, edge), 0)).toBe(length);
    }),
    { numRuns: times(60) },
  );
});

test('the steps of a path follow each other without a gap, and its profiles sum up to its length', () => {
  fc.assert(
    fc.property(sliced, ({ activities, slice }) => {
      const path = criticalPath(activities, slice);
      const steps = [...pathSteps(activities, path)];
      expect([steps[0]?.startNs, last(steps).endNs]).toEqual([slice.startNs, slice.endNs]);
      for (const [index, step] of steps.slice(1).entries()) {
        const before = at(steps, index);
        expect(step.startNs).toBe(before.endNs);
        expect(step.worker).toBe(before.to ?? before.worker);
        expect(step.kind).not.toBe('wait');
      }
      const { byKind, byName, byWorker } = profilePath(activities, path);
      for (const profile of [byKind, byName, byWorker]) {
        expect(Object.values(profile).reduce((sum, ns) => sum + ns, 0)).toBe(path.lengthNs);
      }
    }),
  );
});

test('what is on the path has no slack and a share of the longest paths, and factors of 1 change nothing', () => {
  fc.assert(
    fc.property(sliced, ({ activities, slice }) => {
      const { steps } = criticalPath(activities, slice);
      const graph = activityGraph(activities, slice);
      const slack = slackOf(activities, graph);
      const participation = participationOf(activities, graph);
      for (let step = 0; step < steps.count; step += 1) {
        const row = at(steps.row, step);
        if (at(steps.endNs, step) === at(steps.startNs, step)) continue;
        if (steps.sort[step] === TRANSFER_STEP) expect(at(slack.transfers, row)).toBe(0);
        if (steps.sort[step] === TRANSFER_STEP) expect(at(participation.transfers, row)).toBeGreaterThan(0);
        if (steps.sort[step] === WORK_STEP) expect(at(participation.work, row)).toBeGreaterThan(0);
      }
      for (const value of [...slack.work, ...slack.transfers]) expect(value >= 0 || Number.isNaN(value)).toBe(true);
      expect(scaledNs(graph, () => 1)).toBe(slice.endNs - slice.startNs);
      expect(scaledNs(graph, () => 2)).toBe(2 * (slice.endNs - slice.startNs));
      expect(scaledNs(graph, () => 0)).toBe(0);
    }),
  );
});

test('what one activity gains or loses alone is what its slack says', () => {
  fc.assert(
    fc.property(sliced, fc.nat(), ({ activities, slice }, choice) => {
      const graph = activityGraph(activities, slice);
      const chosen = choice % Math.max(1, graph.edgeTo.length);
      const longer = edgeNs(graph, chosen);
      const to = at(graph.edgeTo, chosen);
      // The edge's own slack: how much longer it may take until the end moves.
      const base = scaledNs(graph, () => 1);
      const doubled = scaledNs(graph, (edge) => (edge === chosen ? 2 : 1));
      expect(doubled - base).toBeLessThanOrEqual(longer);
      expect(doubled - base).toBeGreaterThanOrEqual(0);
      const row = at(graph.edgeRow, chosen);
      const slack = slackOf(activities, graph);
      const own = at(graph.edgeKind, chosen) === 255 ? slack.transfers : slack.work;
      const isLastPiece =
        row >= 0 &&
        !graph.edgeRow.some(
          (other, edge) => edge > chosen && other === row && at(graph.edgeKind, edge) === at(graph.edgeKind, chosen),
        );
      if (isLastPiece && graph.edgeKind[chosen] !== 8 && at(graph.vertexNs, to) > slice.startNs) {
        expect(doubled - base).toBe(Math.max(0, longer - at(own, row)));
      }
    }),
  );
});

test('each slice of a trace has its own path, and together they are as long as the trace', () => {
  fc.assert(
    fc.property(validGraph, fc.integer({ min: 1, max: 20 }), (graph, lengthNs) => {
      const activities = columnsOf(graph);
      const whole = wholeSlice(activities);
      const lengths = slicesOf(whole, lengthNs).map((slice) => criticalPath(activities, slice).lengthNs);
      expect(lengths.reduce((sum, ns) => sum + ns, 0)).toBe(whole.endNs - whole.startNs);
    }),
  );
});

/** The graph with a longer life for all: until `untilNs` each works. */
function worksUntil({ pieces, messages }: RandomGraph, untilNs: number): RandomGraph {
  return {
    messages,
    pieces: pieces.map((own) => {
      const { endNs } = last(own);
      return endNs < untilNs ? [...own, { startNs: endNs, endNs: untilNs, kind: 'op' as const }] : own;
    }),
  };
}

function longer(graph: RandomGraph): { readonly graph: RandomGraph; readonly endNs: number } {
  const endNs = 5 + Math.max(...graph.pieces.map((own) => last(own).endNs));
  return { graph: worksUntil(graph, endNs), endNs };
}

test('a worker that begins without a message is one violation of 3.9', () => {
  fc.assert(
    fc.property(validGraph, (valid) => {
      const { graph, endNs } = longer(valid);
      graph.pieces.push([{ startNs: 2, endNs, kind: 'op' }]);
      const activities = columnsOf(graph);
      expect(checkProperties(activities, wholeSlice(activities))).toEqual({
        ...NOTHING,
        minimumInDegree: [{ worker: graph.pieces.length - 1, atNs: 2 }],
      });
    }),
  );
});

test('a time in which all wait for nothing is one violation of 3.10', () => {
  fc.assert(
    fc.property(validGraph, (valid) => {
      const { graph, endNs } = longer(valid);
      for (const own of graph.pieces) own.push({ startNs: endNs, endNs: endNs + 7, kind: 'wait' });
      const activities = columnsOf(graph);
      const slice = wholeSlice(activities);
      expect(checkProperties(activities, slice)).toEqual({
        ...NOTHING,
        communicationExistence: [{ startNs: endNs, endNs: endNs + 7 }],
        // Nor does anything end these waits.
        waitStateTermination: graph.pieces.map((_, worker) => ({ worker, atNs: endNs + 7 })),
      });
      const path = criticalPath(activities, slice);
      expect([path.lengthNs, path.broken]).toEqual([0, { property: '3.10', worker: null, atNs: endNs + 7 }]);
    }),
  );
});

test('a wait that nothing ends is one violation of 3.11, and a path that comes there ends', () => {
  fc.assert(
    fc.property(validGraph, (valid) => {
      const { graph, endNs } = longer(valid);
      at(graph.pieces, 0).push({ startNs: endNs, endNs: endNs + 7, kind: 'wait' });
      at(graph.pieces, 0).push({ startNs: endNs + 7, endNs: endNs + 9, kind: 'op' });
      graph.messages.push({ from: 0, to: graph.pieces.length, startNs: endNs, endNs });
      graph.pieces.push([{ startNs: endNs, endNs: endNs + 9, kind: 'op' }]);
      const activities = columnsOf(graph);
      const slice = wholeSlice(activities);
      const ended = { worker: 0, atNs: endNs + 7 };
      expect(checkProperties(activities, slice)).toEqual({ ...NOTHING, waitStateTermination: [ended] });
      const path = criticalPath(activities, slice);
      expect([path.lengthNs, path.broken]).toEqual([2, { property: '3.11', ...ended }]);
    }),
  );
});

test('a wait is preceded by so many messages as are asked for', () => {
  fc.assert(
    fc.property(validGraph, fc.integer({ min: 1, max: 3 }), (graph, hops) => {
      const activities = columnsOf(graph);
      for (const [worker, own] of graph.pieces.entries()) {
        for (const { kind, endNs } of own) {
          if (kind !== 'wait') continue;
          const before = precededBy(activities, { worker, atNs: endNs, hops, startNs: 0 });
          const whole = precededBy(activities, { worker, atNs: endNs, hops: 1e6, startNs: 0 });
          expect(before.hops).toBe(Math.min(hops, whole.hops));
          const sent = before.steps.sort.indexOf(TRANSFER_STEP);
          if (before.hops < whole.hops) expect(sent).toBeLessThanOrEqual(1);
          expect(whole.lengthNs).toBe(endNs);
        }
      }
    }),
  );
});

test('messages without length that go in a circle are refused by the names of their workers', () => {
  const activities = columnsOf({
    pieces: [0, 1].map(() => [
      { startNs: 0, endNs: 4, kind: 'wait' },
      { startNs: 4, endNs: 9, kind: 'op' },
    ]),
    messages: [
      { from: 0, to: 1, startNs: 4, endNs: 4 },
      { from: 1, to: 0, startNs: 4, endNs: 4 },
    ],
  });
  expect(() => criticalPath(activities, { startNs: 0, endNs: 9 })).toThrow(
    'At 4 ns zero-duration messages form a cycle',
  );
  expect(() => activityGraph(activities, { startNs: 0, endNs: 9 })).toThrow(
    /form a cycle \(workers (0 -> 1 -> 0|1 -> 0 -> 1)\)/,
  );
});

test('worked by hand: an operator that is off the path is behind its mean by all of it', () => {
  const activities = columnsOf({
    pieces: [
      [{ startNs: 0, endNs: 10, kind: 'op' }],
      [
        { startNs: 0, endNs: 2, kind: 'op' },
        { startNs: 2, endNs: 8, kind: 'op' },
      ],
    ],
    messages: [],
  });
  // op0 on the path 10, and 12 on two workers; op1 6 on one of them.
  expect(explainSlice(activities, { startNs: 0, endNs: 10 }).imbalanceNs).toEqual({ op0: 4, op1: -3 });
});

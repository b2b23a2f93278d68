import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProfileBuilder } from '../../../analysis/profiles/formats/profile-builder.ts';
import { topPaths } from '../../../analysis/profiles/questions/top-paths.ts';
import { CallTreeBuilder } from '../../../analysis/profiles/tree/builder.ts';
import { findRecursionEdges, NameTable, stacksOf } from '../../../analysis/profiles/tree/call-tree.ts';
import { compareCodePoints } from '../../../base/text.ts';
import { foldedText, parseCollapsed } from '../../cases/profiles/collapsed-text.ts';
import { computeNodePotentials } from '../../cases/profiles/node-potentials.ts';
import { times } from '../../times.ts';
import { type Stack, selectionOf, stacks, textOf } from './make.ts';

const treeOf = (text: string) => {
  const names = new NameTable();
  return { names, ...parseCollapsed(text, { what: 'x', names }) };
};

/** The same stacks summed and sorted, without a tree. */
function foldedByHand(all: readonly Stack[]): string {
  const sums = new Map<string, number>();
  for (const [frames, samples] of all) sums.set(frames.join(';'), (sums.get(frames.join(';')) ?? 0) + samples);
  return [...sums]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([stack, samples]) => `${stack} ${samples}\n`)
    .join('');
}

/** P_n as the samples of the union of node sets: a stack counts for a code path that is among its last n + 1 frames. */
function potentialsByHand(all: readonly Stack[], degree: number): Map<string, number> {
  const sums = new Map<string, number>(all.flatMap(([frames]) => frames.map((frame) => [frame, 0] as const)));
  for (const [frames, samples] of all) {
    for (const name of new Set(frames.slice(-degree - 1))) sums.set(name, (sums.get(name) ?? 0) + samples);
  }
  return sums;
}

test('a tree folds back to the text it was made of, in any order and with any line ends', () => {
  fc.assert(
    fc.property(stacks, fc.integer(), (all, seed) => {
      const wanted = foldedByHand(all);
      const shuffled = [...all].sort((a, b) => ((a[1] * 7919 + seed) % 13) - ((b[1] * 7919 + seed) % 13));
      for (const text of [textOf(all), textOf(shuffled), textOf(all).replaceAll('\n', '\r\n\r\n').trimEnd()]) {
        const { tree, names } = treeOf(text);
        expect(foldedText(tree, names)).toBe(wanted);
      }
    }),
  );
});

test('a recording gives the same tree as its collapsed text', () => {
  fc.assert(
    fc.property(stacks, (all) => {
      const names = new NameTable();
      const builder = new ProfileBuilder({ names, normalise: null });
      for (const [frames, samples] of all) builder.add(frames, samples);
      const { tree } = builder.build('x', 'samples');
      expect(foldedText(tree, names)).toBe(foldedByHand(all));
    }),
  );
});

test('nodes are in preorder, with depths, totals and nearest nodes above of the same code path', () => {
  fc.assert(
    fc.property(stacks, (all) => {
      const { tree } = treeOf(textOf(all));
      const ancestors = (node: number): number[] =>
        node <= 0 ? [] : [...ancestors(tree.parent[node] ?? -1), tree.parent[node] ?? -1];
      for (let node = 1; node < tree.name.length; node += 1) {
        const line = ancestors(node);
        expect(tree.depth[node]).toBe(line.length);
        // The node before stands on the same way down, or ends a branch of it.
        expect([...ancestors(node - 1), node - 1]).toContain(tree.parent[node]);
        const same = line.filter((each) => tree.name[each] === tree.name[node]).at(-1) ?? -1;
        expect(tree.above[node]).toBe(same);
        const below = Array.from(tree.own, (own, other) =>
          other === node || ancestors(other).includes(node) ? own : 0,
        );
        expect(tree.total[node]).toBe(below.reduce((sum, own) => sum + own, 0));
      }
    }),
    { numRuns: 40 },
  );
});

test('P_n is the union of node sets, for every degree', () => {
  fc.assert(
    fc.property(stacks, fc.integer({ min: 0, max: 14 }), (all, degree) => {
      const selection = selectionOf([{ text: textOf(all) }]);
      const samples = all.reduce((sum, [, own]) => sum + own, 0);
      const found = topPaths(selection, { degree, weight: 'samples' });
      const wanted = potentialsByHand(all, degree);
      expect(found.map(({ codePath }) => codePath).sort()).toEqual([...wanted.keys()].sort());
      for (const { codePath, potential } of found)
        expect(potential).toBeCloseTo(((wanted.get(codePath) ?? 0) / samples) * 100, 9);
    }),
    { numRuns: times(100) },
  );
});

test('potentials of nodes less what recurs sum to P_n', () => {
  fc.assert(
    fc.property(stacks, fc.integer({ min: 0, max: 14 }), (all, degree) => {
      const { tree, names } = treeOf(textOf(all));
      const { p, c } = computeNodePotentials(tree, degree);
      const sums = new Map<string, number>();
      for (let node = 1; node < tree.name.length; node += 1) {
        const name = names.text(tree.name[node] ?? -1);
        sums.set(name, (sums.get(name) ?? 0) + (p[degree]?.[node] ?? 0) - (c[degree]?.[node] ?? 0));
      }
      expect(sums).toEqual(
        new Map(
          [...potentialsByHand(all, degree)].sort(
            ([a], [b]) => [...sums.keys()].indexOf(a) - [...sums.keys()].indexOf(b),
          ),
        ),
      );
    }),
  );
});

test('a recursion edge leads to the nearest recurrence, one per branch', () => {
  const { tree, names } = treeOf('A;B;A;A 1\nA;C;A 1\nB;A 1\n');
  const all = stacksOf(tree, names);
  const { from, to, distance } = findRecursionEdges(tree);
  expect(Array.from(to, (lower, edge) => [all[from[edge] ?? 0], all[lower], distance[edge]])).toEqual([
    ['A', 'A;B;A', 2],
    ['A;B;A', 'A;B;A;A', 1],
    ['A', 'A;C;A', 2],
  ]);
});

test('a stack of 100,000 calls of one function is a tree like any other', () => {
  const depth = 100_000;
  const { tree, names } = treeOf(`${Array(depth).fill('f').join(';')} 3\nf 1\n`);
  expect(tree.name).toHaveLength(depth + 1);
  expect(findRecursionEdges(tree).to).toHaveLength(depth - 1);
  expect(foldedText(tree, names)).toHaveLength(2 * depth + 6);
  const selection = {
    names,
    profiles: [
      {
        ...{ key: 'p', benchmark: 'b', testRun: 'r', timeNs: 0n, metricMean: null },
        unit: 'samples' as const,
        tree,
        modes: [],
      },
    ],
  };
  expect(topPaths(selection, { degree: 3, weight: 'samples' })).toEqual([{ codePath: 'f', potential: 100 }]);
});

test('many code paths below one caller are found again', () => {
  const builder = new CallTreeBuilder();
  const count = 200_000;
  for (let round = 0; round < 2; round += 1) {
    for (let name = 0; name < count; name += 1) builder.add(builder.child(0, name), 1);
  }
  const { name, own, total } = builder.finish();
  expect(name).toHaveLength(count + 1);
  expect(own.subarray(1).every((each) => each === 2)).toBe(true);
  expect(total[0]).toBe(2 * count);
});

const texts = fc.string({
  unit: fc.constantFrom('a', ';', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '𝒳'),
  maxLength: 4,
});

test('texts are ordered as their bytes in UTF-8 are', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('values that no number holds together are refused', () => {
  const builder = new ProfileBuilder({ names: new NameTable(), normalise: null });
  for (const frame of ['a', 'b']) builder.add([frame], Number.MAX_VALUE);
  expect(() => builder.build('x', 'seconds')).toThrow('x has values whose sum is too large');
});

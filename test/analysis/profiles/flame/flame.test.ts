import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildFlame, flameOfTrees, mergeTrees } from '../../../../analysis/profiles/flame/flame-of.ts';
import { layoutFlame } from '../../../../analysis/profiles/flame/layout-flame.ts';
import { ProfileFile } from '../../../../analysis/profiles/formats/profile-file.ts';
import { recordingIn } from '../../../../analysis/profiles/formats/read-profile.ts';
import { toSpeedscope } from '../../../../analysis/profiles/formats/speedscope.ts';
import { CallTreeBuilder } from '../../../../analysis/profiles/tree/builder.ts';
import { type CallTree, NameTable, totalOf } from '../../../../analysis/profiles/tree/call-tree.ts';
import { fold } from '../../../cases/profiles/collapsed-text.ts';
import { selectionOf } from '../make.ts';

/** Frames by number, and samples. */
type Stacks = readonly (readonly [readonly number[], number])[];

const names = new NameTable();
for (let name = 0; name < 6; name += 1) names.id(`f${name}`);

function treeOf(stacks: Stacks): CallTree {
  const builder = new CallTreeBuilder();
  for (const [frames, samples] of stacks) {
    let node = 0;
    for (const frame of frames) node = builder.child(node, frame);
    builder.add(node, samples);
  }
  return builder.finish();
}

const anyStacks: fc.Arbitrary<Stacks> = fc.array(
  fc.tuple(fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 30 })),
  { minLength: 1, maxLength: 30 },
);

test('every box lies in the one above it, beside its neighbours, and what is left out makes up the rest', () => {
  fc.assert(
    fc.property(
      anyStacks,
      fc.double({ min: 0, max: 0.3, noNaN: true }),
      fc.integer({ min: 1, max: 9 }),
      (stacks, least, deepest) => {
        const tree = treeOf(stacks);
        const { frames, leftOut, levels } = layoutFlame(tree, { names, least, deepest });
        const open: { from: number; to: number; next: number }[] = [{ from: 0, to: 1, next: 0 }];
        for (const { level, from, share } of frames) {
          open.length = level + 1;
          const above = open[level];
          const isInside = above !== undefined && from >= above.next - 1e-9 && from + share <= above.to + 1e-9;
          if (!isInside || share < least || level >= Math.min(levels, deepest))
            throw new Error(`${level} at ${from}: ${share}`);
          above.next = from + share;
          open.push({ from, to: from + share, next: from });
        }
        const own = frames.reduce((sum, { ownShare }) => sum + ownShare, 0);
        expect(own + leftOut.share).toBeCloseTo(1, 9);
      },
    ),
  );
});

test('the mean of several trees has the mean of the samples of every stack', () => {
  fc.assert(
    fc.property(fc.array(anyStacks, { minLength: 1, maxLength: 4 }), (several) => {
      const [tree] = mergeTrees([several.map((stacks) => [treeOf(stacks)])]);
      const sums = new Map<string, number>();
      for (const [frames, samples] of several.flat()) {
        const stack = frames.map((frame) => `f${frame}`).join(';');
        sums.set(stack, (sums.get(stack) ?? 0) + samples);
      }
      const seen = tree === undefined ? [] : fold(tree, names);
      expect(seen).toHaveLength(sums.size);
      for (const { stack, own } of seen) expect(own).toBeCloseTo((sums.get(stack) ?? 0) / several.length, 9);
      const all = [...sums.values()].reduce((sum, samples) => sum + samples, 0);
      expect(tree && totalOf(tree)).toBeCloseTo(all / several.length, 9);
    }),
  );
});

test('the trees of a group add up, as those of the ranks of a run; sides have the nodes of all', () => {
  const ranks = [
    treeOf([[[0, 1], 3]]),
    treeOf([
      [[0, 1], 1],
      [[0], 2],
    ]),
  ];
  const [mean] = mergeTrees([[ranks, [treeOf([[[0], 8]])]]]);
  expect([...(mean?.own ?? [])]).toEqual([0, 5, 2]);
  const sides = mergeTrees([[ranks], [[treeOf([[[0], 8]])]]]);
  expect(sides.map(({ own, total }) => [[...own], [...total]])).toEqual([
    [
      [0, 2, 4],
      [6, 6, 4],
    ],
    [
      [0, 8, 0],
      [8, 8, 0],
    ],
  ]);
});

test('a difference has the share before in each box, and says what is gone', () => {
  const later = treeOf([
    [[0, 1], 30],
    [[0, 2], 70],
  ]);
  const before = treeOf([
    [[0, 1], 10],
    [[0, 3, 4], 6],
    [[0, 3], 4],
  ]);
  const { layout, functions } = flameOfTrees([[later]], { names, against: [[before]] });
  expect(layout.frames.map(({ name, share, before: was }) => [name, share, was])).toEqual([
    ['f0', 1, 1],
    ['f1', 0.3, 0.5],
    ['f2', 0.7, 0],
  ]);
  expect(layout.gone).toEqual({ frames: 2, share: 0.5 });
  expect(layout.leftOut).toEqual({ frames: 0, share: 0 });
  expect(functions).toEqual([
    { name: 'f2', ownShare: 0.7, before: 0 },
    { name: 'f4', ownShare: 0, before: 0.3 },
    { name: 'f1', ownShare: 0.3, before: 0.5 },
    { name: 'f3', ownShare: 0, before: 0.2 },
  ]);
});

test('a flame graph is of a profile, of a run or of the latest runs, beside the runs before it, by their keys', () => {
  const selection = selectionOf([
    { key: 'b/r0', text: 'f 10\n' },
    { key: 'b/r1', text: 'f 5\ng 5\n' },
    { key: 'b/r2:0', testRun: 'r2', text: 'g 8\n' },
    { key: 'b/r2:1', testRun: 'r2', text: 'h 8\n' },
    { key: 'c/r0', benchmark: 'c', testRun: 'r9', text: 'x 1\n' },
  ]);
  const flame = (profile: string, against: string | null = null, benchmark: string | null = null) => {
    const { key, against: beside, functions } = buildFlame(selection, { profile, against, benchmark });
    return [key, beside, Object.fromEntries(functions.map(({ name, ownShare, before }) => [name, [ownShare, before]]))];
  };
  expect(flame('b/r1')).toEqual(['b/r1', null, { f: [0.5, null], g: [0.5, null] }]);
  expect(flame('b/r2:0')).toEqual(['b/r2:0', null, { g: [1, null] }]);
  expect(flame('b/r2')).toEqual(['b/r2', null, { g: [0.5, null], h: [0.5, null] }]);
  // Of 10 and 16 samples: 13 on average.
  expect(flame('mean:2', null, 'b')).toEqual([
    'the mean of the 2 runs of b',
    null,
    { f: [5 / 26, null], g: [0.5, null], h: [8 / 26, null] },
  ]);
  expect(flame('mean:1', null, 'b').slice(0, 1)).toEqual(['the run of b']);
  expect(flame('b/r2', 'mean:9')).toEqual([
    'b/r2',
    'the mean of the 2 runs before it',
    { f: [0, 0.75], g: [0.5, 0.25], h: [0.5, 0] },
  ]);
  expect(flame('b/r2', 'mean:1')[1]).toBe('the run before it');
  for (const [words, said] of [
    [['mean:2'], 'name the benchmark of the runs with --benchmark.'],
    [['mean:2', null, 'd'], "There is no profile of the benchmark 'd'."],
    [['b/r0', 'mean:1'], "no run of 'b' is before b/r0."],
    [['b/r7'], "There is no profile with the key 'b/r7'"],
  ] as const)
    expect(() => flame(words[0], words[1], words[2])).toThrow(said);
});

test('a stack 100,000 deep is drawn as far as it can be seen', () => {
  const { levels, leftOut, frames } = layoutFlame(treeOf([[new Array(100_000).fill(0), 5]]), { names });
  expect([levels, frames.length]).toEqual([250, 250]);
  expect(leftOut).toEqual({ frames: 99_750, share: 1 });
});

test('what is written for speedscope is read as the same stacks', () => {
  fc.assert(
    fc.property(anyStacks, (stacks) => {
      const tree = treeOf(stacks);
      const text = toSpeedscope(tree, { names, key: 'b/r', unit: 'seconds' });
      const found = recordingIn(new ProfileFile('it', Buffer.from(text)), {
        ...{ names, normalise: null },
        format: 'speedscope',
      });
      expect(found?.unit).toBe('seconds');
      expect(found?.tree.name).toEqual(tree.name);
      expect(found?.tree.total).toEqual(tree.total);
    }),
  );
});

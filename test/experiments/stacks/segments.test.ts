import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeSegments, piecesOf } from '../../../experiments/stacks/segments.ts';

const timed = { phases: ['bfs'], key: 'root' };
const S = 1_700_000_000;
const at = (ns: number): string => `${S}${String(ns).padStart(9, '0')}`;
const csv = [
  'worker,phase,start_ns,end_ns,root,level',
  `0,generate,${at(0)},${at(50)},,`,
  `0,bfs,${at(100)},${at(200)},3,`,
  `0,expand,${at(100)},${at(120)},3,0`,
  `0,fold,${at(150)},${at(180)},3,0`,
  `1,bfs,${at(90)},${at(95)},3,`,
  '',
].join('\n');
const segments = computeSegments(csv, { timed, baseS: S });

test('the innermost phase of a rank, and the timed run around it', () => {
  const own = segments.get(0);
  const rows = own?.map(({ startNs, endNs, search, phase }) => [startNs, endNs, search, phase]);
  expect(rows).toEqual([
    [0, 50, null, 'generate'],
    [100, 120, 3, 'expand'],
    [120, 150, 3, 'bfs'],
    [150, 180, 3, 'fold'],
    [180, 200, 3, 'bfs'],
  ]);
  expect(segments.get(1)?.map(({ phase }) => phase)).toEqual(['bfs']);
});

test('a stretch is cut where phases change, and what lies outside has neither', () => {
  expect(piecesOf(segments.get(0), 40, 160)).toEqual([
    { search: null, phase: 'generate', ns: 10 },
    { search: null, phase: null, ns: 50 },
    { search: 3, phase: 'expand', ns: 20 },
    { search: 3, phase: 'bfs', ns: 30 },
    { search: 3, phase: 'fold', ns: 10 },
  ]);
  expect(piecesOf(segments.get(0), 110, 110)).toEqual([{ search: 3, phase: 'expand', ns: 0 }]);
  expect(piecesOf(segments.get(0), 60, 60)).toEqual([{ search: null, phase: null, ns: 0 }]);
  expect(piecesOf(undefined, 5, 9)).toEqual([{ search: null, phase: null, ns: 4 }]);
});

test('a program that times nothing has phases and no timed runs', () => {
  expect(
    computeSegments(csv, { timed: null, baseS: S })
      .get(0)
      ?.every(({ search }) => search === null),
  ).toBe(true);
});

test('pieces make up the stretch, whatever the spans: nested, overlapping or apart', () => {
  const span = fc.tuple(fc.nat(200), fc.nat(60), fc.constantFrom('bfs', 'expand', 'fold'));
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), fc.nat(250), fc.nat(250), (spans, a, b) => {
      const lines = spans.map(
        ([start, length, phase], root) => `0,${phase},${at(start)},${at(start + length)},${root}`,
      );
      const found = computeSegments(`worker,phase,start_ns,end_ns,root\n${lines.join('\n')}\n`, {
        timed,
        baseS: S,
      }).get(0);
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const pieces = piecesOf(found, from, to);
      expect(pieces.reduce((sum, { ns }) => sum + ns, 0)).toBe(to - from);
      // An independent count: every ns belongs to the span that began last of those that hold it.
      const inside = Array.from({ length: to - from }, (_, ns) => from + ns).filter((ns) =>
        spans.some(([start, length]) => start <= ns && ns < start + length),
      );
      const covered = pieces.filter(({ phase }) => phase !== null).reduce((sum, { ns }) => sum + ns, 0);
      expect(covered).toBe(inside.length);
    }),
  );
});

import { expect, it } from 'vitest';
import { nextLine } from '../../../report/content/story/next.ts';

const here = {
  cells: [
    { nodes: 25, scale: 20, bw: 70, nodeHours: (25 * 20) / 3600 },
    { nodes: 4, scale: 20, bw: 15, nodeHours: (4 * 10) / 3600 },
  ],
  standardErrorLeft: 0.8,
  target: { nodes: 256, bw: 100 },
};
const facts = { open: 0, here, larger: null, sizes: [4, 9, 16], bandwidths: 3 };

it('names the cells to measure and adds their times up', () => {
  const line = nextLine(facts);
  expect(line).toMatchObject({ short: '2 runs, 30 s', unit: 's' });
  expect(line.value).toBeCloseTo(30, 9);
  expect(line.answer).toContain('25 nodes at 70 % bandwidth, scale 20; 4 nodes at 15 %');
  expect(line.detail).toContain('20 % off the standard error of the time on 256 nodes');
});

it.each([
  [{ open: 3 }, /^First the 3 cells of this campaign that have not run/],
  [{ sizes: [4, 9] }, /^Measure at least three cluster sizes:/],
  [{ sizes: [4], bandwidths: 1 }, /^Measure at least three cluster sizes and a bandwidth below 100 %:/],
  [{ here: null }, /^The same cells again:/],
  [{ here: { ...here, cells: [] } }, /^Nothing more:/],
])('first asks for what is lacking: %j', (other, answer) => {
  expect(nextLine({ ...facts, ...other }).answer).toMatch(answer);
});

it('names a larger cluster where these hosts tell little, and what both would tell', () => {
  const larger = { ...here, cells: [{ nodes: 81, scale: 20, bw: 100, nodeHours: 81 / 60 }], standardErrorLeft: 0.4 };
  const line = nextLine({ ...facts, here: { ...here, standardErrorLeft: 0.98 }, larger });
  expect(line.answer).toBe('1 run on a larger cluster, some 1 min 00 s in all: 81 nodes at 100 % bandwidth, scale 20.');
  expect(line.detail).toMatch(/take 60 % off .* hosts of this campaign take 2 % off it\.$/);
});

it('counts what is to be repeated', () => {
  const [cell] = here.cells;
  if (!cell) throw new Error('no cell');
  expect(nextLine({ ...facts, here: { ...here, cells: [cell, cell] } }).answer).toMatch(/, scale 20, 2 times\.$/);
});

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { chooseAmong } from '../../modeling/judge/compare-candidates.ts';
import { extrapolate } from '../../modeling/judge/predict-unseen.ts';
import { fromCampaign } from '../../modeling/questions/measurements.ts';
import { rowsFrom } from '../../modeling/rows.ts';
import { programSplits } from '../bench/truth/programs.ts';

const PROGRAMS = programSplits('test/fixtures/mpi-programs', 0);
/** Transposes of a matrix of 12 MB (test/fixtures/mpi-programs/alltoall.c) on an emulated cluster of 16 hosts. */
const ALL_TO_ALL = fileURLToPath(new URL('../fixtures/campaigns/alltoall', import.meta.url));

/** What two node counts of a program say of its others. */
function told(name: string) {
  const split = PROGRAMS.find((one) => one.name === name);
  if (!split) throw new Error(`no ${name}`);
  const { training, unseen, ranksPerNode } = split;
  return extrapolate(chooseAmong(training, { ranksPerNode }).solved, unseen, { replicates: 400 });
}

test('two nodes with one partner each do not show how transfers go on: NAS FT from 2 and 4 is no answer', () => {
  const { cells, heldOutNodes } = told('ftW');
  expect(heldOutNodes).toEqual([8, 16]);
  for (const { abstains } of cells)
    expect(abstains).toMatch(/^On two nodes each has one partner.*: measure about \d+ /);
});

test('counted bytes show it', async () => {
  const { rows, unseen, ranksPerNode, campaign } = fromCampaign(await openCampaign(ALL_TO_ALL), { trainNodes: [2, 4] });
  const traffic = (await campaign?.traffic()) ?? [];
  const { cells } = extrapolate(chooseAmong(rows, { ranksPerNode, traffic }).solved, unseen, { replicates: 400 });
  expect(cells.filter(({ abstains }) => abstains === null).length).toBeGreaterThan(3);
  for (const { interval, measured } of cells) {
    expect(interval?.low).toBeLessThan(measured);
    expect(interval?.high).toBeGreaterThan(measured);
  }
});

test.for(['graph500-bundled', 'melt'])('%s from 4 and 9 nodes is answered, and its intervals hold', (name) => {
  const { cells, insidePercent } = told(name);
  expect(cells.filter(({ abstains }) => abstains === null).length).toBeGreaterThan(cells.length / 2);
  expect(insidePercent).toBeGreaterThan(80);
});

test('times that rise from 4 to 9 nodes, as messages cost more, rise on: BFS of a small graph', () => {
  // Medians (ms) at 10, 30 and 100 % of 15 Mbit/s, and kB per host that were counted there.
  const measured = { 4: [83, 66, 44], 9: [123, 110, 115], 16: [204, 192, 205], 25: [293, 232, 274] };
  const rows = (counts: readonly (keyof typeof measured)[]) =>
    rowsFrom(
      counts.flatMap((nodes) =>
        [10, 30, 100].map((bw, level) => ({ scale: 15, nodes, bw, ct: (measured[nodes][level] ?? Number.NaN) / 1e3 })),
      ),
    );
  const traffic = [
    { nodes: 4, kB: 14.4 },
    { nodes: 9, kB: 16 },
  ].map(({ nodes, kB }) => ({ nodes, scale: 15, bytes: kB * 1e3, least: (kB * 8e3) / 15e6, lineRateBps: 15e6 }));
  const { solved } = chooseAmong(rows([4, 9]), { ranksPerNode: 1, traffic });
  const { cells, insidePercent } = extrapolate(solved, rows([16, 25]), { replicates: 400 });
  expect(insidePercent).toBeGreaterThan(80);
  for (const { errorPercent } of cells) expect(Math.abs(errorPercent)).toBeLessThan(45);
});

test('with one bandwidth and no counter such times are no answer, and lie inside the interval', () => {
  const rows = (counts: readonly number[]) =>
    rowsFrom(counts.map((nodes) => ({ scale: 1, nodes, bw: 100, ct: 0.01 * nodes })));
  const { solved } = chooseAmong(rows([4, 8, 16]), { ranksPerNode: 1 });
  const { cells, insidePercent } = extrapolate(solved, rows([32, 64]), { replicates: 400 });
  expect(insidePercent).toBe(100);
  for (const { abstains } of cells) expect(abstains).toMatch(/measure about \d+ nodes/);
});

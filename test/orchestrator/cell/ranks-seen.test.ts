import { expect, it } from 'vitest';
import { parseInventory } from '../../../inventory/load-inventory.ts';
import { ranksDoubt } from '../../../orchestrator/cell/ranks-seen.ts';
import { readSampled } from '../../../orchestrator/cell/sampled.ts';

const CLUSTER = 'cluster: c\nhosts: ["n[1-2]"]\nlineRate: 1gbit\nnetwork: { interface: eth1 }\n';

/** What a host's sampler wrote of ranks that lived so long, and the library of each. */
async function doubtOf(
  ranks: Readonly<Record<string, number | null>>,
  { seconds = 3, launcher = 'openmpi', ranksPerNode = 2, hasEnded = true } = {},
) {
  const line = (t: number, metric: string, rank: string, value: number): string =>
    `${t * 1e9}\t${metric}\t${rank}\t${value}\n`;
  const text = Object.entries(ranks).map(
    ([rank, library]) =>
      line(1, 'rank.cpu_ns', rank, 5) +
      (library === null ? '' : line(1, 'rank.mpi', rank, library)) +
      line(1 + seconds, 'rank.cpu_ns', rank, 9),
  );
  const inventory = parseInventory(`${CLUSTER}mpi: { launcher: ${launcher} }\n`, 'inventory.yaml');
  return ranksDoubt([await readSampled('n1', text)], { inventory, ranksPerNode, hasEnded });
}

it.each([
  ['as many as were asked for, of the right MPI', { 0: 1, 1: 1 }, {}],
  ['a program whose MPI cannot be seen', { 0: null, 1: null }, {}],
  ['none that could be told', {}, {}],
  ['fewer than asked for, in a run that is too short to tell', { 0: 1 }, { seconds: 1 }],
  ['fewer than asked for, in a run that failed', { 0: 1 }, { hasEnded: false }],
  ['srun, which starts both', { 0: 1, 1: 2 }, { launcher: 'srun' }],
])('nothing speaks against a run of %s', async (_, ranks, change) => {
  expect(await doubtOf(ranks, change)).toBeNull();
});

it.each([
  ['MPICH', { 0: 1, 1: 2 }, { launcher: 'openmpi' }, /^n1: the program uses MPICH, but mpi\.launcher is openmpi/],
  ['Open MPI', { 0: 1 }, { launcher: 'mpich', hasEnded: false }, /uses Open MPI, but mpi\.launcher is mpich/],
  ['too few ranks', { 0: 1 }, {}, /^n1: 1 of 2 ranks ran there/],
])('a run of %s is refused', async (_, ranks, change, sentence) => {
  expect(await doubtOf(ranks, change)).toMatch(sentence);
});

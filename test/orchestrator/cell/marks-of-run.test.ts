import { describe, expect, it } from 'vitest';
import { asBitsPerSecond } from '../../../base/units.ts';
import type { Proof } from '../../../experiments/records.ts';
import { parseInventory } from '../../../inventory/load-inventory.ts';
import { marksOfRun, ranksDoubt } from '../../../orchestrator/cell/marks-of-run.ts';
import { readSampled } from '../../../orchestrator/cell/sampled.ts';
import type { SampledHost } from '../../../orchestrator/cell/samplers.ts';

const LINE = asBitsPerSecond(200e6);
const proof: Proof = { bw: 20, rateBps: 40e6, probes: [], classes: [] };
const cpu = { seconds: 10, cores: 2, busyS: 12, ranksS: 11.7, launcherS: 0.1, interruptsS: 0.1, stealS: 0.01 };
const quiet: SampledHost = {
  ...{
    host: 'n1',
    samples: 200,
    seconds: 10,
    longestGapS: 0.06,
    oomKills: 0,
    cpu,
    ranks: ['0'],
    libraries: [],
    death: null,
  },
  end: { samples: 200, missed: 0, cpuNs: 50e6 },
};
const marksOf = (change: Partial<SampledHost>, more: Partial<Parameters<typeof marksOfRun>[0]> = {}) =>
  marksOfRun({
    proof,
    lineRate: LINE,
    accept: [],
    hz: 20,
    workloadS: 10,
    seen: [{ ...quiet, ...change }],
    ownMachine: null,
    isCut: false,
    ...more,
  });

describe('a run', () => {
  it('on a quiet host has no mark', () => {
    expect(marksOf({})).toEqual([]);
  });

  it('that is over at once has a reading at its start and one at its end', () => {
    expect(marksOf({ samples: 2, cpu: null }, { workloadS: 0.2 })).toEqual([]);
  });

  it.each([
    [
      'was killed',
      { death: 'ended with signal KILL', end: null, samples: 60 },
      'ended with signal KILL (it took 60 of 200 readings',
    ],
    [
      'could not start',
      { death: 'ended with exit code 1: no such cgroup', end: null, samples: 0, cpu: null },
      'ended with exit code 1: no such cgroup (it took 0 of 200',
    ],
    ['lost its end', { end: null }, 'has a truncated output'],
    ['took half of its readings', { samples: 100 }, 'took 100 of 200 readings'],
    ['stood still', { longestGapS: 1.2 }, 'paused for 1.2 s'],
  ])('is marked when its sampler %s', (_, change, text) => {
    expect(marksOf(change)).toEqual([
      { kind: 'sampler', host: 'n1', text: expect.stringContaining(`n1: the sampler ${text}`) },
    ]);
  });

  it('is marked when others used its processors, with how much', () => {
    expect(marksOf({ cpu: { ...cpu, busyS: 18.1 } })).toEqual([
      {
        kind: 'stolen-cpu',
        host: 'n1',
        text: 'n1: processes other than the ranks used 0.62 of 2.00 cores during the run.',
      },
    ]);
  });

  it('names the hypervisor where it took a part', () => {
    const [mark] = marksOf({ cpu: { ...cpu, busyS: 18.1, stealS: 5 } });
    expect(mark?.text).toContain('0.50 of them the hypervisor');
  });

  it.each([
    ['interrupts, which its own messages cause', { ...cpu, busyS: 18, interruptsS: 6 }],
    ['its launcher', { ...cpu, busyS: 18, launcherS: 6 }],
    ['a window that is too short to be judged', { ...cpu, seconds: 0.9, busyS: 18 }],
  ])('is not marked for %s', (_, used) => {
    expect(marksOf({ cpu: used })).toEqual([]);
  });

  it('is not marked for what its sampler used itself', () => {
    const used = { ...cpu, cores: 0.06, busyS: 0.7, ranksS: 0.5, launcherS: 0, interruptsS: 0 };
    expect(marksOf({ cpu: used })).toHaveLength(1);
    expect(marksOf({ cpu: used, end: { samples: 200, missed: 0, cpuNs: 0.15e9 } })).toEqual([]);
  });

  it('at 100 % is marked where free links are far from the line rate, below it not', () => {
    const probes = [{ host: 'n1', outBps: 100e6, inBps: 100e6 }];
    expect(marksOf({}, { proof: { ...proof, bw: 100, rateBps: 200e6, probes } })).toEqual([
      { kind: 'link-below-rate', host: 'n1', text: expect.stringContaining('50 % of the line rate of 200 Mbit/s') },
    ]);
    expect(marksOf({}, { proof: { ...proof, probes } })).toEqual([]);
  });

  it('is marked where a slow link is accepted, with what it reached, and for that host alone', () => {
    const probes = [
      { host: 'n1', outBps: 190e6, inBps: 38e6 },
      { host: 'n2', outBps: 40e6, inBps: 190e6 },
      { host: 'n3', outBps: 38e6, inBps: 40e6 },
    ];
    const free = { ...proof, bw: 100, rateBps: 200e6, probes };
    expect(marksOf({}, { proof: free, accept: ['n3'] })).toEqual([
      {
        kind: 'link-accepted',
        host: 'n3',
        text: 'The link of n3 was accepted at 38 Mbit/s, where 200 Mbit/s were set.',
      },
    ]);
    // At 40 Mbit/s it is what was set.
    expect(marksOf({}, { proof: { ...proof, probes }, accept: ['n3'] })).toEqual([]);
  });

  it('is marked when its output was too long to be read whole', () => {
    expect(marksOf({}, { isCut: true })).toEqual([
      { kind: 'output-cut', host: null, text: expect.stringContaining('first and last part') },
    ]);
  });

  it('is marked when its hosts sent what none of them received', () => {
    const use = (host: string, direction: 'out' | 'in', averageBps: number) => ({
      ...{ host, direction, averageBps, bytes: averageBps, overlimits: 0, drops: 0 },
    });
    const classes = [use('n1', 'out', 30e6), use('n1', 'in', 10e6), use('n2', 'out', 10e6), use('n2', 'in', 10e6)];
    expect(marksOf({}, { proof: { ...proof, classes } })).toEqual([
      { kind: 'foreign-traffic', host: 'n1', text: expect.stringMatching(/^n1: .* sent 20 Mbit\/s on average/) },
    ]);
  });
});

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

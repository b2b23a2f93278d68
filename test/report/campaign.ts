import { createHash } from 'node:crypto';
import type { CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { workloadSchema } from '../../experiments/workloads/workload-schema.ts';
import type { ReportInput } from '../../report/content/page-facts.ts';
import { isLong } from '../times.ts';

/** Seconds of one search. */
export type Truth = (at: { readonly nodes: number; readonly scale: number; readonly bw: number }) => number;

export interface Sweep {
  readonly nodes: readonly number[];
  readonly scales: readonly number[];
  readonly bw: readonly number[];
  readonly reps?: number;
  readonly roots?: number;
  readonly truth?: Truth;
  readonly noise?: number;
  readonly ranksPerNode?: number;
  readonly cluster?: string;
  readonly workload?: string;
  readonly lineRateBps?: number;
}

/** Medians measured on the emulated cluster, scale 19, line rate 200 Mbit/s (facts/emulated-cluster.md). */
const MEASURED: Readonly<Record<number, Readonly<Record<number, number>>>> = {
  4: { 100: 0.316, 50: 0.323, 20: 0.424, 10: 0.644, 5: 1.113 },
  9: { 100: 0.245, 50: 0.245, 20: 0.365, 10: 0.593, 5: 1.004 },
  16: { 100: 0.207, 50: 0.291, 20: 0.334, 10: 0.453, 5: 0.777 },
  25: { 100: 0.294, 50: 0.349, 20: 0.395, 10: 0.457, 5: 0.704 },
};

export const emulated: Sweep = {
  nodes: [4, 9, 16, 25],
  scales: [19],
  bw: [5, 10, 20, 50, 100],
  roots: 24,
  reps: 2,
  truth: ({ nodes, bw }) => MEASURED[nodes]?.[bw] ?? 1,
};

/** Table IV, Eq 7 on scales 26-28: 18 ranks per node, base 25; with all of its scales and bandwidths in npm run test:long. */
export const paper: Sweep = {
  nodes: [4, 9, 16, 25],
  scales: isLong ? [26, 27, 28] : [26, 28],
  bw: isLong ? [...Array.from({ length: 21 }, (_, index) => 10 + 2 * index), 100] : [10, 20, 40, 100],
  roots: 16,
  ranksPerNode: 18,
  lineRateBps: 56e9,
  noise: 0.06,
  cluster: 'paper',
  truth: ({ nodes, scale, bw }) => {
    const [x, size] = [18 * nodes, 2 ** (scale - 25)];
    return (16.77 * size) / x + (0.561 * size * 1.14 ** (100 / bw)) / Math.sqrt(x);
  },
};

/** What a campaign of this sweep leaves behind, with seeded noise around the truth. */
export function campaignOf(sweep: Sweep): ReportInput {
  const { nodes, scales, bw, reps = 1, ranksPerNode = 1, cluster = 'lab', workload = 'graph500', roots = 8 } = sweep;
  const { truth = ({ nodes: count }) => 1 / count, noise = 0.1, lineRateBps = 200e6 } = sweep;
  const random = seeded(7);
  const records: CellRecord[] = [];
  for (const count of nodes)
    for (const scale of scales) {
      const add = (at: number, rep: number, role: 'measure' | 'drift'): void => {
        const cts = Array.from(
          { length: roots },
          () => truth({ nodes: count, scale, bw: at }) * Math.exp(noise * normal(random)),
        );
        records.push(
          recordOf({ nodes: count, scale, bw: at, rep, role, cts, ranksPerNode, workload, lineRateBps, random }),
        );
      };
      for (const at of [...bw].reverse()) for (let rep = 1; rep <= reps; rep += 1) add(at, rep, 'measure');
      if (bw.includes(100)) add(100, reps + 1, 'drift');
    }
  const generatedAt = '2026-03-14T15:09:26Z';
  const facts = { kernel: '6.18.5', cores: 2, memoryBytes: 8 * 2 ** 30, cpuQuota: 0.06 };
  const planned: Campaign = {
    schema: 2,
    name: 'first',
    createdAt: generatedAt,
    sweep: { workload, nodes: [...nodes], scales: [...scales], bw: [...bw], reps, roots, seed: 1 },
    addedSweeps: [],
    workload: workloadSchema.parse({ kind: 'graph500', name: 'graph500' }),
    inventory: {
      cluster,
      hosts: Array.from({ length: Math.max(...nodes, 0) }, (_, index) => ({ name: `node${index + 1}`, facts })),
      lineRateBps,
      ranksPerNode,
      launcher: 'openmpi',
    },
    cells: records.map(({ cell }) => cell),
  };
  return { generatedAt, planned, records, noun: 'search', edgeFactor: 16 };
}

interface RecordOptions {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
  readonly rep: number;
  readonly role: 'measure' | 'drift';
  readonly cts: readonly number[];
  readonly ranksPerNode: number;
  readonly workload: string;
  readonly lineRateBps: number;
  readonly random: () => number;
}

function recordOf({
  nodes,
  scale,
  bw,
  rep,
  role,
  cts,
  ranksPerNode,
  workload,
  lineRateBps,
  random,
}: RecordOptions): CellRecord {
  const rateBps = (lineRateBps * bw) / 100;
  const hosts = Array.from({ length: nodes }, (_, index) => `node${index + 1}`);
  const nedge = 15.7 * 2 ** scale;
  return {
    cell: {
      id: createHash('sha256').update(`${nodes} ${scale} ${bw} ${rep}`).digest('hex').slice(0, 16),
      workload,
      nodes,
      ranks: nodes * ranksPerNode,
      scale,
      bw,
      rep,
      role,
      roots: cts.length,
    },
    status: 'ok',
    reason: null,
    outputTail: [],
    exitCode: 0,
    command: 'mpirun graph500',
    hosts,
    startedAt: '2026-03-14T15:00:00Z',
    timing: { totalMs: 9000, throttleMs: 200, workloadMs: 8000, collectMs: 300 },
    summary: {},
    proof: {
      bw,
      rateBps,
      probes: hosts.map((host) => ({
        host,
        outBps: rateBps * (0.93 + 0.02 * random()),
        inBps: rateBps * (0.93 + 0.02 * random()),
      })),
      classes: hosts.map((host) => ({
        host,
        direction: 'out' as const,
        bytes: 1e7,
        overlimits: 0,
        drops: 0,
        averageBps: rateBps * Math.min(0.9, 2 / bw + 0.3 * random()),
      })),
    },
    runs: cts.map((ct, index) => ({ index, ct, teps: nedge / ct, nedge, validateS: null })),
    clocks: [],
    samplers: [],
    marks: [],
  };
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return (state + 0.5) / 2 ** 32;
  };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}

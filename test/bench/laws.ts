// What the laws of the Graphalytics kernels say of bytes, messages and supersteps beside what the programs count: a
// Graph500 graph of scale 13, a directed ring with hubs, and a sparse random graph of many components and vertices
// without edges, all with weights, on up to 25 ranks of this machine.
//   npm run bench -- laws
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/build.ts';
import { convert } from '../../experiments/graphs/convert/convert-graph.ts';
import type { Dataset } from '../../experiments/graphs/dataset.ts';
import { generate } from '../../experiments/graphs/generate-graph.ts';
import { loadGraph } from '../../experiments/graphs/load-graph.ts';
import { predictTraffic } from '../../experiments/graphs/traffic/predict-traffic.ts';
import { runKernel } from '../experiments/graphs/run-kernel.ts';

const RANKS = [2, 4, 9, 16, 25];

const { graph500 } = await buildHostPrograms();
const folder = mkdtempSync(join(tmpdir(), 'predict-bench-laws-'));
try {
  for (const dataset of [await generated(13), await ringWithHubs(), await sparse()]) await compare(dataset);
} finally {
  rmSync(folder, { recursive: true });
}

async function compare(dataset: Dataset): Promise<void> {
  console.log(`${dataset.name}: ${dataset.vertices} vertices, ${dataset.edges} edges, directed: ${dataset.directed}`);
  const { algorithms, parameters } = dataset;
  const { kernels, balance } = predictTraffic(await loadGraph(dataset), { algorithms, parameters, ranks: RANKS });
  for (const { ranks, valuesPerRank, expectedValuesPerRank } of balance) {
    const percent = 100 * (expectedValuesPerRank / valuesPerRank - 1);
    console.log(`  ${ranks} ranks: ${valuesPerRank.toFixed(0)} copies per rank, by degrees ${percent.toFixed(2)} %`);
  }
  for (const { algorithm, at, isExact } of kernels) {
    const counted: Awaited<ReturnType<typeof runKernel>>[] = [];
    for (const { ranks } of at) counted.push(await runKernel(dataset, algorithm, ranks, join(folder, 'messages.csv')));
    const worst = (['bytes', 'messages', 'supersteps'] as const).map((what) => {
      const off = at.map((law, place) => law[what] / (counted[place]?.[what] ?? Number.NaN) - 1);
      return `${what} ${(100 * Math.max(...off.map(Math.abs))).toFixed(3)} %`;
    });
    const perRank = at.map(({ ranks }, place) => `${ranks}: ${Math.round((counted[place]?.bytes ?? 0) / ranks)}`);
    const kind = isExact ? 'exact' : 'near ';
    console.log(
      `  ${algorithm.padEnd(4)} (${kind}) largest error of ${worst.join(', ')}; bytes per rank ${perRank.join(', ')}`,
    );
  }
}

async function generated(scale: number): Promise<Dataset> {
  const writeEdges = async (file: string): Promise<void> => {
    await execa(graph500, ['--scale', String(scale), '--edges-out', file]);
  };
  const { dataset } = await generate({
    ...{ scale, edgeFactor: 16, seed: 1, weights: true },
    ...{ out: join(folder, 'g500'), writeEdges },
  });
  return dataset;
}

/** Each of 6000 vertices leads to the next one; every seventh to one of five hubs, which lead to every eleventh. */
async function ringWithHubs(): Promise<Dataset> {
  const [size, hubs] = [6000, 5];
  const lines = Array.from({ length: size }, (_, vertex) => [
    `${vertex} ${(vertex + 1) % size} ${1 + (vertex % 10)}`,
    ...(vertex % 7 === 0 ? [`${vertex} ${size + (vertex % hubs)} 2.5`] : []),
    ...(vertex % 11 === 0 ? [`${size + (vertex % hubs)} ${vertex} ${0.5 + (vertex % 3)}`] : []),
  ]);
  const file = join(folder, 'ring.txt');
  writeFileSync(file, `${lines.flat().join('\n')}\n`);
  return (await convert(file, { out: join(folder, 'ring'), directed: true })).dataset;
}

/** Ids far apart; every edge leads from a vertex to one of the next 40. */
async function sparse(): Promise<Dataset> {
  const size = 4000;
  const id = (vertex: number): bigint => BigInt(vertex) * 2n ** 48n + 5n;
  const edges = new Set(
    Array.from({ length: 2600 }, (_, k) => {
      const from = (k * 7919) % (size - 41);
      return `${id(from)} ${id(from + 1 + ((k * 31) % 40))} ${0.5 + (k % 13)}`;
    }),
  );
  const vertices = Array.from({ length: size }, (_, vertex) => `${id(vertex)}\n`);
  writeFileSync(join(folder, 'sparse.v'), vertices.join(''));
  writeFileSync(join(folder, 'sparse.e'), `${[...edges].join('\n')}\n`);
  const out = join(folder, 'sparse');
  return (await convert(join(folder, 'sparse.e'), { out, format: 'graphalytics', directed: false })).dataset;
}

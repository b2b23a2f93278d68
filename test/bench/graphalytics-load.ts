// Loading the text of a Graph500 graph on 1 and 2 ranks and by 2 threads, for bfs and sssp, beside a bare parse of the
// same file: time, MB/s, processor time, and peak memory per edge. Scale 22 is 1 GB without weights; making both files
// takes some minutes and 3 GB of disk where TMPDIR says.
//   npm run bench -- graphalytics-load [--scale 22] [--rounds 6]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { median } from 'simple-statistics';
import { buildProgram } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';
import type { Dataset } from '../../experiments/graphs/dataset.ts';
import { generate } from '../../experiments/graphs/generate-graph.ts';
import { formatBusy, formatRatio, onRanks, runPinned, shareOfOthers } from './pinned.ts';

const flag = (name: string, otherwise: number): number =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : otherwise;
const [scale, rounds] = [flag('--scale', 22), flag('--rounds', 6)];
const program = await buildProgram('graphalytics');
const folder = mkdtempSync(join(tmpdir(), 'predict-bench-load-'));
const parser = join(folder, 'parse-lines');
try {
  await execa('cc', ['-O3', '-o', parser, join(projectRoot(), 'test/bench/parse-lines.c')]);
  for (const algorithm of ['bfs', 'sssp'] as const) {
    const dataset = await makeDataset(algorithm === 'sssp');
    for (const [ranks, threads] of [[1, 1] as const, [2, 1] as const, [1, 2] as const])
      await benchLoading(dataset, { algorithm, ranks, threads });
    rmSync(dataset.folder, { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function makeDataset(weights: boolean): Promise<Dataset> {
  const generator = await buildProgram('graph500');
  const env = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
  const { dataset } = await generate({
    ...{ scale, edgeFactor: 16, seed: 1, weights, out: join(folder, `g${scale}`) },
    writeEdges: async (file) => {
      await execa(generator, ['--scale', String(scale), '--edges-out', file], { env });
    },
  });
  return dataset;
}

interface How {
  readonly algorithm: 'bfs' | 'sssp';
  readonly ranks: number;
  readonly threads: number;
}

async function benchLoading(dataset: Dataset, { algorithm, ranks, threads }: How): Promise<void> {
  const megabytes = statSync(dataset.edgeFile).size / 1e6;
  const files = ['--vertices', dataset.vertexFile, '--edges', dataset.edgeFile, '--directed', 'false'];
  const kind = ['--weighted', String(dataset.weighted), '--source', dataset.parameters.bfs?.source ?? '0'];
  const words = [program, '--algorithm', algorithm, ...files, ...kind, '--threads', String(threads)];
  const [bare, loads, busy]: [number[], number[], number[]] = [[], [], []];
  const [work, memory]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    busy.push(await shareOfOthers());
    bare.push(Number((await runPinned(1, [parser, dataset.edgeFile])).stdout.split(' ')[0]));
    const { stdout, cpuSeconds } = await runPinned(ranks * threads, onRanks(ranks, words), threads);
    loads.push(numberIn(stdout, 'load_time'));
    memory.push(numberIn(stdout, 'memory_bytes_per_rank'));
    work.push(cpuSeconds);
  }
  const rate = (seconds: readonly number[]): string =>
    `${median([...seconds]).toFixed(2)} s, ${(megabytes / median([...seconds])).toFixed(0)} MB/s`;
  const perEdge = (ranks * median(memory)) / dataset.edges;
  console.log(
    `${algorithm}, ${megabytes.toFixed(0)} MB, ${ranks} x ${threads}: bare parse ${rate(bare)}; loading ${rate(loads)}, ` +
      `${formatRatio(loads, bare)} of it; ${median(work).toFixed(2)} s of processors from start to end; ` +
      `${perEdge.toFixed(1)} bytes per edge at the peak; ${formatBusy(busy)}`,
  );
}

function numberIn(stdout: string, key: string): number {
  return Number(new RegExp(`^${key}: +(\\S+)$`, 'm').exec(stdout)?.[1]);
}

// Loading the text of a Graph500 graph on 1 and 2 ranks, for bfs and sssp, beside a bare parse of the same file: time,
// MB/s, and peak memory per edge. Scale 22 is 1 GB without weights.
//   npm run bench -- graphalytics-load [--scale 22] [--rounds 6]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { median } from 'simple-statistics';
import { buildProgram } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';
import { makeGraphFiles } from './graph-files.ts';
import { formatBusy, formatRatio, onRanks, runPinned, shareOfOthers } from './pinned.ts';

const flag = (name: string, otherwise: number): number =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : otherwise;
const [scale, rounds] = [flag('--scale', 22), flag('--rounds', 6)];
const program = await buildProgram('graphalytics');
const folder = mkdtempSync(join(tmpdir(), 'predict-bench-load-'));
try {
  const parser = join(folder, 'parse-lines');
  await execa('cc', ['-O3', '-o', parser, join(projectRoot(), 'test/bench/parse-lines.c')]);
  const { vertices, plain, weighted, tails, heads, edgeCount } = await makeGraphFiles(scale, folder);
  for (const algorithm of ['bfs', 'sssp']) {
    const edges = algorithm === 'sssp' ? weighted : plain;
    const bytes = statSync(edges).size;
    const rate = (seconds: readonly number[]): string =>
      `${median([...seconds]).toFixed(2)} s, ${(bytes / 1e6 / median([...seconds])).toFixed(0)} MB/s`;
    const source = String(Math.min(tails[0] ?? 0, heads[0] ?? 0));
    const graph = ['--vertices', vertices, '--edges', edges, '--directed', 'false', '--source', source];
    const kind = ['--weighted', String(algorithm === 'sssp')];
    for (const ranks of [1, 2]) {
      const [bare, loads, memory, busy]: [number[], number[], number[], number[]] = [[], [], [], []];
      for (let round = 0; round < rounds; round++) {
        busy.push(await shareOfOthers());
        bare.push(Number((await runPinned(1, [parser, edges])).stdout.split(' ')[0]));
        const command = onRanks(ranks, [program, '--algorithm', algorithm, ...graph, ...kind]);
        const { stdout } = await runPinned(ranks, command, 1);
        loads.push(Number(/^load_time: +(\S+)$/m.exec(stdout)?.[1]));
        memory.push(Number(/^memory_bytes_per_rank: +(\S+)$/m.exec(stdout)?.[1]));
      }
      console.log(
        `${algorithm}, ${(bytes / 1e6).toFixed(0)} MB, ${ranks} rank${ranks > 1 ? 's' : ''}: bare parse ${rate(bare)}; loading ${rate(loads)}, ` +
          `${formatRatio(loads, bare)} of it; ${((ranks * median(memory)) / edgeCount).toFixed(1)} bytes per edge at the peak; ${formatBusy(busy)}`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}

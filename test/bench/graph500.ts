// Searches and shortest paths of our Graph500 beside the 3.0 reference, in turns: harmonic mean TEPS on 1 and 4 ranks.
// PREDICT_ANCHORS names the folder of the reference's programs; the graphs are alike, but drawn with other seeds.
//   npm run bench -- graph500 [--scale 18] [--rounds 6]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { buildProgram } from '../../agents/build.ts';
import { parseGraph500 } from '../../experiments/parse-graph500.ts';
import { anchorFolder } from './anchors.ts';
import { formatBusy, formatRatio, onRanks, runPinned, shareOfOthers } from './pinned.ts';

const flag = (name: string, otherwise: number): number =>
  process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : otherwise;
const [scale, rounds] = [flag('--scale', 18), flag('--rounds', 6)];
const own = await buildProgram('graph500');
const reference = { bfs: 'graph500_reference_bfs', sssp: 'graph500_reference_bfs_sssp' };
const bin = anchorFolder();
const isThere = bin !== undefined && existsSync(join(bin, reference.bfs));
if (!isThere) console.log('PREDICT_ANCHORS names no folder with the Graph500 reference: ours is measured alone.');

for (const kernel of ['bfs', 'sssp'] as const) {
  for (const ranks of [1, 4]) {
    const [ours, theirs, busy]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      busy.push(await shareOfOthers());
      const words = ['--scale', String(scale), '--kernel', kernel, '--skip-validation', '--seed', String(round + 2)];
      ours.push(await tepsOf([own, ...words], { kernel, ranks }));
      if (isThere) theirs.push(await tepsOf([join(bin, reference[kernel]), String(scale)], { kernel, ranks }));
    }
    const teps = (values: readonly number[]): string => `${median([...values]).toExponential(2)} TEPS`;
    const beside = isThere ? `, reference ${teps(theirs)}, ours / reference ${formatRatio(ours, theirs)}` : '';
    console.log(
      `scale ${scale}, ${kernel}, ${ranks} rank${ranks > 1 ? 's' : ''}: ours ${teps(ours)}${beside}; ${formatBusy(busy)}`,
    );
  }
}

/** Harmonic mean of 64 searches. */
async function tepsOf(
  command: readonly string[],
  { kernel, ranks }: { readonly kernel: 'bfs' | 'sssp'; readonly ranks: number },
): Promise<number> {
  process.env.SKIP_VALIDATION = '1';
  const { stdout } = await runPinned(Math.min(ranks, 2), onRanks(ranks, command), 1);
  return parseGraph500([stdout], { exitCode: 0 }).summary?.[kernel]?.harmonicMeanTeps ?? Number.NaN;
}

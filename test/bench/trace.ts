// What tracing costs a search: the same searches with no trace, with spans, and with spans and messages, in turns, on 4 ranks of
// this machine. Per search the lower quartile of its times over the rounds, which what else runs here moves least; the interval is
// of resampled rounds.
//   npm run bench -- trace [--scales 16,18] [--rounds 30]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/index.ts';
import { at } from '../../base/index.ts';
import { createRandom } from '../../modeling/judge/random.ts';

const RANKS = 4;
const SEARCHES = 32;
const REPLICATES = 400;

const { values } = parseArgs({
  args: process.argv.slice(process.argv.indexOf('trace') + 1),
  options: { scales: { type: 'string', default: '16,17,18' }, rounds: { type: 'string', default: '30' } },
});
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'bench-trace-'));
const [phases, messages] = [join(folder, 'phases.csv'), join(folder, 'messages.csv')];
const MODES = {
  off: [],
  spans: ['--phases', phases],
  'spans and messages': ['--phases', phases, '--messages', messages],
} as const;
type Mode = keyof typeof MODES;
const modes = Object.keys(MODES) as Mode[];

const { graph500 } = await buildHostPrograms();
const env = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
try {
  for (const scale of values.scales.split(',')) await compare(scale);
} finally {
  rmSync(folder, { recursive: true });
}

async function compare(scale: string): Promise<void> {
  const times = new Map(modes.map((mode) => [mode, [] as (readonly number[])[]]));
  for (let round = 0; round < rounds; round += 1) {
    // Each mode comes first as often as the others.
    for (let turn = 0; turn < modes.length; turn += 1) {
      const mode = at(modes, (round + turn) % modes.length);
      times.get(mode)?.push(await searchTimes(scale, MODES[mode]));
    }
  }
  const all = Array.from({ length: rounds }, (_, round) => round);
  const typical = (mode: Mode, drawn: readonly number[]): number => sumOfQuartiles(times.get(mode) ?? [], drawn);
  const off = typical('off', all);
  console.log(`scale ${scale}, ${RANKS} ranks: ${((off / SEARCHES) * 1000).toFixed(3)} ms a search without a trace`);
  for (const mode of ['spans', 'spans and messages'] as const) {
    const random = createRandom(1);
    const costs = Array.from({ length: REPLICATES }, () => {
      const drawn = all.map(() => Math.floor(random.uniform() * rounds));
      return typical(mode, drawn) / typical('off', drawn) - 1;
    }).sort((a, b) => a - b);
    const [low, high] = [at(costs, Math.floor(REPLICATES * 0.05)), at(costs, Math.floor(REPLICATES * 0.95))];
    console.log(`  ${mode}: ${percent(typical(mode, all) / off - 1)} (90 %: ${percent(low)} to ${percent(high)})`);
  }
  const lines = (file: string): number => readFileSync(file, 'utf8').split('\n').length - 2;
  console.log(
    `  records of a search and rank: ${(lines(phases) / SEARCHES / RANKS).toFixed(0)} spans, ${(lines(messages) / SEARCHES / RANKS).toFixed(0)} messages`,
  );
}

/** Seconds of each search of one run. */
async function searchTimes(scale: string, flags: readonly string[]): Promise<readonly number[]> {
  const launch = ['--oversubscribe', '--bind-to', 'none', '--mca', 'mpi_yield_when_idle', '1', '-np', String(RANKS)];
  const size = ['--scale', scale, '--roots', String(SEARCHES), '--warm-up', '4', '--skip-validation'];
  const { stderr } = await execa('mpirun', [...launch, graph500, ...size, ...flags], { env });
  return Array.from(stderr.matchAll(/^Time for BFS \d+ is (\S+)$/gm), ([, seconds]) => Number(seconds));
}

function sumOfQuartiles(runs: readonly (readonly number[])[], drawn: readonly number[]): number {
  let sum = 0;
  for (let search = 0; search < SEARCHES; search += 1) {
    const sorted = drawn.map((round) => at(at(runs, round), search)).sort((a, b) => a - b);
    sum += at(sorted, Math.floor(sorted.length / 4));
  }
  return sum;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)} %`;
}

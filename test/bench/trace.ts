// What tracing costs a search: searches with no trace, with spans, and with spans and messages, in turns in one run on 4 ranks of this
// machine, by the lowest tenths of their times, which what else runs here moves least; the intervals are of
// resampled turns.
//   npm run bench -- trace [--scales 16,18] [--searches 9000]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/build.ts';
import { at } from '../../base/lists.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';

const RANKS = 4;
const REPLICATES = 200;

const { values } = parseArgs({
  args: process.argv.slice(process.argv.indexOf('trace') + 1),
  options: { scales: { type: 'string', default: '16,17,18' }, searches: { type: 'string', default: '9000' } },
});
const turns = Math.floor(Number(values.searches) / 3);
const { graph500 } = await buildHostPrograms();
const env = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
const folder = mkdtempSync(join(tmpdir(), 'bench-trace-'));
try {
  for (const scale of values.scales.split(',')) await compare(scale);
} finally {
  rmSync(folder, { recursive: true });
}

async function compare(scale: string): Promise<void> {
  const [phases, messages] = [join(folder, 'phases.csv'), join(folder, 'messages.csv')];
  const launch = ['--oversubscribe', '--bind-to', 'none', '--mca', 'mpi_yield_when_idle', '1', '-np', String(RANKS)];
  const size = ['--scale', scale, '--roots', String(3 * turns), '--warm-up', '100', '--skip-validation'];
  const files = ['--trace-turns', '--phases', phases, '--messages', messages];
  const { stderr } = await execa('mpirun', [...launch, graph500, ...size, ...files], { env });
  const times = Array.from(stderr.matchAll(/^Time for BFS \d+ is (\S+)$/gm), ([, seconds]) => Number(seconds));
  const all = Array.from({ length: turns }, (_, turn) => turn);
  const typical = (place: number, drawn: readonly number[]): number =>
    at(
      drawn.map((turn) => at(times, 3 * turn + ((place + 2 * turn) % 3))).sort((a, b) => a - b),
      Math.floor(turns / 10),
    );
  const random = createRandom(1);
  const draws = Array.from({ length: REPLICATES }, () => all.map(() => Math.floor(random.uniform() * turns)));
  console.log(`scale ${scale}, ${RANKS} ranks: ${(typical(0, all) * 1000).toFixed(3)} ms a search without a trace`);
  const costs = [
    ['spans', 1, 0],
    ['messages beside them', 2, 1],
    ['both', 2, 0],
  ] as const;
  for (const [what, more, than] of costs) {
    const cost = (drawn: readonly number[]): number => typical(more, drawn) / typical(than, drawn) - 1;
    const sorted = draws.map(cost).sort((a, b) => a - b);
    const [low, high] = [at(sorted, Math.floor(REPLICATES * 0.05)), at(sorted, Math.floor(REPLICATES * 0.95))];
    console.log(`  ${what}: ${percent(cost(all))} (90 %: ${percent(low)} to ${percent(high)})`);
  }
  const lines = (file: string): number => readFileSync(file, 'utf8').split('\n').length - 2;
  console.log(
    `  records of a search and rank: ${(lines(phases) / (2 * turns) / RANKS).toFixed(0)} spans, ${(lines(messages) / turns / RANKS).toFixed(0)} messages`,
  );
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)} %`;
}

// npm run bench -- profiling [--kind wall|cpu|own] [--reps 6]: what recording call stacks costs a rank that has a processor to itself, and
// a search on a lab of four hosts, whose ranks switch hundreds of times a second on 6 % of a core. (root)
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { median, standardDeviation } from 'simple-statistics';
import { programFile } from '../../agents/host-programs.ts';
import { at } from '../../base/lists.ts';
import { projectRoot } from '../../base/paths.ts';
import type { CellRecord } from '../../experiments/records.ts';
import { cellTraces } from '../../experiments/store/cell-trace.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { studentQuantile } from '../../modeling/judge/distributions.ts';

const [LAB, HOSTS, AIM_PERCENT] = ['profiling', 4, 2];
const flag = (name: string): string | undefined => process.argv[process.argv.indexOf(name) + 1];
const kinds = process.argv.includes('--kind') ? [flag('--kind') ?? ''] : ['own', 'wall', 'cpu'];
const reps = process.argv.includes('--reps') ? (flag('--reps') ?? '') : '6';
const folder = mkdtempSync(join(tmpdir(), 'predict-profiling-'));
chmodSync(folder, 0o755);
const predict = (...words: readonly string[]) => execa(join(projectRoot(), 'predict'), words, { stderr: 'ignore' });

try {
  if (kinds.includes('own')) await ownProcessor();
  const onLab = kinds.filter((kind) => kind !== 'own');
  if (onLab.length > 0) await predict('lab', 'up', '--name', LAB, '--hosts', String(HOSTS), '--cpu', '6%');
  for (const kind of onLab) {
    const out = join(folder, kind);
    const size = ['--nodes', String(HOSTS), '--scales', '20', '--bw', '100', '--roots', '16', '--validate', '1'];
    const visits = ['--reps', reps, '--repeats', '0', '--profile', kind];
    await predict(
      'sweep',
      '--inventory',
      `/var/lib/predict-lab/${LAB}/inventory.yaml`,
      ...size,
      ...visits,
      '--out',
      out,
    );
    const [plain, profiled] = [(await openCampaign(out)).records, (await openCampaign(out)).profiled];
    // Both stand in the same block, so that what changes in time changes both.
    const pairs = [...profiled.values()].flatMap((one) => {
      const other = [...plain.values()].find(({ cell }) => cell.rep === one.cell.rep && cell.role === 'measure');
      return other === undefined ? [] : [[other, one] as const];
    });
    const times = pairs.map(([other, one]) => Math.log(typical(one) / typical(other)));
    const work = await Promise.all(
      pairs.map(async ([other, one]) => Math.log((await cpuOf(out, one)) / (await cpuOf(out, other)))),
    );
    const all = [...plain.values()].map(typical);
    console.log(
      `${kind}: while stacks are recorded at 99 Hz, a search of ${(median(all) * 1000).toFixed(0)} ms takes ${moreBy(times)} more, its ranks' CPU time ${moreBy(work)} more (${pairs.length} pairs; aim below ${AIM_PERCENT} %)`,
    );
  }
} finally {
  if (kinds.some((kind) => kind !== 'own')) await predict('lab', 'down', '--name', LAB);
  rmSync(folder, { recursive: true, force: true });
}

/** CPU time of one rank's searches with and without perf on it, in turns. */
async function ownProcessor(): Promise<void> {
  const program = programFile('graph500');
  const timed = `TIMEFORMAT='cpu %U %S'; time ${program} --scale 20 --roots 64 --seed 1 --validate 1`;
  const events = ['-e', 'cpu-clock/freq=99/', '-e', 'context-switches/period=4/', '--switch-events'];
  const record = ['record', '--no-buildid', '--no-buildid-cache', '--timestamp', '--clockid', 'CLOCK_REALTIME'];
  const words = [...record, '--call-graph', 'dwarf,8192', ...events, '-o', join(folder, 'data'), '--'];
  const secondsOf = async (command: string, args: readonly string[]): Promise<number> => {
    const { all = '' } = await execa(command, args, { all: true, env: { OMPI_MCA_ess_singleton_isolated: '1' } });
    const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(all) ?? [];
    return Number(user) + Number(system);
  };
  const pairs: (readonly [plain: number, profiled: number])[] = [];
  for (let turn = 0; turn < Number(reps); turn += 1) {
    pairs.push([await secondsOf('bash', ['-c', timed]), await secondsOf('perf', [...words, 'bash', '-c', timed])]);
  }
  // What others do on the machine only adds to it.
  const [plain, profiled] = [Math.min(...pairs.map(([each]) => each)), Math.min(...pairs.map(([, each]) => each))];
  console.log(
    `own: a rank with a processor to itself takes ${((profiled / plain - 1) * 100).toFixed(1)} % more CPU time (${plain.toFixed(2)} s, least of ${reps}; aim below ${AIM_PERCENT} %)`,
  );
}

/** CPU time of all ranks in all searches of a run, ns: far steadier than the time of a search on a machine with others. */
async function cpuOf(dir: string, { cell }: CellRecord): Promise<number> {
  const { spans } = (await cellTraces(dir).spans(cell.id)) ?? {};
  if (spans === undefined) throw new Error(`${cell.id} has no trace`);
  let sum = 0;
  for (const [row, phase] of spans.phase.entries()) {
    if (phase !== 'bfs') continue;
    sum += at(spans.endNs, row) - at(spans.startNs, row) - at(spans.asleepNs, row) - at(spans.queuedNs, row);
  }
  return sum;
}

/** Of logarithms of ratios: the mean in percent with its 90 % interval. */
function moreBy(ratios: readonly number[]): string {
  const mean = ratios.reduce((sum, one) => sum + one, 0) / ratios.length;
  const half = (studentQuantile(ratios.length - 1, 0.9) * standardDeviation(ratios)) / Math.sqrt(ratios.length - 1);
  const percent = (value: number): string => `${((Math.exp(value) - 1) * 100).toFixed(1)} %`;
  return `${percent(mean)} (90 % interval ${percent(mean - half)} to ${percent(mean + half)})`;
}

function typical({ runs }: CellRecord): number {
  const times = runs.map(({ ct }) => ct).sort((a, b) => a - b);
  return at(times, Math.floor(times.length / 2));
}

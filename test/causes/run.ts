// npm run test:causes [-- --only c/openmpi,python/mpich] [--causes serial,link] [--none RUNS] [--keep DIR]: plants each cause of slowness into
// programs in three languages under two MPIs on a lab of nine hosts, asks `predict why`, and scores its first sentence (root).
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { projectRoot } from '../../base/paths.ts';
import { setLink, setQuota } from './faults.ts';
import { programsFor } from './programs.ts';

const [LAB, HOSTS, CPU_PERCENT, LINK, SICK] = ['causes', 9, 6, '200mbit', 'node05'] as const;

/** What is planted: the program's own word, what is done to a host, and what the first sentence has to say. */
const PLANTS = [
  { cause: 'imbalance', program: 'imbalance', says: /^Load imbalance: .* node01 / },
  { cause: 'serial', program: 'serial', says: /^Serial section: .* node01 / },
  { cause: 'host', program: 'none', says: /^Slow host: .* node05 / },
  { cause: 'link', program: 'halo', says: /^Slow link: .* node05 / },
  { cause: 'latency', program: 'latency', says: /^Latency-bound: MPI_Sendrecv / },
  { cause: 'bandwidth', program: 'bandwidth', says: /^Bandwidth-bound: MPI_Waitall / },
  { cause: 'memory', program: 'memory', says: /^Memory-bound: / },
] as const;
/** What needs no plant to be true: the hosts of the lab have a share of a core. */
const ANYWAY = /^(CPU-bound:|We cannot tell|The processors|Mainly not the link)/;

const flag = (name: string): string | undefined => {
  const place = process.argv.indexOf(name);
  return place < 0 ? undefined : process.argv[place + 1];
};
const [only, causes] = [flag('--only')?.split(','), flag('--causes')?.split(',')];
const unplanted = Number(flag('--none') ?? '0');

const kept = flag('--keep');
const folder = kept === undefined ? mkdtempSync(join(tmpdir(), 'predict-causes-')) : resolve(kept);
const inventory = `/var/lib/predict-lab/${LAB}/inventory.yaml`;
const predict = (...words: readonly string[]) => execa(join(projectRoot(), 'predict'), words, { stderr: 'pipe' });
const score = { right: 0, wrong: 0, silent: 0, notRun: 0 };

await predict('lab', 'down', '--name', LAB);
await predict('lab', 'up', '--name', LAB, '--hosts', String(HOSTS), '--cpu', `${CPU_PERCENT}%`, '--link', LINK);
try {
  for (const { name, command, launcher, lacks } of programsFor(join(folder, 'programs'))) {
    if (only !== undefined && !only.includes(name)) continue;
    const asked = PLANTS.filter(({ cause }) => causes === undefined || causes.includes(cause));
    if (lacks !== null) {
      score.notRun += asked.length;
      console.log(`${name}: not run, ${lacks}`);
      continue;
    }
    for (const { cause, program, says } of asked) {
      const said = await measured({ name, words: [...command, program], launcher, cause });
      const verdict = says.test(said) ? 'right' : ANYWAY.test(said) ? 'silent' : 'wrong';
      score[verdict] += 1;
      console.log(`${name} ${cause}: ${verdict}. ${said}`);
    }
    for (let run = 0; run < unplanted; run += 1) {
      const said = await measured({ name, words: [...command, 'none'], launcher, cause: `none-${run}` });
      const verdict = ANYWAY.test(said) ? 'right' : 'wrong';
      score[verdict] += 1;
      console.log(`${name} none: ${verdict}. ${said}`);
    }
  }
} finally {
  await predict('lab', 'down', '--name', LAB);
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
console.log(`${score.right} right, ${score.wrong} wrong, ${score.silent} silent, ${score.notRun} not run`);
if (score.wrong > 0) process.exitCode = 1;

interface Run {
  readonly name: string;
  readonly words: readonly string[];
  readonly launcher: readonly string[];
  readonly cause: string;
}

/** The first sentence on what limits a program. */
async function measured({ name, words, launcher, cause }: Run): Promise<string> {
  const own = join(folder, name.replaceAll('/', '-'), cause);
  mkdirSync(own, { recursive: true });
  const [workload, hosts, out] = ['workload.yaml', 'inventory.yaml', 'campaign'].map((file) => join(own, file)) as [
    string,
    string,
    string,
  ];
  const rules = ['time: { pattern: "took ([0-9.]+) s", unit: s }', 'failure: []', 'ranks: any', 'trace: mpi'];
  const lines = ['kind: command', `name: plant-${cause}`, `command: ${JSON.stringify(words)}`, ...rules];
  writeFileSync(workload, `${lines.join('\n')}\n`);
  const accept = cause === 'link' ? `accept: ${SICK}\n` : '';
  const text = accept + readFileSync(inventory, 'utf8').replace('launcher: openmpi', launcher.join('\n  '));
  // Words for Open MPI's mpirun are none for another.
  writeFileSync(hosts, launcher.length === 1 ? text : text.replace(/ {2}args:\n( {4}- .*\n)+/, ''));
  if (cause === 'host') setQuota(LAB, SICK, CPU_PERCENT / 2);
  if (cause === 'link') await setLink(LAB, SICK, { rate: '40mbit', burst: 5000 });
  const size = ['--nodes', String(HOSTS), '--bw', '100', '--reps', '2', '--repeats', '0'];
  const swept = await predict('sweep', '--inventory', hosts, '--workload', workload, ...size, '--out', out).catch(
    (error: unknown) => error,
  );
  if (cause === 'link') await setLink(LAB, SICK, { rate: LINK, burst: 100_000 });
  if (cause === 'host') setQuota(LAB, SICK, 8 * CPU_PERCENT);
  if (swept instanceof Error) return `the sweep failed: ${swept.message.slice(0, 300)}`;
  const { stdout } = await predict('why', out, '--json');
  const { answers } = JSON.parse(stdout) as { answers: { limit: { sentence: string } } | null };
  return answers?.limit.sentence ?? 'nothing was measured';
}

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { buildProgram } from '../../../agents/build.ts';
import { builtFolder, sourceFolder } from '../../../agents/host-programs.ts';
import { projectRoot } from '../../../base/paths.ts';
import { mpirunWords, RANKS_OPTIONS } from '../run-ranks.ts';

/** Results must be the same on all of them. */
export const TEAMS = [1, 2, 3, 4, 6, 9].flatMap((ranks) => [1, 2].map((threads) => ({ ranks, threads })));

/**
 * A function that starts so many ranks once and does in them a run of the program for each of the lists of options, for
 * starting ranks takes longer than a run on a small graph. It returns what each said, in their order, and fails where
 * one ended with an error. The folder keeps what is built and given.
 */
export function manyRuns(folder: string) {
  let built: Promise<string> | undefined;
  return async (
    { ranks, threads }: (typeof TEAMS)[number],
    runs: readonly (readonly string[])[],
  ): Promise<readonly string[]> => {
    built ??= build(folder);
    const list = join(folder, `runs-${ranks}-${threads}`);
    writeFileSync(list, runs.map((words) => `${[...words, '--threads', threads].join(' ')}\n`).join(''));
    const [command = '', ...words] = mpirunWords(ranks, await built, [list]);
    const { exitCode, stdout, stderr } = await execa(command, words, { ...RANKS_OPTIONS, timeout: 0 });
    if (exitCode !== 0 || stderr !== '') throw new Error(`${ranks} ranks ended with ${exitCode}: ${stderr}`);
    return stdout.split(/^(?=many-runs: )/m);
  };
}

/** The program with another main, for which messages of more than 100 bytes are as those beyond 2 GiB. */
async function build(folder: string): Promise<string> {
  await buildProgram('graphalytics');
  const [objects, source] = [
    join(builtFolder('build'), 'graphalytics'),
    join(projectRoot(), 'test/agents/graphalytics'),
  ];
  const files = ['graphalytics', 'mpi'].flatMap((part) =>
    readdirSync(join(objects, part))
      .filter((name) => name.endsWith('.o') && !['main.o', 'net.o'].includes(name))
      .map((name) => join(objects, part, name)),
  );
  const program = join(folder, 'many-runs');
  const includes = (['graphalytics', 'mpi'] as const).map((part) => `-I${sourceFolder(part)}`);
  const sources = [join(source, 'many-runs.c'), join(sourceFolder('mpi'), 'net.c')];
  await execa('mpicc', ['-fopenmp', '-DMOST_BYTES=100', ...includes, ...sources, ...files, '-o', program, '-lm']);
  return program;
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { quote } from '../base/index.ts';
import { fileName, type MpiProgram, sourceFolder } from './paths.ts';

/** What a machine with an MPI compiler needs to make a program of ours. */
export interface MpiSource {
  /** Of the sources and of how they are compiled, hex. */
  readonly digest: string;
  /** A shell script that writes the sources below the working folder and compiles them there into `file`, with the compiler `$1`. */
  readonly script: string;
  readonly file: string;
}

/** As agents/mpi/program.mk has them. */
const FLAGS = '-std=c11 -O3 -Impi';

/** The sources of a program under MPI as one script, so that the machine that compiles needs a shell and the compiler alone. */
export function mpiSource(program: MpiProgram): MpiSource {
  const files = [program, 'mpi'].flatMap((part) => sourcesOf(part as MpiProgram | 'mpi'));
  const digest = createHash('sha256').update(FLAGS);
  for (const { path, text } of files) digest.update(`${path}\0${text}\0`);
  const end = `end-of-${digest.copy().digest('hex').slice(0, 16)}`;
  const file = fileName(program);
  const write = files.map(({ path, text }) => `cat > ${path} <<'${end}' || exit\n${text.replace(/\n?$/, '\n')}${end}`);
  const units = files.filter(({ path }) => path.endsWith('.c')).map(({ path }) => path);
  const script = [
    `mkdir -p ${program} mpi || exit`,
    ...write,
    `exec "$1" ${FLAGS} ${units.join(' ')} -o ${quote(file)} -lm`,
    '',
  ].join('\n');
  return { digest: digest.digest('hex'), script, file };
}

/** The sources of the recorder of MPI calls, which is compiled where the program's own MPI is. */
export async function recorderSources(): Promise<readonly string[]> {
  const folder = sourceFolder('mpi-trace');
  const names = await readdir(folder);
  return names.filter((name) => /\.[ch]$|^Makefile$/.test(name)).map((name) => join(folder, name));
}

/** The source of the library that lets ranks of an older MPICH leave MPI_Finalize, compiled on the cluster too. */
export function mpichEndSource(): string {
  return join(sourceFolder('mpich-end'), 'mpich-end.c');
}

function sourcesOf(part: MpiProgram | 'mpi'): { readonly path: string; readonly text: string }[] {
  const folder = sourceFolder(part);
  const names = readdirSync(folder).filter((name) => /\.[ch]$/.test(name));
  return names.sort().map((name) => ({
    path: `${part}/${basename(name)}`,
    text: readFileSync(join(folder, name), 'utf8'),
  }));
}

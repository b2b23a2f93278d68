import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Script, sh } from '../base/shell.ts';
import { fileName, type MpiProgram, sourceFolder } from './paths.ts';

/** What a machine with an MPI compiler needs to make a program of ours. */
export interface MpiSource {
  /** Of the sources and of how they are compiled, hex. */
  readonly digest: string;
  /** Makes the program: its arguments are a folder for it, `file` and the compiler; it reads `input`. */
  readonly script: Script;
  /** A line for each source: its path and, in base64, its text. */
  readonly input: string;
  readonly file: string;
}

/** Flags as agents/mpi/program.mk has them. Two at once do not disturb each other. */
const COMPILE = sh`
[ -x "$1/$2" ] && exit
work=$1.$$
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p -- "$1" "$work" && cd -- "$work" || exit
while read -r path text; do
  mkdir -p -- "\${path%/*}" && printf %s "$text" | base64 -d > "$path" || exit
done
"$3" -std=c11 -O3 -Impi */*.c -o "$2" -lm && mv -f -- "$2" "$1/$2"`;

/** The sources of a program under MPI, for a machine that has a shell and the compiler alone. */
export function mpiSource(program: MpiProgram): MpiSource {
  const files = [program, 'mpi'].flatMap((part) => sourcesOf(part as MpiProgram | 'mpi'));
  const input = files.map(({ path, bytes }) => `${path} ${bytes.toString('base64')}\n`).join('');
  const digest = createHash('sha256').update(COMPILE).update(input).digest('hex');
  return { digest, script: COMPILE, input, file: fileName(program) };
}

/** The sources of the recorder of MPI calls, which is compiled where the program's own MPI is. */
export async function recorderSources(): Promise<readonly string[]> {
  const folder = sourceFolder('mpi-trace');
  const names = await readdir(folder);
  return names.filter((name) => /\.[ch]$/.test(name)).map((name) => join(folder, name));
}

/** The source of the library that lets ranks of an older MPICH leave MPI_Finalize, compiled on the cluster too. */
export function mpichEndSource(): string {
  return join(sourceFolder('mpich-end'), 'mpich-end.c');
}

function sourcesOf(part: MpiProgram | 'mpi'): { readonly path: string; readonly bytes: Buffer }[] {
  const folder = sourceFolder(part);
  const names = readdirSync(folder).filter((name) => /\.[ch]$/.test(name));
  return names.sort().map((name) => ({
    path: `${part}/${basename(name)}`,
    bytes: readFileSync(join(folder, name)),
  }));
}

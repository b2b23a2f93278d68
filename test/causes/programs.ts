import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { projectRoot } from '../../base/paths.ts';

/** A program in one language for one MPI. */
interface Program {
  readonly name: string;
  readonly command: readonly string[];
  /** Lines in the place of the lab's own launcher. */
  readonly launcher: readonly string[];
  /** What this machine lacks for it; null for nothing. */
  readonly lacks: string | null;
}

const SOURCES = join(projectRoot(), 'test', 'causes');

/** The same program in three languages for two MPIs, compiled into a folder that every user may read. */
export function programsFor(folder: string): readonly Program[] {
  mkdirSync(folder, { recursive: true });
  execFileSync('chmod', ['755', folder, join(folder, '..')]);
  return (['openmpi', 'mpich'] as const).flatMap((mpi) => {
    const launcher = mpi === 'openmpi' ? ['launcher: openmpi'] : ['launcher: mpich', 'command: /usr/bin/mpiexec.mpich'];
    const compiled = (language: string, compiler: string, source: string): Program => {
      const program = join(folder, `${language}-${mpi}`);
      const missing = lacks(`${compiler}.${mpi}`);
      if (missing === null)
        execFileSync(`${compiler}.${mpi}`, ['-O2', '-o', program, join(SOURCES, source)], { cwd: folder });
      return { name: `${language}/${mpi}`, command: [program], launcher, lacks: missing };
    };
    return [
      compiled('c', 'mpicc', 'plant.c'),
      compiled('fortran', 'mpifort', 'plant.f90'),
      {
        name: `python/${mpi}`,
        command: python(mpi),
        launcher,
        lacks: mpi === 'openmpi' ? lacksModule() : lacks('mpiexec.mpich'),
      },
    ];
  });
}

function lacks(program: string): string | null {
  return existsSync(`/usr/bin/${program}`) ? null : `${program} is not installed`;
}

/** Debian's mpi4py is for Open MPI: MPICH's library is called without it. */
function python(mpi: string): readonly string[] {
  return ['/usr/bin/python3', join(SOURCES, 'plant.py'), ...(mpi === 'mpich' ? [mpi] : [])];
}

function lacksModule(): string | null {
  const { exitCode } = execaSync('/usr/bin/python3', ['-c', 'import mpi4py.MPI'], { reject: false });
  return exitCode === 0 ? null : 'mpi4py is not installed';
}

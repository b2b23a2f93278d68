import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
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
      const lacks = existsSync(`/usr/bin/${compiler}.${mpi}`) ? null : `${compiler}.${mpi} is not installed`;
      if (lacks === null)
        execFileSync(`${compiler}.${mpi}`, ['-O2', '-o', program, join(SOURCES, source)], { cwd: folder });
      return { name: `${language}/${mpi}`, command: [program], launcher, lacks };
    };
    const python = ['/usr/bin/python3', join(SOURCES, 'plant.py')];
    return [
      compiled('c', 'mpicc', 'plant.c'),
      compiled('fortran', 'mpifort', 'plant.f90'),
      { name: `python/${mpi}`, command: python, launcher, lacks: lacksModule(mpi) },
    ];
  });
}

/** Whether Python's mpi4py is there, and made for that MPI. */
function lacksModule(mpi: string): string | null {
  try {
    const words = ['-c', 'from mpi4py import MPI; print(MPI.Get_library_version())'];
    const version = execFileSync('/usr/bin/python3', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const made = version.startsWith('Open MPI') ? 'openmpi' : 'mpich';
    return made === mpi ? null : `mpi4py is made for ${made}`;
  } catch {
    return 'mpi4py is not installed';
  }
}

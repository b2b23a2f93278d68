import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { buildProgram } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';
import { compiled } from '../compiled.ts';
import { hasCompiler, mended } from './run-traced.ts';

const MCA = { pml: 'ob1', btl: 'self,tcp', mpi_yield_when_idle: '1' };

/** How two ranks with libraries preloaded are started. */
const launch = {
  openmpi: (libraries: string) => [
    ...['mpirun.openmpi', '--oversubscribe', '-np', '2', '-x', `LD_PRELOAD=${libraries}`],
    ...Object.entries(MCA).flatMap(([name, value]) => ['--mca', name, value]),
  ],
  mpich: (libraries: string) => [
    ...['mpiexec.mpich', '-n', '2', '-genv', 'LD_PRELOAD', libraries, '-genv', 'UCX_TLS', 'tcp,self'],
  ],
};

for (const mpi of ['openmpi', 'mpich'] as const)
  test.skipIf(!hasCompiler(mpi))(
    `the idle helper does not put off the work of a rank of ${mpi} that tests, and one that only tests hardly computes`,
    async () => {
      const source = join(projectRoot(), 'test/fixtures/mpi-programs/tests.c');
      const program = compiled('tests', `mpicc.${mpi}`, { words: ['-O2', source], sources: [source] });
      const [command = '', ...words] = launch[mpi]([await buildProgram('idle'), ...mended(mpi)].join(':'));
      const { stdout } = await execa(command, [...words, program], {
        env: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
        timeout: 300_000,
      });
      const [works] = /(?<=^works )\d+/m.exec(stdout) ?? [];
      const [hurries] = /(?<=^hurries )\d+/m.exec(stdout) ?? [];
      const [, waited, cpu] = /^waits (\d+) (\d+)$/m.exec(stdout) ?? [];
      // 300 tests: with blocks of 10 ms they would take a second at least.
      expect(Number(works)).toBeLessThan(500_000);
      // 1,000 tests: the processor is given up in a few of them, not in each.
      expect(Number(hurries)).toBeLessThan(500);
      expect(Number(waited)).toBeGreaterThan(250_000);
      expect(Number(cpu)).toBeLessThan(30_000);
    },
  );

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { LauncherName } from '../../../inventory/inventory-schema.ts';
import { checkProgram } from '../../../orchestrator/hosts/check-program.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { hasCompiler } from '../../agents/run-traced.ts';
import { FakeWorld } from '../fake/world.ts';
import { machine, plainFolder } from './local-machine.ts';

/** What is said of a program on a host of a cluster with this launcher. */
async function said(launcher: LauncherName, program: string): Promise<string | undefined> {
  const given = new FakeWorld(1).inventory;
  const inventory = { ...given, work: { folder: '/', shared: true }, mpi: { ...given.mpi, launcher } };
  const cluster = new Cluster(inventory, machine(plainFolder()));
  return (await checkProgram(cluster, inventory.hosts, program)).get('n1');
}

async function compiled(compiler: string): Promise<string> {
  const folder = plainFolder();
  const source = join(folder, 'ends.c');
  writeFileSync(source, '#include <mpi.h>\nint main(void) { return MPI_Init(0, 0) + MPI_Finalize(); }\n');
  await execa(compiler, ['-o', join(folder, 'ends'), source]);
  return join(folder, 'ends');
}

test.skipIf(!hasCompiler('openmpi') || !hasCompiler('mpich'))(
  'a program of another MPI than the launcher is refused before it runs, however short it lives',
  async () => {
    const [ours, theirs] = await Promise.all([compiled('mpicc.openmpi'), compiled('mpicc.mpich')]);
    expect(await said('openmpi', theirs)).toMatch(/uses MPICH, but mpi.launcher is openmpi, .*Name the launcher/);
    expect(await said('mpich', ours)).toMatch(/uses Open MPI, but mpi.launcher is mpich/);
    for (const [launcher, program] of [
      ['openmpi', ours],
      ['mpich', theirs],
      ['srun', ours],
      ['srun', theirs],
      ['mpich', 'sh'],
    ] as const) {
      expect([launcher, program, await said(launcher, program)]).toEqual([launcher, program, undefined]);
    }
  },
);

test('a program that is not there, or lacks a library, is said to', async () => {
  const folder = plainFolder();
  expect(await said('openmpi', join(folder, 'none'))).toMatch(
    /there is no program .*none that the ssh user can execute/,
  );
  const library = join(folder, 'libgone.so');
  await execa('gcc', ['-shared', '-o', library, '-x', 'c', '-'], { input: 'int gone(void) { return 0; }' });
  const program = join(folder, 'needs');
  const source = 'int gone(void); int main(void) { return gone(); }';
  await execa('gcc', ['-o', program, '-x', 'c', '-', '-x', 'none', library], { input: source });
  await execa('rm', [library]);
  expect(await said('openmpi', program)).toMatch(/needs lacks .*libgone\.so: install the libraries/);
});

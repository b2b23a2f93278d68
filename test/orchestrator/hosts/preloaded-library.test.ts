import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa, execaSync } from 'execa';
import { describe, expect, test } from 'vitest';
import type { Inventory, LauncherName } from '../../../inventory/inventory-schema.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { preloading, provideEnd } from '../../../orchestrator/hosts/preloaded-library.ts';
import { LAUNCHERS } from '../../../orchestrator/launchers/launchers.ts';
import { programFor } from '../../agents/run-traced.ts';
import { FakeWorld } from '../fake/world.ts';
import { machine, plainFolder } from './local-machine.ts';

const MPIEXEC = 'mpiexec.mpich';

function cluster(launcher: LauncherName, folder = join(plainFolder(), 'work')): Cluster {
  const given = new FakeWorld(2).inventory;
  const inventory: Inventory = {
    ...given,
    work: { folder, shared: true },
    mpi: {
      ...given.mpi,
      launcher,
      command: launcher === 'mpich' ? MPIEXEC : undefined,
      env: { LD_PRELOAD: '/l/o.so' },
    },
  };
  return new Cluster(inventory, machine(plainFolder()));
}

/** Whether this machine has an MPICH of the kind. */
function mayHang(): boolean {
  const { stdout, failed } = execaSync(MPIEXEC, ['--version'], { reject: false });
  return !failed && LAUNCHERS.mpich.mayHang?.(stdout) !== null;
}

describe('the end of ranks of an older MPICH over UCX', () => {
  test.skipIf(!mayHang())('is mended by a library from the head host, beside what else is preloaded', async () => {
    const hosts = cluster('mpich');
    expect(await provideEnd(hosts, hosts.inventory.hosts)).toBeNull();
    const [library = ''] = hosts.preloads;
    expect([dirname(library), existsSync(library)]).toEqual([hosts.workFolder, true]);
    expect(preloading(hosts.inventory, hosts.preloads).mpi.env.LD_PRELOAD).toBe(`${library}:/l/o.so`);
    // Ranks that talk over TCP only, as on several hosts.
    const env = { LD_PRELOAD: library, UCX_TLS: 'tcp,self', UCX_NET_DEVICES: 'lo', MPIR_CVAR_NOLOCAL: '1' };
    const words = ['-n', '3', ...Object.entries(env).flatMap(([name, value]) => ['-genv', name, value])];
    const run = await execa(MPIEXEC, [...words, programFor('mpich', 'kernels'), '5', '10', 'stencil'], {
      timeout: 300_000,
    });
    expect(run.stdout).toMatch(/^took [\d.]+ s$/);
  });

  test('is left alone under the launcher of another MPI', async () => {
    const hosts = cluster('openmpi');
    expect([await provideEnd(hosts, hosts.inventory.hosts), hosts.preloads]).toEqual([null, []]);
  });
});

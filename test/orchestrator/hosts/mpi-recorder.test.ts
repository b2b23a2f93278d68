import { readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { Host, Inventory } from '../../../inventory/inventory-schema.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import type { Executor } from '../../../orchestrator/hosts/executor.ts';
import { fetchRecords, provideRecorder, recorded } from '../../../orchestrator/hosts/mpi-recorder.ts';
import { hasCompiler, programFor, rowsOf } from '../../agents/run-traced.ts';
import { FakeWorld } from '../fake/world.ts';
import { machine, plainFolder } from './local-machine.ts';

function cluster(open: (folder: string) => (host: Host) => Executor, folder = join(plainFolder(), 'work')): Cluster {
  const given = new FakeWorld(2).inventory;
  const inventory: Inventory = {
    ...given,
    work: { folder, shared: true },
    mpi: { ...given.mpi, launcher: 'openmpi', env: { LD_PRELOAD: '/lib/other.so' } },
  };
  return new Cluster(inventory, open(plainFolder()));
}

test.skipIf(!hasCompiler('openmpi'))(
  'the recorder is compiled on the head host, and what ranks leave is fetched',
  async () => {
    const hosts = cluster(machine);
    await provideRecorder(hosts, hosts.inventory.hosts);
    const folder = plainFolder();
    const { env } = recorded(hosts, { folder, ranks: 25 }).mpi;
    const [library = '', other] = (env.LD_PRELOAD ?? '').split(':');
    expect([dirname(library), other, env.PREDICT_MPI_TRACE]).toEqual([hosts.workFolder, '/lib/other.so', folder]);
    expect(env.PREDICT_MPI_TRACE_RECORDS).toBe('40000');
    const own = { ...env, LD_PRELOAD: library, OMPI_MCA_ess_singleton_isolated: '1' };
    await execa(programFor('openmpi', 'kernels'), ['2', '1', 'transpose'], { env: own });
    expect(readdirSync(folder).sort()).toEqual(['rank-0.calls', 'rank-0.messages']);
    const trace = await fetchRecords(hosts, hosts.inventory.hosts, folder);
    expect(rowsOf(trace.phases).filter(({ phase }) => phase === 'MPI_Alltoall')).toHaveLength(2);
    expect(trace.warnings).toEqual([]);
  },
);

/** What a host has at least. */
const TOOLS = ['sh', 'mkdir', 'sha256sum', 'realpath', 'id', 'stat'];

test('a host without a compiler is told so', async () => {
  const tools = plainFolder();
  for (const name of TOOLS) symlinkSync(`/usr/bin/${name}`, join(tools, name));
  const hosts = cluster((root) => machine(root, tools));
  const told = provideRecorder(hosts, hosts.inventory.hosts);
  await expect(told).rejects.toThrow(
    /n1: the recorder of MPI calls could not be compiled \(.*no MPI compiler was found/,
  );
});

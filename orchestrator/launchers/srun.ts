import type { Launch, Launcher } from './launcher.ts';

/** Slurm's srun, inside an allocation or as a job of its own. TCP is forced for Open MPI and for MPICH's libfabric. */
export const srun: Launcher = {
  command: 'srun',
  argv,
  faults:
    /Unable to (create|allocate|confirm)|Communication connection failure|Node failure|Connection (refused|reset|timed out)|Socket timed out/,
};

function argv({ inventory, hosts, ranksPerNode, argv }: Launch): readonly string[] {
  const { mpi } = inventory;
  const env = { OMPI_MCA_pml: 'ob1', OMPI_MCA_btl: 'self,vader,tcp', FI_PROVIDER: 'tcp', ...mpi.env };
  return [
    'env',
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    mpi.command ?? srun.command,
    ...['--nodelist', hosts.map(({ name }) => name).join(',')],
    ...['--nodes', String(hosts.length)],
    ...['--ntasks', String(hosts.length * ranksPerNode)],
    ...['--ntasks-per-node', String(ranksPerNode)],
    '--distribution=block',
    '--kill-on-bad-exit=1',
    ...mpi.args,
    ...argv,
  ];
}

import type { Launch, Launcher } from './launcher.ts';

/**
 * Open MPI's mpirun. TCP is forced (pml ob1, btl tcp): RDMA would pass by the throttle. Both the data and the
 * out-of-band connections stay on the data network.
 */
export const openmpi: Launcher = {
  command: 'mpirun',
  argv,
  faults:
    /ORTE (was unable|has lost communication|daemon has failed)|unable to reliably start|Host key verification failed|Permission denied \(publickey|not enough slots available|Connection (refused|reset|timed out)|No route to host/,
};

function argv({ inventory, hosts, ranksPerNode, argv }: Launch): readonly string[] {
  const { mpi, network } = inventory;
  const link = network.interface ?? network.cidr ?? '';
  return [
    'env',
    // mpirun refuses root without these; they mean nothing to other users.
    'OMPI_ALLOW_RUN_AS_ROOT=1',
    'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1',
    mpi.command ?? openmpi.command,
    ...['--host', hosts.map(({ name }) => `${name}:${ranksPerNode}`).join(',')],
    ...['-np', String(hosts.length * ranksPerNode)],
    ...['--mca', 'pml', 'ob1'],
    ...['--mca', 'btl', ranksPerNode > 1 ? 'self,vader,tcp' : 'self,tcp'],
    ...['--mca', 'btl_tcp_if_include', link],
    ...['--mca', 'oob_tcp_if_include', link],
    ...Object.entries(mpi.env).flatMap(([name, value]) => ['-x', `${name}=${value}`]),
    ...mpi.args,
    ...argv,
  ];
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { allocation } from '../../inventory/allocation.ts';
import { type LauncherName, launcherSchema } from '../../inventory/inventory-schema.ts';
import { parseInventory } from '../../inventory/load-inventory.ts';
import { LAUNCHERS, usesAgent } from '../../orchestrator/launchers/launchers.ts';

const CLUSTER = 'cluster: c\nhosts: ["n[1-3]"]\nlineRate: 1gbit\nnetwork: { interface: eth1 }\n';

interface Change {
  readonly mpi?: string;
  readonly ranksPerNode?: number;
  readonly cluster?: string;
  readonly agent?: string;
  readonly link?: string;
  readonly threads?: number;
}

/** The words that start `./solver 20` on the first two hosts. */
function argvOf(launcher: LauncherName, { mpi = '', ranksPerNode = 2, cluster = CLUSTER, ...way }: Change = {}) {
  const inventory = parseInventory(`${cluster}mpi: { launcher: ${launcher}${mpi} }\n`, 'inventory.yaml');
  const hosts = inventory.hosts.slice(0, 2);
  return LAUNCHERS[launcher].argv({ inventory, hosts, ranksPerNode, argv: ['./solver', '20'], ...way });
}

describe('the words of a launcher', () => {
  const words: Readonly<Record<LauncherName, string>> = {
    openmpi:
      'env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --host n1:2,n2:2 -np 4 --mca pml ob1 ' +
      '--mca btl self,vader,tcp --mca osc ^ucx --mca osc_rdma_priority 1 --mca btl_tcp_if_include eth1 --mca oob_tcp_if_include eth1 ./solver 20',
    mpich:
      'mpiexec -hosts n1:2,n2:2 -ppn 2 -n 4 -iface eth1 -genv FI_PROVIDER tcp -genv UCX_TLS tcp,self,sm ' +
      '-genv FI_TCP_IFACE eth1 -genv UCX_NET_DEVICES eth1 ./solver 20',
    srun:
      'env OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_osc=^ucx OMPI_MCA_osc_rdma_priority=1 ' +
      'OMPI_MCA_btl_tcp_if_include=eth1 OMPI_MCA_oob_tcp_if_include=eth1 FI_PROVIDER=tcp UCX_TLS=tcp,self,sm ' +
      'FI_TCP_IFACE=eth1 UCX_NET_DEVICES=eth1 srun --exclusive --nodes 2 --ntasks 4 --nodelist n1,n2 --ntasks-per-node 2 ' +
      '--distribution=block --kill-on-bad-exit=1 ./solver 20',
    flux:
      'env OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_osc=^ucx OMPI_MCA_osc_rdma_priority=1 ' +
      'OMPI_MCA_btl_tcp_if_include=eth1 OMPI_MCA_oob_tcp_if_include=eth1 FI_PROVIDER=tcp UCX_TLS=tcp,self,sm ' +
      'FI_TCP_IFACE=eth1 UCX_NET_DEVICES=eth1 flux run -o exit-on-error --nodes 2 --ntasks 4 --requires=hosts:n1,n2 ./solver 20',
  };
  it.each(launcherSchema.options)('place the ranks on the hosts and hold them to TCP: %s', (launcher) => {
    expect(argvOf(launcher).join(' ')).toBe(words[launcher]);
  });

  it.each([
    ['openmpi', ['-x', 'MODE=fast lane', '--tag-output', './solver', '20']],
    ['mpich', ['-genv', 'UCX_NET_DEVICES', 'eth1', '-genv', 'MODE', 'fast lane', '--tag-output', './solver', '20']],
    ['srun', ['--kill-on-bad-exit=1', '--tag-output', './solver', '20']],
  ] as const)('end with the environment, the arguments of the inventory and the program: %s', (launcher, words) => {
    const argv = argvOf(launcher, { mpi: ', env: { MODE: fast lane }, args: [--tag-output]' });
    expect(argv.slice(-words.length)).toEqual(words);
    if (launcher === 'srun') expect(argv).toContain('MODE=fast lane');
  });

  it('name the program that the inventory names', () => {
    expect(argvOf('openmpi', { mpi: ', command: /opt/mpi/bin/mpirun' })[3]).toBe('/opt/mpi/bin/mpirun');
    expect(argvOf('mpich', { mpi: ', command: mpiexec.hydra' })[0]).toBe('mpiexec.hydra');
  });

  it('let the environment of the inventory win over the default', () => {
    expect(argvOf('mpich', { mpi: ', env: { FI_PROVIDER: sockets }' })).toContain('sockets');
    expect(argvOf('srun', { mpi: ', env: { FI_PROVIDER: sockets }' })).not.toContain('FI_PROVIDER=tcp');
  });

  it('name the network where no interface is known', () => {
    const cluster = CLUSTER.replace('interface: eth1', 'cidr: 10.0.0.0/24');
    expect(argvOf('openmpi', { cluster })).toContain('10.0.0.0/24');
    expect(argvOf('mpich', { cluster })).not.toContain('-iface');
  });

  it('reach the hosts by the agent, unless the inventory names another', () => {
    const agent = '/w/start';
    expect(argvOf('openmpi', { agent }).join(' ')).toContain(
      '--mca plm_rsh_agent sh /w/start --mca plm_rsh_no_tree_spawn 1',
    );
    expect(argvOf('mpich', { agent }).join(' ')).toContain('-launcher ssh -launcher-exec /w/start');
    expect(usesAgent(LAUNCHERS.openmpi, ['--mca', 'plm_rsh_agent', 'ssh -F x'])).toBe(false);
    expect(usesAgent(LAUNCHERS.mpich, ['-launcher-exec', 'x'])).toBe(false);
    const { openmpi, mpich, srun } = LAUNCHERS;
    expect([openmpi, mpich, srun].map((each) => usesAgent(each, ['--bind-to', 'none']))).toEqual([true, true, false]);
  });

  it.each([
    [
      'HYDRA build details:\n    Version:   4.0.2\n    Configure options: --with-ucx=/usr --with-device=ch4:ucx\n',
      '4.0.2',
    ],
    ['HYDRA build details:\n    Version:   4.1.3a1\n    Configure options: --with-device=ch4:ucx\n', '4.1.3a1'],
    ['HYDRA build details:\n    Version:   4.2.0\n    Configure options: --with-device=ch4:ucx\n', null],
    ['HYDRA build details:\n    Version:   4.0.2\n    Configure options: --with-device=ch4:ofi\n', null],
    ['mpirun (Open MPI) 4.1.4\n', null],
  ])('know an MPICH that may hang in MPI_Finalize by its own words', (said, version) => {
    expect(LAUNCHERS.mpich.mayHang?.(said)).toBe(version);
  });

  it("keep MPICH to the hosts' data interface where the inventory names the network only", () => {
    const cluster = CLUSTER.replace('interface: eth1', 'cidr: 10.0.0.0/24');
    const words = argvOf('mpich', { cluster, link: 'ens3', ranksPerNode: 1 }).join(' ');
    expect(words).toContain('-iface ens3 -genv FI_PROVIDER tcp -genv UCX_TLS tcp,self -genv FI_TCP_IFACE ens3');
  });

  it.each([
    ['openmpi', '', '--bind-to none ./solver 20'],
    ['openmpi', ', args: [--bind-to, socket]', '10.0.0.0/24 --bind-to socket ./solver 20'],
    ['srun', '', '--cpus-per-task 2 ./solver 20'],
    ['flux', '', '--cores-per-task 2 --requires=hosts:n1,n2 ./solver 20'],
  ] as const)('let each rank have a core for each of its threads: %s%s', (launcher, mpi, end) => {
    const cluster = CLUSTER.replace('interface: eth1', 'cidr: 10.0.0.0/24');
    expect(argvOf(launcher, { cluster, mpi, threads: 2 }).join(' ').endsWith(end)).toBe(true);
  });

  it('leave shared memory out where a host has one rank', () => {
    expect(argvOf('openmpi', { ranksPerNode: 1 })).toContain('self,tcp');
  });
});

describe('srun', () => {
  const allocated = parseInventory(CLUSTER.replace('["n[1-3]"]', 'slurm'), 'i', {
    allocation: allocation('slurm', '125', 'n[1-3]'),
  });

  it('starts a step of the allocation, with the ranks in the order of the host file', () => {
    const hosts = [...allocated.hosts].reverse();
    const launch = { inventory: allocated, hosts, ranksPerNode: 1, argv: ['./solver'], hostFile: '/srv/hosts' };
    const words = LAUNCHERS[allocated.mpi.launcher].argv(launch);
    expect(words).toEqual(
      expect.arrayContaining(['SLURM_HOSTFILE=/srv/hosts', '--jobid=125', '--distribution=arbitrary']),
    );
    expect(words).not.toContain('--nodelist');
    expect(words).not.toContain('--exclusive');
  });

  it('waits between its words about that', () => {
    const waits = (text: string) => LAUNCHERS.srun.isWaiting?.(text);
    const busy = 'srun: Job 1 step creation temporarily disabled, retrying (Requested nodes are busy)\n';
    expect(waits('')).toBe(false);
    expect(waits(busy)).toBe(true);
    expect(waits(`${busy}srun: Step created for StepId=1.2\n`)).toBe(false);
    expect(waits('srun: job 3 queued and waiting for resources\n')).toBe(true);
    expect(waits('srun: job 3 queued and waiting for resources\nsrun: job 3 has been allocated resources\n')).toBe(
      false,
    );
  });

  it.each([
    [
      'srun: error: Unable to create step for job 1: More processors requested than permitted',
      'badInput',
      /allocation/,
    ],
    ['srun: error: Only allocated 4 nodes asked for 9', 'badInput', /asked for 9/],
    ['srun: error: Unable to allocate resources: Requested node configuration is not available', 'badInput', /SLURM/],
    ['srun: error: Unable to allocate resources: Invalid partition name specified', 'badInput', /Invalid partition/],
    ['srun: error: Unable to allocate resources: Invalid node name specified', 'badInput', /Invalid node/],
    [
      'The application appears to have been direct launched using "srun", but OMPI was not built with SLURM\'s PMI support',
      'infrastructure',
      /MpiDefault.*--mpi=pmix/,
    ],
  ] as const)('is of no use again after: %s', (line, kind, text) => {
    expect(LAUNCHERS.srun.refusal?.(`${line}\n`)).toEqual({ kind, text: expect.stringMatching(text) });
  });

  it('may be tried again where nodes are busy', () => {
    expect(
      LAUNCHERS.srun.refusal?.('srun: error: Unable to create step for job 1: Requested nodes are busy\n'),
    ).toBeNull();
  });
});

describe('flux', () => {
  it('starts a run in the instance of the job, which the head looks up', () => {
    const inventory = parseInventory(CLUSTER.replace('["n[1-3]"]', 'flux'), 'i', {
      allocation: allocation('flux', 'ƒ25', 'n[1-3]'),
    });
    const launch = { inventory, hosts: inventory.hosts, ranksPerNode: 1, argv: ['./solver'] };
    const words = LAUNCHERS[inventory.mpi.launcher].argv(launch).join(' ');
    expect(words).toMatch(
      / uri --local "\$2"[\s\S]* predict flux ƒ25 flux run .* --requires=hosts:n1,n2,n3 \.\/solver$/,
    );
  });

  // What flux-core 0.88 printed.
  it.each([
    ['crash', { death: { rank: 0, host: 'node01', pid: undefined, signal: 11 }, others: null, refusal: null }],
    [
      'cancelled',
      {
        death: { rank: 0, host: 'node01', pid: undefined, signal: 15 },
        others: 'type=cancel severity=0',
        refusal: null,
      },
    ],
    ['time-limit', { death: null, others: 'type=timeout severity=0 resource allocation expired', refusal: null }],
    ['too-many-hosts', { death: null, others: null, refusal: 'badInput' }],
  ])('says why a run ended: %s', (name, expected) => {
    const stderr = readFileSync(join(projectRoot(), `test/fixtures/launchers/flux-${name}.stderr`), 'utf8');
    const { death, endedByOthers, refusal } = LAUNCHERS.flux;
    const others = endedByOthers?.(stderr)?.trim() ?? null;
    expect({ death: death(stderr), others, refusal: refusal?.(stderr)?.kind ?? null }).toEqual(expected);
  });
});

describe('an error output', () => {
  test.each([
    ['openmpi', 'ORTE was unable to reliably start one or more daemons.'],
    ['openmpi', 'ORTE has lost communication with a remote daemon.'],
    ['openmpi', 'There are not enough slots available in the system to satisfy the 8'],
    ['openmpi', 'Host key verification failed.'],
    ['openmpi', 'root@n2: Permission denied (publickey,password).'],
    ['openmpi', 'ssh: connect to host n2 port 22: No route to host'],
    ['openmpi', '*** An error occurred in MPI_Init'],
    ['openmpi', 'mpirun was unable to launch the specified application as it could not access'],
    ['openmpi', 'mpiexec: Error: unknown option "-o"'],
    ['openmpi', './lmp: error while loading shared libraries: libfftw3.so.3: cannot open shared object file'],
    ['mpich', '[mpiexec@n1] match_arg (utils/args/args.c:163): unrecognized argument mca'],
    [
      'mpich',
      '[proxy:0:0@n1] HYDU_create_process (utils/launch/launch.c:73): execvp error on file ./lmp (No such file)',
    ],
    [
      'mpich',
      'Abort(1): Fatal error in internal_Init: Other MPI error, error stack:\nMPIDI_UCX_init_world: Endpoint timeout',
    ],
    [
      'mpich',
      '[proxy:0:1@n2] HYDU_sock_connect (sock.c:145): unable to connect from "n2" to "n1" (Connection refused)',
    ],
    ['mpich', 'ssh: connect to host n2 port 22: Connection timed out'],
    ['srun', 'srun: error: Unable to create step for job 4711: More processors requested than permitted'],
    ['srun', 'srun: error: Unable to allocate resources: Requested node configuration is not available'],
    ['srun', 'srun: error: Node failure on n2'],
    ['srun', 'srun: error: slurm_receive_msgs: Socket timed out on send/recv operation'],
  ] as const)('is a fault of the cluster: %s: %s', (launcher, line) => {
    expect(LAUNCHERS[launcher].faults.test(`starting\n${line}\n`)).toBe(true);
  });

  test.each([
    ['openmpi', 'mpirun noticed that process rank 3 with PID 71 on node n2 exited on signal 11 (Segmentation fault).'],
    ['openmpi', 'Primary job  terminated normally, but 1 process returned a non-zero exit code.'],
    ['mpich', '=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES'],
    ['mpich', '=   EXIT CODE: 139'],
    ['srun', 'srun: error: n2: task 3: Segmentation fault (core dumped)'],
    ['srun', 'srun: error: n1: task 0: Exited with exit code 1'],
  ] as const)('is a fault of the program: %s: %s', (launcher, line) => {
    expect(LAUNCHERS[launcher].faults.test(line)).toBe(false);
  });
});

import { stringify } from 'yaml';
import type { Inventory } from '../schema.ts';
import type { LabCgroups } from './cgroups.ts';
import { LAB_NETWORK, type LabHost, type LabSpec } from './spec.ts';

/** sshd of every lab host: keys only, nothing of the machine's own configuration. */
export function sshdConfig(state: string): string {
  return [
    'Port 22',
    `HostKey ${state}/keys/host`,
    `AuthorizedKeysFile ${state}/keys/user.pub`,
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'UseDNS no',
    'StrictModes no',
    'PrintMotd no',
    'PidFile none',
    'MaxStartups 200:30:400',
    'MaxSessions 100',
    'ClientAliveInterval 5',
    'ClientAliveCountMax 3',
    // Scratch files of MPI belong to the host and vanish with it.
    'SetEnv TMPDIR=/run/tmp',
    'Subsystem sftp internal-sftp',
    '',
  ].join('\n');
}

/** ssh_config for the launcher's remote starts from host to host. */
export function sshConfig(state: string): string {
  return [
    'Host *',
    '  User root',
    `  IdentityFile ${state}/keys/user`,
    '  IdentitiesOnly yes',
    `  UserKnownHostsFile ${state}/known_hosts`,
    '  GlobalKnownHostsFile none',
    '  StrictHostKeyChecking yes',
    '  LogLevel ERROR',
    '',
  ].join('\n');
}

export function hostsFile(hosts: readonly LabHost[]): string {
  return ['127.0.0.1 localhost', ...hosts.map(({ address, name }) => `${address} ${name}`), ''].join('\n');
}

export function knownHosts(hosts: readonly LabHost[], hostPublicKey: string): string {
  return `${[...hosts.flatMap(({ name, address }) => [name, address])].join(',')} ${hostPublicKey.trim()}\n`;
}

/** The ordinary inventory file of the lab. */
export function labInventory({
  spec,
  hosts,
  groups,
  agent,
  switchPid,
  programs,
}: {
  readonly spec: LabSpec;
  readonly hosts: readonly LabHost[];
  readonly groups: LabCgroups;
  readonly agent: string;
  readonly switchPid: number;
  readonly programs: Inventory['programs'];
}): string {
  const state = spec.stateFolder;
  const entry = ({ name, address }: LabHost): object => ({ name, address });
  const account = groups.roots.at(-1);
  return stringify({
    cluster: spec.name,
    hosts: hosts.filter(({ cpuPercent }) => cpuPercent !== null).map(entry),
    ssh: {
      user: 'root',
      port: 22,
      key: `${state}/keys/user`,
      knownHosts: `${state}/known_hosts`,
      config: 'none',
      proxyCommand: `${agent} relay --netns /proc/${switchPid}/ns/net %h %p`,
    },
    network: { cidr: LAB_NETWORK },
    lineRate: `${spec.linkBps}bit`,
    ranksPerNode: 1,
    mpi: {
      launcher: 'openmpi',
      head: hosts.filter(({ cpuPercent }) => cpuPercent === null).map(entry)[0],
      args: [
        ...['--mca', 'plm_rsh_agent', `ssh -F ${state}/ssh_config`],
        ...['--mca', 'mpi_yield_when_idle', '1'],
        ...['--bind-to', 'none'],
      ],
      env: {
        LD_PRELOAD: `${state}/libpredict-idle.so`,
        ...(spec.cpuPercent < 100 ? { PREDICT_CPU_PERCENT: String(spec.cpuPercent) } : {}),
      },
    },
    work: { folder: `${state}/work`, shared: true },
    programs,
    sampling: {
      hz: 20,
      cgroup: [...new Set([groups.roots[0], account])].map((root) => `${root}/{host}`),
      ...(spec.cpuPercent < 100 ? { cores: spec.cpuPercent / 100 } : {}),
    },
  });
}

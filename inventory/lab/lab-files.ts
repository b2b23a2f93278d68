import { stringify } from 'yaml';
import { quote, quoteAll } from '../../base/shell.ts';
import { withoutEnd } from '../../base/without-end.ts';
import { burstBytes } from '../../throttle/burst.ts';
import type { Inventory } from '../inventory-schema.ts';
import type { LabCgroups } from './cgroups.ts';
import { LAB_NETWORK, LAB_UID, type LabHost, type LabSpec } from './spec.ts';

/** sshd of every lab host: keys only, nothing of the machine's own configuration. */
export function sshdConfig({ stateFolder: state, user }: LabSpec): string {
  return [
    'Port 22',
    `HostKey ${state}/keys/host`,
    `AuthorizedKeysFile ${state}/keys/user.pub`,
    `PermitRootLogin ${user === 'root' ? 'prohibit-password' : 'no'}`,
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

/** What the hosts' script is told of the lab (variables of a shell). */
export function settings({ linkBps, user }: LabSpec): string {
  const values = { rate: Math.round(linkBps), burst: burstBytes(linkBps), user: user === 'root' ? '' : LAB_UID };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quote(String(value))}\n`)
    .join('');
}

/** The hosts as the switch's script reads them. */
export function hostsList(hosts: readonly LabHost[]): string {
  return hosts.map(({ name, index, address }) => `${name} ${index} ${address}\n`).join('');
}

/**
 * The machine's accounts with the lab's user among them, and sudo's rules for him alone. A password that nobody has is no locked account
 * to sshd.
 */
export function accounts(
  read: (path: string) => string,
  { user }: LabSpec,
  rules: string,
): Readonly<Record<string, string>> {
  if (user === 'root') return {};
  const withLine = (path: string, line: string): string => `${withoutEnd(read(path), '\n')}\n${line}\n`;
  return {
    passwd: withLine('/etc/passwd', `${user}:*:${LAB_UID}:${LAB_UID}:a user of this lab:/run/home:/bin/sh`),
    group: withLine('/etc/group', `${user}:*:${LAB_UID}:`),
    sudoers: `Defaults env_reset, secure_path="/usr/sbin:/usr/bin:/sbin:/bin"\n${rules}`,
  };
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
  return stringify({
    cluster: spec.name,
    hosts: hosts.filter(({ cpuPercent }) => cpuPercent !== null).map(entry),
    ssh: {
      user: spec.user,
      port: 22,
      key: `${state}/keys/user`,
      knownHosts: `${state}/known_hosts`,
      config: 'none',
      proxyCommand: `${quoteAll([agent, 'relay', '--netns', `/proc/${switchPid}/ns/net`])} %h %p`,
    },
    network: { cidr: LAB_NETWORK },
    lineRate: `${spec.linkBps}bit`,
    ranksPerNode: 1,
    mpi: {
      launcher: 'openmpi',
      head: hosts.filter(({ cpuPercent }) => cpuPercent === null).map(entry)[0],
      args: [...['--mca', 'mpi_yield_when_idle', '1'], ...['--bind-to', 'none']],
      env: {
        LD_PRELOAD: `${state}/libpredict-idle.so`,
        ...(spec.cpuPercent < 100 ? { PREDICT_CPU_PERCENT: String(spec.cpuPercent) } : {}),
      },
    },
    work: { folder: `${state}/work`, shared: true },
    programs,
    sampling: {
      hz: 20,
      cgroup: groups.counted.map((root) => `${root}/{host}`),
      ...(spec.cpuPercent < 100 ? { cores: spec.cpuPercent / 100 } : {}),
    },
  });
}

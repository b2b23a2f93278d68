import { stringify } from 'yaml';
import { quote, quoteAll, type Script, sh } from '../../base/shell.ts';
import { withoutEnd } from '../../base/text.ts';
import { burstBytes } from '../../throttle/link-command.ts';
import type { Inventory } from '../inventory-schema.ts';
import type { LabCgroups } from './cgroups.ts';
import { LAB_NETWORK, LAB_UID, type LabHost, type LabSpec } from './spec.ts';

/** The files of a lab's state folder by their names, besides keys, programs and the inventory. */
export function labFiles(
  spec: LabSpec,
  { hosts, hostPublicKey }: { readonly hosts: readonly LabHost[]; readonly hostPublicKey: string },
): Readonly<Record<string, string>> {
  const addresses = hosts.map(({ address, name }) => `${address} ${name}`);
  return {
    'spec.json': JSON.stringify(spec),
    'switch.sh': SWITCH,
    'host.sh': HOST,
    settings: settings(spec),
    // As the switch's script reads them.
    'hosts.list': hosts.map(({ name, index, address }) => `${name} ${index} ${address}\n`).join(''),
    sshd_config: sshdConfig(spec),
    known_hosts: `${hosts.flatMap(({ name, address }) => [name, address]).join(',')} ${hostPublicKey.trim()}\n`,
    hosts: ['127.0.0.1 localhost', ...addresses, ''].join('\n'),
  };
}

/** sshd of every lab host: keys only, nothing of the machine's own configuration. */
function sshdConfig({ stateFolder: state, user }: LabSpec): string {
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
    // Open MPI's usual poll() looks at the connections to all other ranks: with 25 of them messages cost a tenth more.
    'SetEnv TMPDIR=/run/tmp OMPI_MCA_opal_event_include=epoll',
    'Subsystem sftp internal-sftp',
    '',
  ].join('\n');
}

/** What the hosts' script is told of the lab (variables of a shell). */
function settings({ linkBps, user }: LabSpec): string {
  const values = { rate: Math.round(linkBps), burst: burstBytes(linkBps), user: user === 'root' ? '' : LAB_UID };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quote(String(value))}\n`)
    .join('');
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

/**
 * The shell script that is the lab: PID 1 of the switch's namespaces. Arguments: the state folder, the switch's address with its prefix
 * length, the lab's control groups. It makes the bridge, then one process tree per line of `hosts.list` (name, number, address), and
 * waits. Ending it ends everything below it: the kernel kills a PID namespace with its first process.
 */
const SWITCH: Script = sh`#!/bin/sh
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
state=$1 address=$2
shift 2
# Until the hosts have left for their own groups, all starts in the group of the switch.
mount --make-rprivate /
mount -t proc proc /proc
ip link set lo up
ip link add br0 type bridge
ip addr add "$address" dev br0
ip link set br0 up
while read -r name index host; do
  unshare --net --uts --mount sh "$state/host.sh" "$state" "$name" "$index" "$host/\${address#*/}" "$@" </dev/null &
done < "$state/hosts.list"
wait
`;

/**
 * The script that becomes one host. Arguments: the state folder, its name, its number, its address with its prefix length, the lab's
 * control groups. The link's rate is enforced on the switch's side: towards the host on the port, from the host on an ifb behind the
 * port's ingress. Files of the machine that a user of the lab's own needs (accounts, sudo's rules) are bound over in the host's mounts.
 */
const HOST: Script = sh`#!/bin/sh
set -eu
state=$1 name=$2 index=$3 address=$4
shift 4
for group; do echo $$ > "$group/$name/cgroup.procs"; done
hostname "$name"
port=p$index back=i$index
. "$state/settings"
ip link add eth0 type veth peer name "$port" netns 1
in_switch() { nsenter --net=/proc/1/ns/net "$@"; }
in_switch ip link add "$back" type ifb
in_switch ip link set "$back" up
in_switch ip link set "$port" master br0 up
in_switch "$state/predict-agent" shape --interface "$port" --back "$back" --rate "$rate" --burst "$burst"
ip link set lo up
ip addr add "$address" dev eth0
ip link set eth0 up
mount --bind "$state/hosts" /etc/hosts
# /sys must show this network namespace; the control groups, which hang below it, come along.
mount --rbind /sys/fs/cgroup "$state/cgroup"
mount -t sysfs sysfs /sys
mount --rbind "$state/cgroup" /sys/fs/cgroup
# bash reads it for every command over ssh; on a host with a few percent of a core it would dominate.
[ ! -e /root/.bashrc ] || mount --bind /dev/null /root/.bashrc
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/sshd
mkdir -m 1777 /run/tmp
if [ -n "$user" ]; then
  mkdir -m 755 /run/home
  chown "$user:$user" /run/home
  for file in passwd group sudoers; do mount --bind "$state/etc/$file" "/etc/$file"; done
fi
# What a program installs below /var/lib belongs to the host and vanishes with it.
mount -t tmpfs -o mode=755 tmpfs "$state/lib"
mkdir -p "$state/lib\${state#/var/lib}"
mount --bind "$state" "$state/lib\${state#/var/lib}"
mount --move "$state/lib" /var/lib
exec unshare --pid --fork --mount-proc /usr/sbin/sshd -D -e -f "$state/sshd_config" -o "ListenAddress=\${address%/*}" 2> "$state/log/$name.sshd"
`;

/** Puts itself into the switch's groups and becomes SWITCH. Arguments as SWITCH has them. */
export const ENTER: Script = sh`
state=$1 address=$2
shift 2
for group; do echo $$ > "$group/switch/cgroup.procs"; done
exec unshare --pid --fork --kill-child=SIGKILL --net --mount --uts sh "$state/switch.sh" "$state" "$address" "$@"`;

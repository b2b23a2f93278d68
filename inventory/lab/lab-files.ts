import { stringify } from 'yaml';
import { quote, quoteAll, type Script, sh } from '../../base/shell.ts';
import { withoutEnd } from '../../base/text.ts';
import { burstBytes } from '../../throttle/link-command.ts';
import type { Inventory } from '../inventory-schema.ts';
import type { LabCgroups } from './cgroups.ts';
import { LAB_NETWORK, LAB_UID, type LabHost, type LabSpec, OWN_PROCESSES, stateOnHosts } from './spec.ts';

/** The files of a lab's state folder by their names, besides keys, programs and the inventory. */
export function labFiles(
  spec: LabSpec,
  { hosts, hostPublicKey }: { readonly hosts: readonly LabHost[]; readonly hostPublicKey: string },
): Readonly<Record<string, string>> {
  const addresses = hosts.map(({ address, name }) => `${address} ${name}`);
  return {
    'spec.json': JSON.stringify(spec),
    'root.sh': ROOT,
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
function sshdConfig(spec: LabSpec): string {
  const state = stateOnHosts(spec);
  return [
    'Port 22',
    `HostKey ${state}/keys/host`,
    `AuthorizedKeysFile ${state}/keys/user.pub`,
    `PermitRootLogin ${spec.user === 'root' ? 'prohibit-password' : 'no'}`,
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
function settings({ linkBps, user, rootless }: LabSpec): string {
  const values = {
    rate: Math.round(linkBps),
    burst: burstBytes(linkBps),
    user: user === 'root' ? '' : LAB_UID,
    rootless: rootless ? 'yes' : '',
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${quote(String(value))}\n`)
    .join('');
}

/**
 * What the hosts have in place of files of /etc: the machine's accounts with the lab's user among them, and sudo's rules for him alone. A
 * password that nobody has is no locked account to sshd. Without root there is one user, whom sshd's unprivileged half has to be too.
 */
export function accounts(
  read: (path: string) => string,
  { user, rootless }: LabSpec,
  rules: string,
): Readonly<Record<string, string>> {
  if (rootless) {
    const passwd = 'root:*:0:0:root:/root:/bin/sh\nsshd:*:0:0::/run/sshd:/usr/sbin/nologin\n';
    // nss-systemd has a locked root where no file says otherwise.
    return { passwd, shadow: 'root:*:::::::\n' };
  }
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
  const [folder, state] = [spec.stateFolder, stateOnHosts(spec)];
  const entry = ({ name, address }: LabHost): object => ({ name, address });
  return stringify({
    cluster: spec.name,
    hosts: hosts.filter(({ cpuPercent }) => cpuPercent !== null).map(entry),
    ssh: {
      user: spec.user,
      port: 22,
      key: `${folder}/keys/user`,
      knownHosts: `${folder}/known_hosts`,
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
        // Threads that wait for others in a loop would use up the share of all.
        ...(spec.cpuPercent < 100 ? { PREDICT_CPU_PERCENT: String(spec.cpuPercent), OMP_WAIT_POLICY: 'passive' } : {}),
      },
    },
    work: { folder: `${state}/work`, shared: true },
    programs,
    sampling: {
      hz: 20,
      cgroup: spec.rootless ? [OWN_PROCESSES] : groups.counted.map((root) => `${root}/{host}`),
      ...(spec.cpuPercent < 100 ? { cores: spec.cpuPercent / 100 } : {}),
    },
  });
}

/**
 * The script that gives the lab a root folder of its own: the machine's folders, bound into one that whoever makes the lab owns, as he does
 * /var/lib and /run there. So what the agent installs as root has nobody else's folders above it. Arguments: the state folder, its path
 * from then on, and what SWITCH, which it becomes, has besides.
 */
const ROOT: Script = sh`#!/bin/sh
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
from=$1 state=$2 root=$1/root
shift 2
# The entries of a folder, besides those that are named.
show() {
  folder=$1
  shift
  for path in "$folder"/*; do
    case " $* " in *" \${path##*/} "*) continue ;; esac
    if [ -L "$path" ]; then
      cp -P "$path" "$root$path"
    elif [ -d "$path" ]; then
      mkdir "$root$path"
      mount --rbind "$path" "$root$path"
    elif [ -f "$path" ]; then
      : > "$root$path"
      mount --bind "$path" "$root$path"
    fi
  done
}
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root"
# What is bound from above the state folder must not come with this in it.
mount --make-unbindable "$root"
umask 022
show '' proc root run var
mkdir "$root/proc" "$root/run" "$root/var"
mkdir -m 700 "$root/root"
show /var lib
mount -t proc proc "$root/proc"
mkdir -p "$root$state"
mount --bind "$from" "$root$state"
cd "$root"
mkdir .old
pivot_root . .old
cd /
umount -l /.old
rmdir /.old
exec sh "$state/switch.sh" "$state" "$@"
`;

/**
 * The shell script that is the lab: PID 1 of the switch's namespaces, in ROOT's root. Arguments: the state folder, the switch's address with its prefix
 * length, the lab's control groups. It makes the bridge, then one process tree per line of `hosts.list` (name, number, address), and
 * waits. Ending it ends everything below it: the kernel kills a PID namespace with its first process.
 */
const SWITCH: Script = sh`#!/bin/sh
set -eu
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
state=$1 address=$2
shift 2
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
set --
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
[ -n "$rootless" ] || mount --rbind /sys/fs/cgroup "$state/cgroup"
mount -t sysfs sysfs /sys
[ -n "$rootless" ] || mount --rbind "$state/cgroup" /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/sshd
mkdir -m 1777 /run/tmp
if [ -n "$user" ]; then
  mkdir -m 755 /run/home
  chown "$user:$user" /run/home
fi
for file in "$state"/etc/*; do
  [ ! -e "$file" ] || mount --bind "$file" "/etc/\${file##*/}"
done
# What a program installs below /var/lib belongs to the host and vanishes with it.
mount -t tmpfs -o mode=755 tmpfs "$state/lib"
mkdir -p "$state/lib\${state#/var/lib}"
mount --bind "$state" "$state/lib\${state#/var/lib}"
mount --move "$state/lib" /var/lib
[ -z "$rootless" ] || set -- "$state/predict-agent" keep-groups --
exec unshare --pid --fork --mount-proc "$@" /usr/sbin/sshd -D -e -f "$state/sshd_config" -o "ListenAddress=\${address%/*}" 2> "$state/log/$name.sshd"
`;

/**
 * Puts itself into the switch's groups and becomes ROOT in new namespaces: a user namespace (`yes`) where it is no root. Arguments: that,
 * then as ROOT has them, the control groups last.
 */
export const ENTER: Script = sh`
rootless=$1 from=$2 state=$3 address=$4
shift 4
for group; do echo $$ > "$group/switch/cgroup.procs"; done
exec unshare \${rootless:+--map-root-user} --pid --fork --kill-child=SIGKILL --net --mount --uts sh "$from/root.sh" "$from" "$state" "$address" "$@"`;

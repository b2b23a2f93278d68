import { quote } from '../../base/index.ts';
import { burstBytes } from '../../throttle/index.ts';
import type { LabCgroups } from './cgroups.ts';
import { LAB_NETWORK, type LabHost, type LabSpec, SWITCH_ADDRESS } from './spec.ts';

const PREFIX_LENGTH = LAB_NETWORK.split('/')[1];

/**
 * The shell script that is the lab: PID 1 of the switch's namespaces. It makes the bridge, then one process tree per
 * host, and waits. Ending it ends everything below it: the kernel kills a PID namespace with its first process.
 */
export function switchScript(spec: LabSpec, hosts: readonly LabHost[], groups: LabCgroups): string {
  return [
    '#!/bin/sh',
    'set -eu',
    'export PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    '# Until the hosts have left for their own groups, all starts in the group of the switch.',
    'mount --make-rprivate /',
    'mount -t proc proc /proc',
    'ip link set lo up',
    'ip link add br0 type bridge',
    `ip addr add ${SWITCH_ADDRESS}/${PREFIX_LENGTH} dev br0`,
    'ip link set br0 up',
    ...hosts.map(
      (host) =>
        `unshare --net --uts --mount sh ${quote(`${spec.stateFolder}/host.sh`)} ${hostArguments(host, groups)} &`,
    ),
    'wait',
    '',
  ].join('\n');
}

function hostArguments(host: LabHost, groups: LabCgroups): string {
  return [host.name, String(host.index), host.address, ...groups.roots.map((root) => `${root}/${host.name}`)]
    .map(quote)
    .join(' ');
}

/**
 * The script that becomes one host: arguments are its name, its number, its address and its control groups. The link's
 * rate is enforced on the switch's side: towards the host on the port, from the host on an ifb behind the port's ingress.
 */
export function hostScript(spec: LabSpec): string {
  const state = quote(spec.stateFolder);
  const rate = `--rate ${Math.round(spec.linkBps)} --burst ${burstBytes(spec.linkBps)}`;
  return [
    '#!/bin/sh',
    'set -eu',
    'name=$1 index=$2 address=$3',
    'shift 3',
    'for group; do echo $$ > "$group/cgroup.procs"; done',
    'hostname "$name"',
    'port=p$index back=i$index',
    'ip link add eth0 type veth peer name "$port" netns 1',
    'nsenter --net=/proc/1/ns/net sh -eu <<SWITCH',
    'ip link add $back type ifb',
    'ip link set $back up',
    'ip link set $port master br0 up',
    `${quote(`${spec.stateFolder}/predict-agent`)} shape --interface $port --back $back ${rate}`,
    'SWITCH',
    'ip link set lo up',
    `ip addr add "$address/${PREFIX_LENGTH}" dev eth0`,
    'ip link set eth0 up',
    `mount --bind ${state}/hosts /etc/hosts`,
    '# /sys must show this network namespace; the control groups, which hang below it, come along.',
    `mount --rbind /sys/fs/cgroup ${state}/cgroup`,
    'mount -t sysfs sysfs /sys',
    `mount --rbind ${state}/cgroup /sys/fs/cgroup`,
    '# bash reads it for every command over ssh; on a host with a few percent of a core it would dominate.',
    '[ ! -e /root/.bashrc ] || mount --bind /dev/null /root/.bashrc',
    'mount -t tmpfs -o mode=755 tmpfs /run',
    'mkdir -p /run/sshd /run/tmp',
    '# What a program installs below /var/lib belongs to the host and vanishes with it.',
    `mount -t tmpfs -o mode=755 tmpfs ${state}/lib`,
    `mkdir -p ${state}/lib${state.slice('/var/lib'.length)}`,
    `mount --bind ${state} ${state}/lib${state.slice('/var/lib'.length)}`,
    `mount --move ${state}/lib /var/lib`,
    `exec unshare --pid --fork --mount-proc /usr/sbin/sshd -D -e -f ${state}/sshd_config -o "ListenAddress=$address" 2> ${state}/log/"$name".sshd`,
    '',
  ].join('\n');
}

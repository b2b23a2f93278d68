import { type Script, sh } from '../../base/shell.ts';

/**
 * The shell script that is the lab: PID 1 of the switch's namespaces. Arguments: the state folder, the switch's address with its prefix
 * length, the lab's control groups. It makes the bridge, then one process tree per line of `hosts.list` (name, number, address), and
 * waits. Ending it ends everything below it: the kernel kills a PID namespace with its first process.
 */
export const SWITCH: Script = sh`#!/bin/sh
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
export const HOST: Script = sh`#!/bin/sh
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

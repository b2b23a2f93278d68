#!/bin/sh
# systemd-root.sh GROUP PROGRAMS: systemd as process 1 of namespaces of its own, in the new control group GROUP. It ends
# with this script, which ends at SIGTERM, and all that was in the group with it.
# systemd here has no part in this machine's files: its root is a tmpfs, /usr and PROGRAMS (as /programs) are bound into it
# for reading, /sys and /proc/sys are for reading too, and none of the distribution's units, generators and tmpfiles.d are
# there, so that nothing is mounted, cleaned or set as at a boot.
set -eu

# Process 1 of its namespaces. Whatever is not as it must be ends it before systemd starts.
if [ "$1" = inside ]; then
  programs=$2 new=/mnt
  mount --make-rprivate /
  mount -t tmpfs -o mode=755 tmpfs $new
  cd $new
  mkdir -p usr etc/systemd/system proc sys dev run tmp var/lib root programs old
  for name in bin sbin lib lib32 lib64 libx32; do
    if [ -L /$name ]; then cp -P /$name $name; fi
  done
  for pair in /usr:usr "$programs:programs"; do
    mount --bind "${pair%:*}" "${pair##*:}"
    mount -o remount,bind,ro,nosuid,nodev "${pair##*:}"
  done
  for name in systemd/system systemd/user systemd/system-generators systemd/system-environment-generators \
    tmpfiles.d sysctl.d modules-load.d sysusers.d binfmt.d udev; do
    if [ -d usr/lib/$name ]; then mount -t tmpfs -o ro tmpfs usr/lib/$name; fi
  done
  for name in null zero full random urandom; do : >dev/$name; mount --bind /dev/$name dev/$name; done
  echo 'root:x:0:0:root:/root:/bin/sh' >etc/passwd
  echo 'root:x:0:' >etc/group
  echo 0123456789abcdef0123456789abcdef >etc/machine-id
  for name in sysinit basic timers shutdown umount quiet; do
    printf '[Unit]\nDefaultDependencies=no\n' >etc/systemd/system/$name.target
  done
  mount -t proc proc proc
  mount --bind proc/sys proc/sys
  mount -o remount,bind,ro proc/sys
  mount -t sysfs -o ro sysfs sys
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  mount -t tmpfs -o mode=755 tmpfs run
  pivot_root . old
  cd /
  umount -l /old
  rmdir /old
  stop() { echo "systemd was not started: $1" >&2; exit 1; }
  [ "$(stat -f -c %T /)" = tmpfs ] || stop 'its root is no tmpfs'
  [ -z "$(ls -A /tmp; ls -A /usr/lib/systemd/system)" ] || stop 'it sees files or units of this machine'
  for path in /usr/written /programs/written /proc/sys/fs/protected_regular; do
    if (: >>"$path") 2>/dev/null; then stop "it could write $path"; fi
  done
  ip link set lo up
  export container=predict-test
  exec /usr/lib/systemd/systemd --unit=quiet.target --show-status=no --log-target=null </dev/null
fi

group=$1 programs=$2
clean_up() {
  echo 1 >"$group/cgroup.kill"
  while grep -q 'populated 1' "$group/cgroup.events"; do sleep 0.02; done
  find "$group" -depth -type d -exec rmdir {} ';'
}
trap 'exit 0' TERM INT HUP
mkdir "$group"
trap clean_up EXIT
(
  echo 0 >"$group/cgroup.procs"
  exec unshare --fork --kill-child --pid --mount --net --uts --ipc --cgroup sh "$0" inside "$programs"
) &
echo "started $!"
wait $!

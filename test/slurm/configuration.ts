/** A slurm.conf for hosts without systemd, delegated control groups or a database; each host has its own /run, all share the rest. */
export function slurmConf({ nodes, cpus }: { readonly nodes: readonly string[]; readonly cpus: number }): string {
  return [
    'ClusterName=predict',
    'SlurmctldHost=head',
    'SlurmUser=root',
    'SlurmdUser=root',
    'AuthType=auth/munge',
    'CredType=cred/munge',
    'MpiDefault=pmix',
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'SwitchType=switch/none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_CPU',
    'SchedulerType=sched/backfill',
    'SchedulerParameters=sched_interval=2,bf_interval=2,sched_min_interval=0',
    'PreemptType=preempt/partition_prio',
    'PreemptMode=REQUEUE',
    'JobAcctGatherType=jobacct_gather/none',
    'AccountingStorageType=accounting_storage/none',
    'JobCompType=jobcomp/none',
    'MailProg=/bin/true',
    'StateSaveLocation=/run/slurmctld',
    'SlurmctldPidFile=/run/slurmctld.pid',
    'SlurmctldLogFile=/run/slurmctld.log',
    'SlurmdSpoolDir=/run/slurmd',
    'SlurmdPidFile=/run/slurmd.pid',
    'SlurmdLogFile=/run/slurmd.log',
    'SlurmdTimeout=30',
    'KillWait=3',
    'ReturnToService=2',
    'PropagateResourceLimits=NONE',
    // A node is taken to be as large as this says, whatever the machine below has.
    'SlurmdParameters=config_overrides',
    ...nodes.map((name) => `NodeName=${name} CPUs=${cpus} State=UNKNOWN`),
    'PartitionName=main Nodes=ALL Default=YES MaxTime=1:00:00 DefaultTime=10 State=UP PriorityTier=1',
    'PartitionName=urgent Nodes=ALL MaxTime=1:00:00 State=UP PriorityTier=10',
    '',
  ].join('\n');
}

/** The hosts share one /tmp, in which every slurmd would make the folder of the same step. */
export const MPI_CONF = 'PMIxCliTmpDirBase=/run/tmp\n';

/** Starts what a host of the cluster needs; `$1` is the folder with the configuration and munge's key. */
export const START = `set -eu
mkdir -p /etc/slurm /run/munge /run/slurmd /run/slurmctld /run/tmp
mountpoint -q /etc/slurm || mount --bind "$1/etc" /etc/slurm
chmod 1777 /run/tmp
install -m 400 -o munge -g munge "$1/munge.key" /run/munge/key
chown munge:munge /run/munge
chmod 755 /run/munge
[ -S /run/munge/munge.socket.2 ] || setpriv --reuid=munge --regid=munge --clear-groups munged --key-file=/run/munge/key \\
  --pid-file=/run/munge/pid --log-file=/run/munge/log --seed-file=/run/munge/seed
case $(hostname) in
head) slurmctld ;;
*) slurmd ;;
esac
`;

/** The plugin of agents/spank and the agent that it runs, which must both be root's alone. */
export function plugstackConf(folder: string): string {
  return `required ${folder}/predict-link.so agent=${folder}/predict-agent network=10.77.0.0/16\n`;
}

export const ANN = 4242;

/** Makes, once, a user without privileges: accounts and home are the host's own, bound over the machine's. */
export const WITH_ANN = `set -eu
! grep -q "^ann:" /etc/passwd || exit 0
umask 022
mkdir -p /run/etc
for file in passwd group shadow; do cp -p /etc/$file /run/etc/$file; done
echo "ann:x:${ANN}:${ANN}::/home/ann:/bin/sh" >> /run/etc/passwd
echo "ann:x:${ANN}:" >> /run/etc/group
echo "ann:*:19000:0:99999:7:::" >> /run/etc/shadow
for file in passwd group shadow; do mount --bind /run/etc/$file /etc/$file; done
mount -t tmpfs -o mode=755 tmpfs /home
install -d -o ${ANN} -g ${ANN} -m 755 /home/ann
`;

import { quote, quoteAll } from '../../base/shell.ts';
import type { Inventory } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';

/** The first line of every launch.sh, by which a driver folder of ours is known. */
export const LAUNCH_SIGN = '#!/bin/sh\n# Starts a program through MPI on the first hosts of the inventory';

/**
 * A POSIX shell script `launch.sh PROGRAM [ARGUMENT]...` that starts one job on as many hosts as `PREDICT_NODES` says (all
 * without it), in the words of the inventory's launcher. `PREDICT_HOSTS`, the names with commas, must be the same hosts.
 */
export function launchScript(inventory: Inventory): string {
  const { hosts, mpi, ranksPerNode, cluster } = inventory;
  const cases = hosts.map((_, index) => {
    const used = hosts.slice(0, index + 1);
    const words = LAUNCHERS[mpi.launcher].argv({ inventory, hosts: used, ranksPerNode, argv: [] });
    const names = used.map(({ name }) => name).join(',');
    return `${used.length})\n  hosts=${quote(names)}\n  set -- ${quoteAll(words)} "$@" ;;`;
  });
  return `${LAUNCH_SIGN} ${cluster}: launch.sh PROGRAM [ARGUMENT]...
# PREDICT_NODES says how many hosts, all of them without it.
nodes=\${PREDICT_NODES:-${hosts.length}}
case $nodes in
${cases.join('\n')}
*)
  printf 'launch.sh: %s is not a number of hosts from 1 to ${hosts.length}, the size of the inventory\\n' "$nodes" >&2
  exit 2 ;;
esac
if [ "\${PREDICT_HOSTS:-$hosts}" != "$hosts" ]; then
  printf 'launch.sh: this driver is for the hosts %s, not for %s: write it again with predict export --format graphalytics-driver\\n' "$hosts" "$PREDICT_HOSTS" >&2
  exit 2
fi
exec "$@"
`;
}

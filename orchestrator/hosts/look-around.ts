import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import type { DraftHost } from '../../inventory/draft.ts';
import { launcherSchema } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import { type Executor, hostFault } from './executor.ts';

/** Links that hosts do not use among each other. */
const NOT_DATA = /^(lo|docker|virbr|veth|cni|flannel|cali|tun|wg)/;

/**
 * A virtual link's speed is made up (10 Gbit/s of each veth), so only a device's counts, or of what lies on one (bond, VLAN).
 * Memory in KiB, as it stands there: some awks write large products with an exponent. Arguments: name, program and words of each launcher.
 */
const LOOK = sh`
awk '/^MemTotal:/ { print "@memory", $2 }' /proc/meminfo
ip -o -4 addr show scope global | while read -r _ name _ address _; do
  link=/sys/class/net/$name speed=-1
  for below in "$link"/device "$link"/lower_*; do [ -e "$below" ] && speed=$(cat "$link/speed" 2>/dev/null || echo -1); done
  echo "@link $name $address $speed"
done
while [ $# -gt 2 ]; do
  command -v "$2" >/dev/null && { [ -z "$3" ] || "$2" --version 2>/dev/null | grep -q "$3"; } && echo "@launcher $1"
  shift 3
done
true`;

/** What a host tells without anything of ours on it. Errors: `infrastructure` where it is out of reach or no Linux. */
export async function lookAround(executor: Executor): Promise<DraftHost> {
  const { host: name } = executor;
  const asked = Object.entries(LAUNCHERS).flatMap(([launcher, { command, says }]) => [launcher, command, says ?? '']);
  const { stdout, stderr } = await executor.exec(scriptWords(LOOK, ...asked));
  const memory = /^@memory (\d+)$/m.exec(stdout)?.[1];
  if (memory === undefined) {
    const said = lastLines(stderr, 1) || 'no MemTotal in /proc/meminfo';
    throw hostFault(name, `its memory cannot be read (${said}): check that it is a Linux host.`);
  }
  const links = [...stdout.matchAll(/^@link (\S+) ([\d./]+) (-?\d*)$/gm)].flatMap(
    ([, link = '', address = '', speed]) =>
      NOT_DATA.test(link) ? [] : [{ name: link, address, mbit: Number(speed) > 0 ? Number(speed) : null }],
  );
  const launchers = launcherSchema.options.filter((one) => stdout.split('\n').includes(`@launcher ${one}`));
  return { name, memoryBytes: Number(memory) * 1024, links, launchers };
}

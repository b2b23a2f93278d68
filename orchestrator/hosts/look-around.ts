import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import type { DraftHost } from '../../inventory/draft.ts';
import type { LauncherName } from '../../inventory/inventory-schema.ts';
import { type Executor, hostFault } from './executor.ts';

/** Links that hosts do not use among each other. */
const NOT_DATA = /^(lo|docker|virbr|veth|cni|flannel|cali|tun|wg)/;

/** Memory in KiB, as it stands there: some awks write large products with an exponent. */
const LOOK = sh`
awk '/^MemTotal:/ { print "@memory", $2 }' /proc/meminfo
ip -o -4 addr show scope global | while read -r _ name _ address _; do
  echo "@link $name $address $(cat "/sys/class/net/$name/speed" 2>/dev/null || echo -1)"
done
mpirun --version 2>/dev/null | grep -q 'Open MPI' && echo '@launcher openmpi'
mpiexec --version 2>/dev/null | grep -q HYDRA && echo '@launcher mpich'
command -v srun >/dev/null && echo '@launcher srun'
true`;

/** What a host tells without anything of ours on it. Errors: `infrastructure` where it is out of reach or no Linux. */
export async function lookAround(executor: Executor): Promise<DraftHost> {
  const { host: name } = executor;
  const { stdout, stderr } = await executor.exec(scriptWords(LOOK));
  const memory = /^@memory (\d+)$/m.exec(stdout)?.[1];
  if (memory === undefined) {
    const said = lastLines(stderr, 1) || 'no MemTotal in /proc/meminfo';
    throw hostFault(name, `its memory cannot be read (${said}): check that it is a Linux host.`);
  }
  const links = [...stdout.matchAll(/^@link (\S+) ([\d./]+) (-?\d*)$/gm)].flatMap(
    ([, link = '', address = '', speed]) =>
      NOT_DATA.test(link) ? [] : [{ name: link, address, mbit: Number(speed) > 0 ? Number(speed) : null }],
  );
  const launchers = [...stdout.matchAll(/^@launcher (\w+)$/gm)].map((match) => match[1] as LauncherName);
  return { name, memoryBytes: Number(memory) * 1024, links, launchers };
}

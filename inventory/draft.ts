import { stringify } from 'yaml';
import { formatBytes, formatRate } from '../base/units.ts';
import { type LauncherName, launcherSchema } from './inventory-schema.ts';

/** What a host says of itself for a first inventory. */
export interface DraftHost {
  readonly name: string;
  readonly memoryBytes: number;
  /** Its IPv4 interfaces; `mbit` is the speed that the kernel tells, null for none (virtual ones). */
  readonly links: readonly { readonly name: string; readonly address: string; readonly mbit: number | null }[];
  /** The launchers that are there. */
  readonly launchers: readonly LauncherName[];
}

interface Draft {
  readonly text: string;
  /** What its reader has to see to, a sentence each. */
  readonly notes: readonly string[];
}

/** The inventory of hosts that were asked, as YAML; `hosts` is written in place of their names (a range, a scheduler). */
export function draftInventory(
  found: readonly DraftHost[],
  {
    cluster,
    hosts,
    ssh,
  }: { readonly cluster: string; readonly hosts: string | readonly string[]; readonly ssh: object },
): Draft {
  const notes: string[] = [];
  const link = commonLink(found);
  if (link === null) notes.push('no network is common to all hosts: give network an interface or cidr.');
  else if (link.others > 0)
    notes.push(`the hosts share ${link.others + 1} networks; the fastest is taken: see whether MPI uses ${link.cidr}.`);
  if (link !== null && link.mbit === null) {
    notes.push(
      'the kernel does not tell how fast the data link is: set lineRate to what iperf3 shows between two hosts.',
    );
  }
  const launcher = launcherSchema.options.find((name) => found.every((host) => host.launchers.includes(name)));
  if (launcher === undefined)
    notes.push(`no launcher (${launcherSchema.options.join(', ')}) is on the PATH of all hosts: set mpi.command.`);
  const memory = Math.floor(Math.min(...found.map(({ memoryBytes }) => memoryBytes)) / 2 ** 20);
  const value = {
    cluster,
    hosts,
    ...(Object.keys(ssh).length > 0 && { ssh }),
    ...(link && { network: { cidr: link.cidr } }),
    ...(link?.mbit != null && { lineRate: link.mbit % 1000 === 0 ? `${link.mbit / 1000}gbit` : `${link.mbit}mbit` }),
    ...(launcher && { mpi: { launcher } }),
    memoryPerNode: `${memory}MiB`,
  };
  const about = link?.mbit == null ? '' : `, ${formatRate(link.mbit * 1e6)} each way`;
  const head = `# ${found.length} ${found.length === 1 ? 'host' : 'hosts'} of at least ${formatBytes(memory * 2 ** 20)}${about}; docs/tables.md has every key.\n`;
  return { text: `${head}${notes.map((note) => `# To do: ${note}\n`).join('')}${stringify(value)}`, notes };
}

/** The network that all hosts have an address in, the fastest first. */
function commonLink(
  found: readonly DraftHost[],
): { readonly cidr: string; readonly mbit: number | null; readonly others: number } | null {
  const [first, ...rest] = found.map(({ links }) =>
    links.map((link) => ({ cidr: networkOf(link.address), mbit: link.mbit })),
  );
  const shared = (first ?? []).flatMap(({ cidr, mbit }) => {
    const others = rest.map((links) => links.find((link) => link.cidr === cidr));
    if (others.includes(undefined)) return [];
    const speeds = [mbit, ...others.map((link) => link?.mbit ?? null)];
    return [{ cidr, mbit: speeds.includes(null) ? null : Math.min(...speeds.map(Number)) }];
  });
  const [best] = shared.toSorted((a, b) => (b.mbit ?? 0) - (a.mbit ?? 0));
  return best ? { ...best, others: shared.length - 1 } : null;
}

/** 10.1.2.3/16 -> 10.1.0.0/16. */
export function networkOf(address: string): string {
  const [ip = '', bits = '32'] = address.split('/');
  const number = ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  const start = Math.floor(number / size) * size;
  return `${[24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256).join('.')}/${bits}`;
}

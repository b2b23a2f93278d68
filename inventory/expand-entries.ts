import type { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import type { Fault } from '../base/yaml/explain-issue.ts';
import { expandHosts, MOST_HOSTS } from './expand-hosts.ts';
import { type Host, hostEntrySchema } from './inventory-schema.ts';

/** The hosts that the file's `hosts`, `mpi.head` and `accept` name, and what is wrong with them. */
interface ExpandedEntries {
  readonly hosts: readonly Host[];
  readonly head: Host | undefined;
  readonly accept: readonly string[];
  readonly problems: Fault[];
}

/** Expands the ranges of entries; entries of the wrong shape are passed over, as zod reports them. */
export function expandEntries({
  hosts: list,
  head,
  accept: accepted,
  isAllocated,
}: {
  readonly hosts: unknown;
  readonly head: unknown;
  readonly accept: readonly string[];
  /** The hosts are those of an allocation, which may lack some that are accepted. */
  readonly isAllocated: boolean;
}): ExpandedEntries {
  const problems: Fault[] = [];
  const byName = new Map<string, Host>();
  for (const [index, entry] of (Array.isArray(list) ? list : []).entries()) {
    const path = ['hosts', index];
    for (const host of expandEntry(entry, path, problems)) {
      if (byName.has(host.name)) {
        problems.push({ at: path, sentence: `host ${host.name} is named twice: keep it in one entry of hosts.` });
      } else byName.set(host.name, host);
    }
    if (byName.size > MOST_HOSTS) {
      problems.push({ at: path, sentence: `hosts names more than ${MOST_HOSTS} hosts: name fewer.` });
      break;
    }
  }
  const path = ['mpi', 'head'];
  const heads = head === undefined ? [] : expandEntry(head, path, problems);
  const [first] = heads;
  if (heads.length > 1) {
    problems.push({ at: path, sentence: `mpi.head names ${heads.length} hosts: the launcher runs on one, name that.` });
  }
  // A head that is one of the hosts keeps the address given there.
  const known = first?.address === undefined ? byName.get(first?.name ?? '') : undefined;
  const accept = accepted.flatMap((entry) => expandEntry(entry, ['accept'], problems)).map(({ name }) => name);
  const unknown = accept.find((name) => !byName.has(name));
  if (unknown !== undefined && !isAllocated) {
    problems.push({
      at: ['accept'],
      sentence: `accept names ${unknown}, which is not one of the hosts: correct the name.`,
    });
  }
  return { hosts: [...byName.values()], head: known ?? first, accept, problems };
}

function expandEntry(entry: unknown, path: readonly PropertyKey[], problems: Fault[]): readonly Host[] {
  const parsed = hostEntrySchema.safeParse(entry);
  if (!parsed.success) return [];
  try {
    return pair(parsed.data);
  } catch (error) {
    problems.push({ at: path, sentence: messageOf(error) });
    return [];
  }
}

/** Names and addresses are paired one to one: node[01-04] with 10.0.0.[1-4]. */
function pair(entry: z.output<typeof hostEntrySchema>): readonly Host[] {
  const { name, address } = typeof entry === 'string' ? { name: entry, address: undefined } : entry;
  const names = expandHosts(name);
  if (address === undefined) return names.map((each) => ({ name: each, address: undefined }));
  const addresses = expandHosts(address);
  if (addresses.length !== names.length) {
    throw new Error(
      `'${name}' names ${names.length} host${names.length === 1 ? '' : 's'} and '${address}' ` +
        `${addresses.length} address${addresses.length === 1 ? '' : 'es'}: give one address for each name.`,
    );
  }
  return names.map((each, index) => ({ name: each, address: addresses[index] }));
}

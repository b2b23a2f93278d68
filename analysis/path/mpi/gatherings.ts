import { at } from '../../../base/lists.ts';
import { blockingName, type Role, roleOf } from '../../../experiments/mpi-trace/roles.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import type { Entry } from '../run-graph.ts';

/** Who came when to one collective call. */
interface Gathering {
  readonly role: Role;
  /** The rank of the world that is its root; NaN without. */
  readonly root: number;
  /** Earliest first. Times on one clock, ns. */
  readonly entries: Entry[];
}

export interface Gatherings {
  /** Whom a rank waited for in the collective call of a row, until so long; null for nobody. */
  lastFor(row: number, untilNs: number): Entry | null;
  /** When those came whom a rank may wait for in it. */
  entriesOf(row: number): readonly Entry[];
  /** Whether a row is a call that all ranks of the run wait for or take part in. */
  isOfAll(row: number): boolean;
  /** Calls that some ranks of their communicator have no record of. */
  readonly incomplete: number;
}

/** Collective calls by communicator and turn. `onClock`: a rank's time stamp on the clock of all. */
export function gatherings(
  { worker, phase, startNs, keys }: CellTrace['spans'],
  onClock: (rank: number, ns: number) => number,
): Gatherings {
  const { comm = new Float64Array(0), turn = new Float64Array(0), peer = new Float64Array(0) } = keys;
  const all = new Map<string, Gathering>();
  const sizes = new Map<number, number>();
  // Ranks leave MPI together, by what libraries do; it is a call of the world that has no number.
  const keyOf = (row: number): string | null => {
    if (phase[row] === 'MPI_Finalize') return phase[row];
    return Number.isNaN(turn[row] ?? Number.NaN) ? null : `${comm[row]}:${turn[row]}`;
  };
  for (const [row, name] of phase.entries()) {
    const key = keyOf(row);
    if (key === null) continue;
    const known = all.get(key);
    const rank = at(worker, row);
    // Whoever waits for a call that had begun entered it when it began.
    if (known?.entries.some((entry) => entry.rank === rank)) continue;
    const role = roleOf(blockingName(name) ?? name);
    const gathering = known ?? { role, root: peer[row] ?? Number.NaN, entries: [] };
    gathering.entries.push({ rank, startNs: onClock(rank, at(startNs, row)) });
    all.set(key, gathering);
    const whose = comm[row] ?? Number.NaN;
    sizes.set(whose, Math.max(sizes.get(whose) ?? 0, gathering.entries.length));
  }
  let incomplete = 0;
  for (const [key, { entries }] of all) {
    entries.sort((a, b) => a.startNs - b.startNs || b.rank - a.rank);
    if (entries.length < (sizes.get(Number(key.split(':')[0])) ?? 0)) incomplete += 1;
  }
  const ranks = new Set(worker).size;
  return {
    incomplete,
    isOfAll: (row) => all.get(keyOf(row) ?? '')?.entries.length === ranks && blockingName(at(phase, row)) === null,
    entriesOf: (row) => {
      const { role, root, entries } = all.get(keyOf(row) ?? '') ?? { role: 'none', root: Number.NaN, entries: [] };
      if (role === 'from-root') return entries.filter(({ rank }) => rank === root);
      return role === 'prefix' ? entries.filter(({ rank }) => rank <= at(worker, row)) : entries;
    },
    lastFor: (row, untilNs) => {
      const gathering = all.get(keyOf(row) ?? '');
      return gathering === undefined ? null : lastFor(gathering, at(worker, row), untilNs);
    },
  };
}

function lastFor({ role, root, entries }: Gathering, rank: number, untilNs: number): Entry | null {
  const own = entries.find((entry) => entry.rank === rank) ?? null;
  if (role === 'from-root') {
    const first = entries.find((entry) => entry.rank === root);
    return first !== undefined && first.startNs < untilNs && rank !== root ? later(first, own) : own;
  }
  if (role === 'to-root' && rank !== root) return null;
  for (let place = entries.length - 1; place >= 0; place -= 1) {
    const entry = entries[place] as Entry;
    // Who came after the rank had left did not hold it up.
    if (entry.startNs >= untilNs || (role === 'prefix' && entry.rank > rank)) continue;
    return entry;
  }
  return own;
}

function later(one: Entry, other: Entry | null): Entry {
  return other !== null && other.startNs > one.startNs ? other : one;
}

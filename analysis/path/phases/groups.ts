import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import type { Group } from '../../platform/platform-schema.ts';

/** For each rank the ranks of its group, ascending, itself included. Errors: badInput for ranks that make no square grid. */
export function exchangeGroups(group: Group, ranks: number): readonly Int32Array[] {
  const everybody = Int32Array.from({ length: ranks }, (_, rank) => rank);
  if (group === 'all') return Array.from(everybody, () => everybody);
  const side = Math.round(Math.sqrt(ranks));
  if (side * side !== ranks) {
    throw badInput(
      `${ranks} ranks do not form a square grid, but a communication phase waits for a ${group} of one: check the model's 'exchanges'.`,
    );
  }
  const isMember = {
    row: (a: number, b: number) => Math.floor(a / side) === Math.floor(b / side),
    column: (a: number, b: number) => a % side === b % side,
  };
  const belongs =
    group === 'row-and-column'
      ? (a: number, b: number) => isMember.row(a, b) || isMember.column(a, b)
      : isMember[group];
  return Array.from(everybody, (rank) => everybody.filter((other) => belongs(rank, other)));
}

/** The rank of a group that entered a meeting last; a tie is the own rank's, then the lowest one's. */
export function lastToEnter(
  members: Int32Array,
  { own, entryOf }: { readonly own: number; readonly entryOf: (rank: number) => number },
): number {
  let found = own;
  let latest = entryOf(own);
  for (let place = 0; place < members.length; place += 1) {
    const rank = at(members, place);
    const entry = entryOf(rank);
    // Members ascend, so the first of those that tie is the lowest.
    if (entry > latest) [found, latest] = [rank, entry];
  }
  return found;
}

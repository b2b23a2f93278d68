// Nothing arrives before it was sent: who leaves an exchange has heard of everybody in it, so its end is no earlier than any entry.
// That bounds how far clocks can be apart, mostly far closer than their measured offsets do.
import { at } from '../../../base/lists.ts';
import type { RankPhases } from './rank-phases.ts';

/** What exchanges say of the clocks of hosts. */
interface Causality {
  /** What to add to the stamps of each host, ns, at most 0; all 0 where nothing arrived before it was sent. */
  readonly shiftNs: Float64Array;
  /** How much earlier stamps of host b could be beside those of host a after the shift: entry a * hosts + b; ns. */
  readonly slackNs: Float64Array;
  /** False where no shift of whole clocks makes every exchange possible: a clock drifted or jumped. */
  readonly isPossible: boolean;
}

/** `hostOf`: the number of each rank's host; `hosts`: how many there are. */
export function causalityOf(
  phases: Pick<
    RankPhases,
    'ranks' | 'kinds' | 'kind' | 'rank' | 'groups' | 'meeting' | 'partners' | 'startNs' | 'endNs'
  >,
  { hostOf, hosts }: { readonly hostOf: (rank: number) => number; readonly hosts: number },
): Causality {
  const { ranks, kinds, kind, rank, groups, meeting, partners, startNs, endNs } = phases;
  const hostNumber = Int32Array.from({ length: ranks }, (_, one) => hostOf(one));
  // The least time from an entry on host b to an end on host a: b's clock can be set later by no more.
  const lead = new Float64Array(hosts * hosts).fill(Number.POSITIVE_INFINITY);
  for (let host = 0; host < hosts; host += 1) lead[host * hosts + host] = 0;
  const isWhole = kinds.map(({ group }) => group !== null && group !== 'row-and-column');
  for (let place = 0; place < rank.length; place += 1) {
    const own = at(kind, place);
    if (!isWhole[own]) continue;
    const members = groups[own]?.[at(rank, place)] ?? [];
    const [line, end] = [at(hostNumber, at(rank, place)) * hosts, at(endNs, place)];
    const base = at(meeting, place) * ranks;
    for (let index = 0; index < members.length; index += 1) {
      const other = members[index] ?? 0;
      const partner = partners[base + other] ?? -1;
      if (partner < 0 || other === rank[place]) continue;
      const entry = line + (hostNumber[other] ?? 0);
      const time = end - (startNs[partner] ?? 0);
      if (time < (lead[entry] ?? 0)) lead[entry] = time;
    }
  }
  // Difference constraints shift_b - shift_a <= lead(a, b): shortest ways between hosts (Floyd and Warshall).
  for (let middle = 0; middle < hosts; middle += 1)
    for (let a = 0; a < hosts; a += 1)
      for (let b = 0; b < hosts; b += 1) {
        const way = at(lead, a * hosts + middle) + at(lead, middle * hosts + b);
        if (way < at(lead, a * hosts + b)) lead[a * hosts + b] = way;
      }
  const isPossible = Array.from({ length: hosts }, (_, host) => at(lead, host * hosts + host)).every((own) => own >= 0);
  const shiftNs = new Float64Array(hosts);
  if (isPossible) {
    for (let host = 0; host < hosts; host += 1)
      for (let other = 0; other < hosts; other += 1)
        shiftNs[host] = Math.min(at(shiftNs, host), at(lead, other * hosts + host));
  }
  // Host b can be set earlier by as much as a could be set later beside it.
  const slackNs = Float64Array.from(lead, (_, entry) => {
    const [a, b] = [Math.floor(entry / hosts), entry % hosts];
    return Math.max(0, at(lead, b * hosts + a) - at(shiftNs, a) + at(shiftNs, b));
  });
  return { shiftNs, slackNs, isPossible };
}

/** By what the time of a path is divided. */
export const WAYS = ['phase', 'rank', 'host', 'link'] as const;
export type Way = (typeof WAYS)[number];

/** Hosts that a transfer went between; null for what is no transfer, or stayed on its host. */
export type TransferEnds = readonly [from: string, to: string] | null;

/** What a time is counted under by link. */
export function linkName(ends: TransferEnds): string {
  return ends === null ? 'no link' : `${ends[0]} -> ${ends[1]}`;
}

/** Times by name, ns, the most first. */
export function addedUp(parts: Iterable<readonly [name: string, ns: number]>): readonly [name: string, ns: number][] {
  const sums = new Map<string, number>();
  for (const [name, ns] of parts) sums.set(name, (sums.get(name) ?? 0) + ns);
  return [...sums].sort((a, b) => b[1] - a[1]);
}

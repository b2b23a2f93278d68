import type { MetricInput, PhaseColumns, PhaseTypes } from '../grade10/index.ts';

/** A blocking metric per rank: it waits for as long as its phases of this type last. */
export function waitsOf(
  { type, parent, id, startNs, endNs }: PhaseColumns,
  { keys }: PhaseTypes,
  { waiting, pathOf }: { readonly waiting: number; readonly pathOf: (rank: string) => string },
): MetricInput[] {
  const waits = new Map<string, [number[], number[]]>();
  for (const [phase, own] of type.entries()) {
    if (own !== waiting) continue;
    let at = phase;
    while (at > 0 && keys[type[at] ?? 0] !== 'rank') at = parent[at] ?? -1;
    const [starts, ends] = waits.get(id[at] ?? '') ?? [[], []];
    starts.push(startNs[phase] ?? 0);
    ends.push(endNs[phase] ?? 0);
    waits.set(id[at] ?? '', [starts, ends]);
  }
  return [...waits].map(([rank, [starts, ends]]) => ({
    class: 'blocking',
    path: pathOf(rank),
    startNs: Float64Array.from(starts),
    endNs: Float64Array.from(ends),
  }));
}

import { own } from '../../../base/lists.ts';
import type { DagEdge, DagPeriod, DagVertex } from '../../../experiments/dag/dag-records.ts';

/** What the rate of a job counts. */
export type WorkUnit = 'records' | 'bytes';

interface Shape {
  readonly vertices: readonly DagVertex[];
  readonly edges: readonly DagEdge[];
}

/**
 * What came into the job in a period: what its sources went through, or what they handed on where only that was counted. A record that
 * a source hands to several edges counts on each, in every run alike. Null where something of it was not counted.
 */
export function workOf({ vertices, edges }: Shape, period: DagPeriod, unit: WorkUnit): number | null {
  const fed = new Set(edges.map(({ to }) => to));
  const sources = vertices.filter(({ id }) => !fed.has(id) && edges.some(({ from }) => from === id));
  if (sources.length === 0) return null;
  const read = unit === 'records' ? total(sources.map(({ id }) => amount(own(period.vertices, id), unit))) : null;
  if (read !== null) return read;
  const feeding = new Set(sources.map(({ id }) => id));
  return total(edges.filter(({ from }) => feeding.has(from)).map(({ id }) => amount(own(period.edges, id), unit)));
}

/** Who did not live in the period did nothing. */
function amount(
  entry: { readonly records: number | null; readonly bytes?: number | null } | undefined,
  unit: WorkUnit,
): number | null {
  return entry === undefined ? 0 : (entry[unit] ?? null);
}

function total(amounts: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const one of amounts) {
    if (one === null) return null;
    sum += one;
  }
  return sum;
}

import { compareCodePoints } from '../../../base/text.ts';
import type { DagHistory, JudgedPeriod } from './judge.ts';

/** A task (`cpu`) or an edge (`io`), by id. */
export interface Bottleneck {
  readonly kind: 'cpu' | 'io';
  readonly id: string;
}

/** A stretch of time in which one thing was a bottleneck. */
export interface BottleneckStretch extends Bottleneck {
  readonly startNs: number;
  readonly endNs: number;
}

interface BottleneckShare extends Bottleneck {
  /** Of the time of all periods. */
  readonly share: number;
}

export interface DagSummary {
  /** Cpu before io, then by id. */
  readonly shares: readonly BottleneckShare[];
  /** Share of the time without any. */
  readonly none: number;
  /** Cpu before io, then by id, then by time. */
  readonly timeline: readonly BottleneckStretch[];
  /** The largest share if that is at least a half; of equal ones cpu first, then by id. */
  readonly dominant: BottleneckShare | null;
}

/** From this share of the time on a bottleneck is one to act on. */
export const DOMINANT = 0.5;

/** What the periods of a run say together; also of a run that goes on. */
export function summaryOfHistory({ graph, periods }: DagHistory): DagSummary {
  const stretches = new Map<string, BottleneckStretch[]>();
  const lengths = new Map<string, number>();
  let [wholeNs, noneNs] = [0, 0];
  for (const period of periods) {
    const lengthNs = period.endNs - period.startNs;
    wholeNs += lengthNs;
    const found = bottlenecksOf(graph, period);
    if (found.length === 0) noneNs += lengthNs;
    for (const bottleneck of found) {
      const key = `${bottleneck.kind}:${bottleneck.id}`;
      lengths.set(key, (lengths.get(key) ?? 0) + lengthNs);
      stretches.set(key, joined(stretches.get(key) ?? [], bottleneck, period));
    }
  }
  const ordered = [...stretches].sort(([, [a]], [, [b]]) => (a && b ? compareBottlenecks(a, b) : 0));
  const shares = ordered.flatMap(([key, [first]]) => {
    return first ? [{ kind: first.kind, id: first.id, share: (lengths.get(key) ?? 0) / wholeNs }] : [];
  });
  return {
    shares,
    none: wholeNs === 0 ? 1 : noneNs / wholeNs,
    timeline: ordered.flatMap(([, found]) => found),
    dominant: dominantOf(shares),
  };
}

/** The bottlenecks of a period: cpu before io, then by id. */
export function bottlenecksOf(graph: DagHistory['graph'], { cpu, io }: Pick<JudgedPeriod, 'cpu' | 'io'>): Bottleneck[] {
  const found: Bottleneck[] = [
    ...cpu.map((place) => ({ kind: 'cpu' as const, id: graph.vertexIds[place] ?? '' })),
    ...io.map((place) => ({ kind: 'io' as const, id: graph.edgeIds[place] ?? '' })),
  ];
  return found.sort(compareBottlenecks);
}

function compareBottlenecks(a: Bottleneck, b: Bottleneck): number {
  return compareCodePoints(a.kind, b.kind) || compareCodePoints(a.id, b.id);
}

/** A period that touches the last stretch makes it longer. */
function joined(stretches: BottleneckStretch[], { kind, id }: Bottleneck, period: JudgedPeriod): BottleneckStretch[] {
  const last = stretches.at(-1);
  const { startNs, endNs } = period;
  if (last === undefined || last.endNs !== startNs) stretches.push({ kind, id, startNs, endNs });
  else stretches[stretches.length - 1] = { ...last, endNs };
  return stretches;
}

function dominantOf(shares: readonly BottleneckShare[]): BottleneckShare | null {
  let largest: BottleneckShare | null = null;
  for (const one of shares) if (largest === null || one.share > largest.share) largest = one;
  return largest !== null && largest.share >= DOMINANT ? largest : null;
}

/** Means over periods by their lengths, of those in which a value is known; NaN where it never is. */
export function meanByTime<Period extends { readonly startNs: number; readonly endNs: number }>(
  count: number,
  periods: readonly Period[],
  valuesOf: (period: Period, index: number) => Float64Array | undefined,
): Float64Array {
  const [sums, times] = [new Float64Array(count), new Float64Array(count)];
  for (const [index, period] of periods.entries()) {
    const lengthNs = period.endNs - period.startNs;
    for (const [place, value] of (valuesOf(period, index) ?? NOTHING).entries()) {
      if (Number.isNaN(value)) continue;
      sums[place] = (sums[place] as number) + value * lengthNs;
      times[place] = (times[place] as number) + lengthNs;
    }
  }
  return sums.map((sum, place) => sum / (times[place] as number));
}

const NOTHING = new Float64Array();

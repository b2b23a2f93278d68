import { at, last } from '../../base/lists.ts';
import { headerOf } from '../trace.ts';
import type { TimedPhases } from '../workloads/workload.ts';

/** Where a rank was for a while; ns since a whole second (`baseS`). */
export interface Segment {
  readonly startNs: number;
  readonly endNs: number;
  /** The number of the timed run around it. */
  readonly search: number | null;
  /** The innermost phase. */
  readonly phase: string | null;
}

/**
 * The segments of each rank from the CSV of its spans, which `traceProblem` has found sound, in order of time, none overlapping. The innermost
 * phase is the one that began last.
 */
export function computeSegments(
  csv: string,
  { timed, baseS }: { readonly timed: TimedPhases | null; readonly baseS: number },
): ReadonlyMap<number, readonly Segment[]> {
  const names = headerOf(csv);
  const [worker, phase, start, end] = ['worker', 'phase', 'start_ns', 'end_ns'].map((name) => names.indexOf(name));
  const key = timed === null ? -1 : names.indexOf(timed.key);
  const base = BigInt(baseS) * 1_000_000_000n;
  const since = (text: string | undefined): number => Number(BigInt(text ?? '0') - base);
  const spans = new Map<number, Segment[]>();
  for (const line of csv.slice(csv.indexOf('\n') + 1).split('\n')) {
    if (line.trim() === '') continue;
    const fields = line.trimEnd().split(',');
    const name = fields[phase ?? -1] ?? '';
    const number = timed?.phases.includes(name) ? (fields[key] ?? '') : '';
    const span = {
      phase: name,
      startNs: since(fields[start ?? -1]),
      endNs: since(fields[end ?? -1]),
      search: /^\d+$/.test(number) ? Number(number) : null,
    };
    const rank = Number(fields[worker ?? -1]);
    const own = spans.get(rank);
    if (own === undefined) spans.set(rank, [span]);
    else own.push(span);
  }
  return new Map([...spans].map(([rank, own]) => [rank, flattened(own)]));
}

/** Of spans that lie within each other the innermost at any time; `search` is that of a timed run alone. */
function flattened(spans: readonly Segment[]): readonly Segment[] {
  const order = [...spans].sort((a, b) => a.startNs - b.startNs || b.endNs - a.endNs);
  const found: Segment[] = [];
  let open: Segment[] = [];
  let now = Number.NEGATIVE_INFINITY;
  const until = (time: number): void => {
    while (open.length > 0 && now < time) {
      const { phase, endNs } = last(open);
      const end = Math.min(time, endNs);
      if (end > now) {
        const search = open.findLast((one) => one.search !== null)?.search ?? null;
        found.push({ startNs: now, endNs: end, search, phase });
        now = end;
      }
      open = open.filter((one) => one.endNs > now);
    }
  };
  for (const span of order) {
    until(span.startNs);
    now = span.startNs;
    open.push(span);
  }
  until(Number.POSITIVE_INFINITY);
  return found;
}

interface SegmentPiece extends Pick<Segment, 'search' | 'phase'> {
  readonly ns: number;
}

const NOWHERE = { search: null, phase: null };

/** Cuts a stretch of time into what lies in each segment and what lies between them; of one without length, where it is. */
export function piecesOf(
  segments: readonly Segment[] | undefined = [],
  fromNs: number,
  toNs: number,
): readonly SegmentPiece[] {
  const pieces: SegmentPiece[] = [];
  let now = fromNs;
  for (let index = firstBehind(segments, fromNs); index < segments.length; index += 1) {
    const { startNs, endNs, search, phase } = at(segments, index);
    if (startNs > toNs || (startNs === toNs && fromNs < toNs)) break;
    if (startNs > now) pieces.push({ ...NOWHERE, ns: startNs - now });
    const end = Math.min(toNs, endNs);
    pieces.push({ search, phase, ns: end - Math.max(now, startNs) });
    now = end;
    if (now >= toNs) return pieces;
  }
  if (now < toNs || pieces.length === 0) pieces.push({ ...NOWHERE, ns: toNs - now });
  return pieces;
}

/** The first segment that ends beyond a time. */
function firstBehind(segments: readonly Segment[], timeNs: number): number {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (at(segments, middle).endNs > timeNs) high = middle;
    else low = middle + 1;
  }
  return low;
}

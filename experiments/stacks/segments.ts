import { headerOf } from '../trace.ts';

/** Where a rank was in its trace, piece by piece in order of time, none overlapping; ns since a whole second (`baseS`). */
export interface Segments {
  readonly startNs: readonly number[];
  readonly endNs: readonly number[];
  readonly search: readonly (number | null)[];
  readonly phase: readonly (string | null)[];
}

interface Span {
  readonly phase: string;
  readonly startNs: number;
  readonly endNs: number;
  /** The number of the timed run, where this is one. */
  readonly search: number | null;
}

/**
 * The segments of each rank from the CSV of its spans, which `traceProblem` has found sound: the innermost phase, which is the one
 * that began last, and the timed run around it.
 */
export function computeSegments(
  csv: string,
  { timed, baseS }: { readonly timed: { readonly phase: string; readonly key: string } | null; readonly baseS: number },
): ReadonlyMap<number, Segments> {
  const names = headerOf(csv);
  const [worker, phase, start, end] = ['worker', 'phase', 'start_ns', 'end_ns'].map((name) => names.indexOf(name));
  const key = timed === null ? -1 : names.indexOf(timed.key);
  const base = BigInt(baseS) * 1_000_000_000n;
  const since = (text: string | undefined): number => Number(BigInt(text ?? '0') - base);
  const spans = new Map<number, Span[]>();
  for (const line of csv.slice(csv.indexOf('\n') + 1).split('\n')) {
    if (line.trim() === '') continue;
    const fields = line.trimEnd().split(',');
    const name = fields[phase ?? -1] ?? '';
    const number = timed !== null && name === timed.phase ? (fields[key] ?? '') : '';
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

function flattened(spans: readonly Span[]): Segments {
  const order = [...spans].sort((a, b) => a.startNs - b.startNs || b.endNs - a.endNs);
  const found = {
    startNs: [] as number[],
    endNs: [] as number[],
    search: [] as (number | null)[],
    phase: [] as (string | null)[],
  };
  let open: Span[] = [];
  let at = Number.NEGATIVE_INFINITY;
  const until = (time: number): void => {
    while (open.length > 0 && at < time) {
      const innermost = open.at(-1);
      const end = Math.min(time, innermost?.endNs ?? time);
      if (innermost !== undefined && end > at) {
        found.startNs.push(at);
        found.endNs.push(end);
        found.phase.push(innermost.phase);
        found.search.push(open.findLast(({ search }) => search !== null)?.search ?? null);
        at = end;
      }
      open = open.filter(({ endNs }) => endNs > at);
    }
  };
  for (const span of order) {
    until(span.startNs);
    at = span.startNs;
    open.push(span);
  }
  until(Number.POSITIVE_INFINITY);
  return found;
}

interface SegmentPiece {
  readonly search: number | null;
  readonly phase: string | null;
  readonly ns: number;
}

const NOWHERE = { search: null, phase: null };

/** Cuts a stretch of time into what lies in each segment and what lies between them; of one without length, where it is. */
export function piecesOf(segments: Segments | undefined, fromNs: number, toNs: number): readonly SegmentPiece[] {
  if (segments === undefined) return [{ ...NOWHERE, ns: toNs - fromNs }];
  const pieces: SegmentPiece[] = [];
  let at = fromNs;
  for (let index = firstBehind(segments.endNs, fromNs); index < segments.startNs.length; index += 1) {
    const [start, end] = [segments.startNs[index] ?? 0, segments.endNs[index] ?? 0];
    if (start > toNs || (start === toNs && fromNs < toNs)) break;
    if (start > at) pieces.push({ ...NOWHERE, ns: start - at });
    const place = { search: segments.search[index] ?? null, phase: segments.phase[index] ?? null };
    const [from, to] = [Math.max(at, start), Math.min(toNs, end)];
    pieces.push({ ...place, ns: to - from });
    at = to;
    if (at >= toNs) return pieces;
  }
  if (at < toNs || pieces.length === 0) pieces.push({ ...NOWHERE, ns: toNs - at });
  return pieces;
}

/** The first index whose value is beyond `bound`; values ascend. */
function firstBehind(values: readonly number[], bound: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

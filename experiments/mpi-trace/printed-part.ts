import { at, lowerBound } from '../../base/lists.ts';
import type { CellRecord } from '../records.ts';
import { roleOf } from './roles.ts';
import { type CallSpans, INIT, type OnClock, type Stretch, totalNs, wholeRun } from './run-clock.ts';
import { SHORT_CALLS } from './spans.ts';

// What of a recorded run lasted as long as the time that its program printed.

/** The one time that a program printed, of all its iterations, and by how much its rounding and its timer's calls move it; ns. */
export function printedNs({
  runs,
  summary,
}: Pick<CellRecord, 'runs' | 'summary'>): { readonly ns: number; readonly offNs: number } | null {
  const [run, ...others] = runs;
  if (run === undefined || others.length > 0) return null;
  const iterations = Number(summary.timed_iterations ?? 1);
  const digits = /\.(\d+)$/.exec(String(run.ct))?.[1]?.length ?? 0;
  return { ns: run.ct * iterations * 1e9, offNs: 2e5 + 0.5e9 * iterations * 10 ** -digits };
}

/** Programs print what they set out to measure: not less than this share of the run. */
const LEAST_SHARE = 0.1;
/** Parts that have this share of each other in common are the same but for a call. */
const SAME = 0.8;

/** A part is what was timed only if fewer than so many are expected to fit as well by chance. */
const CHANCE = 0.2;
/** A rank that has no processor just then reads its clock so much later than it left a call, as a share of what it timed. */
const LATE = 0.005;

/**
 * What lasted as long as rank 0 printed: from barrier to barrier, if it can be, else from the end of a barrier, of another collective
 * operation of all ranks or of MPI_Init to a call's beginning or end; null where nothing did, or several parts of the run.
 */
export function whatTook(
  printed: { readonly ns: number; readonly offNs: number } | null,
  { spans, onClock }: { readonly spans: CallSpans; readonly onClock: OnClock },
): Stretch | null {
  const run = wholeRun(spans, onClock);
  if (printed === null || printed.ns < LEAST_SHARE * totalNs([run]) || printed.ns > totalNs([run])) return null;
  const { worker, phase, startNs, endNs, keys } = spans;
  const isOnFirst = (row: number): boolean => worker[row] === 0 && Number.isNaN(keys.thread?.[row] ?? Number.NaN);
  const calls = [...phase.entries()].flatMap(([row, name]) =>
    name.startsWith('MPI_') && name !== SHORT_CALLS && isOnFirst(row) ? [row] : [],
  );
  const named = (isOne: (name: string) => boolean): number[] => calls.filter((row) => isOne(at(phase, row)));
  const between = (starts: readonly number[], lasts: readonly number[], offNs: number) => {
    const ends = lasts
      .flatMap((row) => [startNs, endNs].map((times) => ({ row, times, ns: onClock(0, at(times, row)) })))
      .sort((a, b) => a.ns - b.ns);
    const endsNs = Float64Array.from(ends, ({ ns }) => ns);
    return starts.flatMap((row) => {
      const from = onClock(0, at(endNs, row));
      const [first = 0, nearest = 0, last = 0] = [-offNs, 0, offNs].map((off) =>
        lowerBound(endsNs, { from: 0, to: ends.length, least: from + printed.ns + off }),
      );
      // Of many that fit, the first is the most unlike another part, and one of those in the middle is the best.
      const places = [first, nearest - 1, nearest].filter((place) => place >= first && place < last);
      const perNs = (starts.length * ends.length) / totalNs([run]);
      return places.flatMap((place) => {
        const to = at(ends, place);
        const off = Math.abs(to.ns - from - printed.ns);
        // Among many calls, something always lasts about as long.
        return 2 * off * perNs > CHANCE ? [] : [{ row, to, startNs: from, endNs: to.ns, offNs: off }];
      });
    });
  };
  const barriers = named((name) => name === 'MPI_Barrier');
  const others = named((name) => roleOf(name) === 'all' || INIT.test(name));
  const found = [
    () => between(barriers, barriers, printed.offNs + LATE * printed.ns),
    () => between(barriers, calls, printed.offNs),
    () => between(others, calls, printed.offNs),
  ].reduce<ReturnType<typeof between>>((before, next) => (before.length > 0 ? before : next()), []);
  const [best] = found.sort((a, b) => a.offNs - b.offNs);
  if (best === undefined) return null;
  const isSame = (one: Stretch): boolean =>
    Math.min(one.endNs, best.endNs) - Math.max(one.startNs, best.startNs) >= SAME * printed.ns;
  if (!found.every(isSame)) return null;
  /** The latest rank in the same call. */
  const lastOf = (of: number, times: Float64Array): number => {
    const turnOf = (row: number): string => `${keys.comm?.[row]} ${keys.turn?.[row]}`;
    const isCollective = !Number.isNaN(keys.turn?.[of] ?? Number.NaN);
    const same = isCollective ? [...phase.keys()].filter((row) => turnOf(row) === turnOf(of)) : [of];
    return same.reduce((latest, row) => Math.max(latest, onClock(at(worker, row), at(times, row))), 0);
  };
  return {
    startNs: INIT.test(at(phase, best.row)) ? run.startNs : lastOf(best.row, endNs),
    endNs: lastOf(best.to.row, best.to.times),
  };
}

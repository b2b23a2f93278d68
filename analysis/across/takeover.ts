import { predict } from '../../modeling/index.ts';
import type { ComponentFit } from './fit-components.ts';
import { type Run, secondsOf } from './runs.ts';

/** Below which bandwidth one component costs more than another, for one scale and node count. */
export interface Takeover {
  readonly scale: number;
  readonly nodes: number;
  /** Highest measured bandwidth, percent, at which `over` costs more than `under`; null: at none. */
  readonly above: number | null;
  /** Lowest measured bandwidth at which it does not; null: at none. */
  readonly below: number | null;
  /** Where the fits cross, percent; null: not between 1 and 100 %. */
  readonly fitted: number | null;
}

/**
 * At which bandwidth and node count `over` (the network) overtakes `under` (the processors): measured, and by the fits, also
 * for node counts that were not measured (`nodes`).
 */
export function takeovers(
  runs: readonly Run[],
  {
    over,
    under,
    fits,
    nodes = [],
  }: {
    readonly over: string;
    readonly under: string;
    readonly fits: readonly ComponentFit[];
    readonly nodes?: readonly number[];
  },
): readonly Takeover[] {
  const [high, low] = [over, under].map((name) => fits.find((one) => one.name === name)?.fit);
  const scales = ascending(runs.map(({ scale }) => scale));
  const counts = ascending([...runs.map((run) => run.nodes), ...nodes]);
  return scales.flatMap((scale) =>
    counts.map((count): Takeover => {
      const own = runs.filter((run) => run.scale === scale && run.nodes === count);
      const wins = (run: Run): boolean => secondsOf(run, over) > secondsOf(run, under);
      const won = own.filter(wins).map(({ bw }) => bw);
      const lost = own.filter((run) => !wins(run)).map(({ bw }) => bw);
      const gap = (bw: number): number =>
        high && low
          ? predict(high, { nodes: count, scale, bw }) - predict(low, { nodes: count, scale, bw })
          : Number.NaN;
      return {
        scale,
        nodes: count,
        above: won.length > 0 ? Math.max(...won) : null,
        below: lost.length > 0 ? Math.min(...lost) : null,
        fitted: crossing(gap),
      };
    }),
  );
}

/** The bandwidth at which the gap, which falls with bandwidth, is 0; null outside 1 to 100 %. */
function crossing(gap: (bw: number) => number): number | null {
  let [low, high] = [1, 100];
  if (!(gap(low) > 0 && gap(high) <= 0)) return null;
  for (let step = 0; step < 60; step += 1) {
    const middle = Math.sqrt(low * high);
    if (gap(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function ascending(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

import { ascending, at, groupBy } from '../../base/lists.ts';
import { capital, joinWords } from '../../base/text.ts';
import { nodesText, sizeText, underSize } from '../../base/units.ts';
import { predict } from '../../modeling/forms/predict.ts';
import type { Finding } from '../finding.ts';
import type { Platform } from '../platform/platform.ts';
import { componentLabel } from '../sources/runs/summarise.ts';
import type { ComponentFit } from './fit-components.ts';
import { type Run, secondsOf } from './run-of-cell.ts';

/** Groups of metrics that models name alike. */
export const NETWORK = 'network';
export const PROCESSORS = 'cpu';

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

interface TakeoverOptions {
  readonly over: string;
  readonly under: string;
  readonly fits: readonly ComponentFit[];
  readonly nodes?: readonly number[];
}

/**
 * At which bandwidth and node count `over` (the network) overtakes `under` (the processors): measured, and by the fits, also
 * for node counts that were not measured (`nodes`).
 */
export function takeovers(
  runs: readonly Run[],
  { over, under, fits, nodes = [] }: TakeoverOptions,
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

/** At which bandwidths the network costs more than the processors, one finding per scale. */
export function takeoverFindings(
  found: readonly Takeover[],
  runs: readonly Run[],
  platform: Pick<Platform, 'metrics'>,
): readonly Finding[] {
  if (!runs.some((run) => secondsOf(run, NETWORK) > 0)) return [];
  const [network, processors] = [NETWORK, PROCESSORS].map((name) => componentLabel(name, platform));
  const measured = found.filter(({ above, below }) => above !== null || below !== null);
  return [...new Set(measured.map(({ scale }) => scale))].map((scale) => {
    const alike = groupBy(
      measured.filter((one) => one.scale === scale),
      placeOf,
    ).map((group) => ({ ...at(group, 0), on: countsText(group.map(({ nodes }) => nodes)) }));
    const costs = alike.filter(({ above }) => above !== null).map((one) => `${placeOf(one)} on ${one.on}`);
    const sentences = [
      ...(costs.length > 0 ? [`${network} costs more time than ${processors} ${costs.join(', ')}.`] : []),
      ...alike
        .filter(({ above }) => above === null)
        .map((one) => `${placeOf(one)} ${network} never costs more time than ${processors} (${one.on}).`),
    ];
    const sentence = underSize(scale, sentences.map((text, index) => (index === 0 ? text : capital(text))).join(' '));
    return {
      kind: 'across/takeover',
      where: sizeText(scale, ''),
      seconds: null,
      percent: null,
      interval: null,
      sentence,
    };
  });
}

function countsText(nodes: readonly number[]): string {
  return nodes.length === 1 ? nodesText(at(nodes, 0)) : `${joinWords(nodes)} nodes`;
}

/** At which bandwidths `over` wins, as measured; without `above` the bandwidths at which it never does. */
function placeOf({ above, below }: Takeover): string {
  if (above === null) return `even at ${below} % bandwidth`;
  return below === null ? `even at ${above} % bandwidth` : `at ${above} % but not at ${below} % bandwidth`;
}

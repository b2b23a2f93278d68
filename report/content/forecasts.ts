import { isAt, type Setting } from './main-setting.ts';
import type { PathData } from './path-content.ts';
import type { ProjectionRow } from './predictions.ts';
import type { Why } from './why-content.ts';

interface Forecast extends Setting {
  /** Whether sentences are about it. */
  readonly isNamed: boolean;
  readonly components: readonly { readonly value: number | null }[];
}

/** Parts whose forecasts add up to another time than the model of the whole time predicts, seconds. */
interface Disagreement extends Setting {
  readonly sum: number;
  readonly ct: number;
  readonly low: number;
  readonly high: number;
}

/** What analyses say of clusters that were not measured, where it is said. */
interface Said {
  readonly why: Why | null;
  readonly path: PathData | null;
  /** The largest cluster on which forecasts were left out because they disagree. */
  readonly disagreement: Disagreement | null;
}

/**
 * Analyses without forecasts that would be a second answer: where the model in use has no prediction nothing else is said of a
 * cluster, and parts that do not add up to its prediction are left out. `predictions` are the model's, those it abstains from left out.
 */
export function withoutSecondAnswers(
  { why, path }: Pick<Said, 'why' | 'path'>,
  predictions: readonly ProjectionRow[],
): Said {
  const left: Disagreement[] = [];
  const agrees = ({ nodes, scale, bw, components }: Forecast): boolean => {
    const { ct = 0, interval } = predictions.find(isAt({ nodes, scale, bw })) ?? {};
    const { low = null, high = null } = interval ?? {};
    if (low === null || high === null) return false;
    const sum = components.reduce((all, { value }) => all + (value ?? 0), 0);
    if (sum >= low && sum <= high) return true;
    left.push({ nodes, scale, bw, sum, ct, low, high });
    return false;
  };
  // Findings of a kind are about the forecasts that sentences name: they stay if all of those do.
  const keep = <W extends Forecasting>(analysis: W, kinds: readonly string[]): W => {
    const forecasts = analysis.forecasts.filter(agrees);
    const count = (some: readonly Forecast[]): number => some.filter(({ isNamed }) => isNamed).length;
    const isWhole = count(forecasts) === count(analysis.forecasts);
    const findings = analysis.findings.filter(({ kind }) => isWhole || !kinds.includes(kind));
    return { ...analysis, forecasts, findings };
  };
  const said = {
    why: why && {
      ...keep(why, ['across/forecast']),
      takeovers: why.takeovers.filter(
        ({ nodes, above, below }) => above !== null || below !== null || predictions.some((row) => row.nodes === nodes),
      ),
    },
    path: path && keep(path, ['path/forecast', 'path/takeover/forecast']),
  };
  const [disagreement = null] = left.toSorted((a, b) => b.nodes - a.nodes || b.bw - a.bw);
  return { ...said, disagreement };
}

interface Forecasting {
  readonly forecasts: readonly Forecast[];
  readonly findings: readonly { readonly kind: string }[];
}

import { ascending, at, own } from '../../../base/lists.ts';
import type { Fit } from '../../../modeling/model-records.ts';
import type { ForecastNodes } from '../../across/across-runs.ts';
import {
  type ComponentFit,
  type ComponentFits,
  componentAt,
  fitComponents,
  sharesAt,
  wholeAt,
} from '../../across/fit-components.ts';
import type { Run } from '../../across/run-of-cell.ts';
import type { Finding } from '../../finding.ts';
import type { Platform } from '../../platform/platform.ts';
import type { RunPaths } from '../run-paths.ts';
import { keyTakeoverFindings, limitFindings, pathForecastFindings } from './path-findings.ts';
import { type KeyTakeover, keyTakeovers, meansOver, type PathForecast, pathRun } from './path-runs.ts';

/** One key of the path as a function of nodes, bandwidth and scale. */
export interface PathKey {
  readonly key: string;
  readonly fit: Fit;
  /** Whether it takes longer on the largest measured cluster than on the smallest, at the highest bandwidth; null: of one size alone. */
  readonly grows: boolean | null;
}

/** What the paths of cells say together. */
export function pathAcross(
  cells: readonly Pick<RunPaths, 'cell' | 'meanNs'>[],
  {
    platform,
    level,
    ranksPerNode,
    nodes,
    named,
  }: ForecastNodes & {
    readonly platform: Pick<Platform, 'noun'>;
    readonly level: number;
    readonly ranksPerNode: number;
  },
) {
  const runs = cells.map(pathRun);
  const fits: ComponentFits = fitComponents(runs, { ranksPerNode });
  const keys = fits.kind === 'fitted' ? fits.components : [];
  const scale = Math.max(...runs.map((run) => run.scale));
  const levels = ascending(runs.map(({ bw }) => bw));
  const shown = [...new Set([at(levels, levels.length - 1), at(levels, 0)])];
  const forecasts =
    keys.length === 0
      ? []
      : shown.flatMap((bw) =>
          nodes.map((count) => ({
            ...forecastAt(keys, { nodes: count, scale, bw }, level),
            isNamed: count === named,
          })),
        );
  const takeovers: readonly KeyTakeover[] = keyTakeovers(runs, forecasts);
  const findings: readonly Finding[] = [
    ...limitFindings(runs, platform),
    ...pathForecastFindings(forecasts, level),
    ...keyTakeoverFindings(takeovers, platform),
  ];
  const components = keys.map(({ name, fit }): PathKey => ({ key: name, fit, grows: grows(runs, name) }));
  return { fits, components, takeovers, forecasts, findings };
}

function forecastAt(
  keys: readonly ComponentFit[],
  setting: Pick<Run, 'nodes' | 'scale' | 'bw'>,
  level: number,
): Omit<PathForecast, 'isNamed'> {
  const [shares, whole] = [sharesAt(keys, setting, level), wholeAt(keys, setting, level)];
  const components = keys
    .map((key, index) => ({ key: key.name, seconds: componentAt(key, setting, level), percent: at(shares, index) }))
    .sort((a, b) => (b.seconds.value ?? 0) - (a.seconds.value ?? 0));
  return {
    ...setting,
    lengthSeconds: components.reduce((sum, { seconds }) => sum + (seconds.value ?? 0), 0),
    interval: { low: whole.low, high: whole.high },
    components,
  };
}

function grows(runs: readonly Run[], key: string): boolean | null {
  const [bw, scale] = [Math.max(...runs.map((run) => run.bw)), Math.max(...runs.map((run) => run.scale))];
  const [first, ...rest] = meansOver(runs.filter((run) => run.bw === bw && run.scale === scale));
  const last = rest.at(-1);
  return first === undefined || last === undefined
    ? null
    : (own(last.components, key) ?? 0) > (own(first.components, key) ?? 0);
}

import { mean, sampleStandardDeviation } from 'simple-statistics';
import { at, groupBy } from '../../../base/lists.ts';
import { estimateText, formatBytes, formatSeconds, nodesText, sizeText } from '../../../base/units.ts';
import type { Cell } from '../../../experiments/records.ts';
import { studentQuantile } from '../../../modeling/judge/distributions.ts';
import { fitComponents, sharesAt } from '../../across/fit-components.ts';
import type { Finding } from '../../finding.ts';
import type { Cause } from './find-causes.ts';

/** A run and what it lost its time to. */
interface Run {
  readonly cell: Cell;
  readonly meanNs: Readonly<Record<string, number>>;
  readonly causes: readonly Cause[];
}

/** Why runs take as long as they do, on the largest cluster first; every cause once, where it costs most. */
export interface CauseFinding extends Finding {
  readonly cause: Pick<Cause, 'kind' | 'rank' | 'host' | 'call'>;
}

/**
 * What most runs of a configuration agree on, with the interval over them, for the most nodes of the largest scale at the highest
 * bandwidth; what it is on fewer nodes stands behind it, and what the fits forecast for the cluster that sentences name (`forecast`).
 */
export function causeFindings(
  runs: readonly Run[],
  {
    noun,
    level = 0.9,
    forecast,
  }: { readonly noun: string; readonly level?: number; readonly forecast?: Omit<ForecastOptions, 'level'> },
): readonly CauseFinding[] {
  const settings = groupBy(runs, ({ cell: { scale, nodes, bw } }) => `${scale} ${nodes} ${bw}`).sort((a, b) => {
    const [x, y] = [at(a, 0).cell, at(b, 0).cell];
    return y.scale - x.scale || y.nodes - x.nodes || y.bw - x.bw;
  });
  const [largest] = settings;
  if (largest === undefined) return [];
  const { cell } = at(largest, 0);
  const others = settings.slice(1).filter(([first]) => first?.cell.scale === cell.scale && first.cell.bw === cell.bw);
  const where = `${nodesText(cell.nodes)}${sizeText(cell.scale)}, ${cell.bw} % bandwidth`;
  return agreed(largest).map((same) => {
    const cause = at(same, 0);
    const [seconds, percents] = [same.map(({ ns }) => ns / 1e9), same.map(({ percent }) => percent)];
    const interval = intervalOf(seconds, level);
    const ends = intervalOf(percents, level);
    const percent = estimateText(
      { value: mean(percents), low: ends?.low ?? null, high: ends && Math.min(100, ends.high) },
      (share) => `${Math.round(share)} %`,
      level,
    );
    const fewer = others.flatMap((setting) => {
      const found = agreed(setting).find((one) => nameOf(at(one, 0)) === nameOf(cause));
      if (found === undefined) return [];
      return `${Math.round(mean(found.map((one) => one.percent)))} % on ${at(setting, 0).cell.nodes}`;
    });
    const grows = fewer.length === 0 ? '' : ` (${fewer.toReversed().join(', ')})`;
    const beyond = forecast === undefined ? '' : forecastOf(cause, runs, { ...forecast, level, at: cell });
    return {
      kind: `cause/${cause.kind}`,
      where,
      cause: { kind: cause.kind, rank: cause.rank, host: cause.host, call: cause.call },
      ...{ seconds: mean(seconds), percent: mean(percents), interval },
      sentence: `${sentenceOf(same, { percent: `${percent}${grows}`, place: `a ${noun} on ${nodesText(cell.nodes)}` })}${beyond}`,
    };
  });
}

/**
 * Causes that more than half of the runs have, with those of these runs; in the order in which most runs have them. More work and a
 * slower host look alike in a single run: of one host it is what most runs say.
 */
function agreed(runs: readonly Run[]): readonly (readonly Cause[])[] {
  const all = groupBy(
    runs.flatMap(({ causes }) => causes),
    nameOf,
  )
    .filter((same) => 2 * same.length > runs.length)
    .map((same) =>
      at(
        groupBy(same, ({ kind }) => kind).sort((a, b) => b.length - a.length),
        0,
      ),
    );
  const place = (same: readonly Cause[]): number =>
    mean(
      runs.map(({ causes }) => causes.findIndex((one) => nameOf(one) === nameOf(at(same, 0))) + 1 || causes.length + 1),
    );
  return [...all].sort((a, b) => place(a) - place(b));
}

interface ForecastOptions {
  readonly ranksPerNode: number;
  /** Nodes; null: none. */
  readonly named: number | null;
  readonly level: number;
}

/** A sentence about a larger cluster, by fits of what the cause takes of every run and of the rest; '' where these cannot be fitted. */
function forecastOf(
  cause: Cause,
  runs: readonly Run[],
  { ranksPerNode, named, level, at: { scale, bw } }: ForecastOptions & { readonly at: Pick<Cell, 'scale' | 'bw'> },
): string {
  if (named === null) return '';
  const timed = runs.map(({ cell, meanNs: { length = 0 }, causes }) => {
    const ns = Math.min(length, causes.find((one) => nameOf(one) === nameOf(cause))?.ns ?? 0);
    const components = { cause: ns / 1e9, rest: (length - ns) / 1e9 };
    return { ...cell, seconds: length / 1e9, components, imbalance: 0 };
  });
  const fits = fitComponents(timed, { ranksPerNode });
  if (fits.kind === 'refused') return '';
  const share = sharesAt(fits.components, { nodes: named, scale, bw }, level)[
    fits.components.findIndex(({ name }) => name === 'cause')
  ];
  if (share === undefined) return '';
  return ` On ${nodesText(named)} the fits forecast ${estimateText(share, (one) => `${Math.round(one)} %`, level)}.`;
}

function nameOf({ kind, host }: Cause): string {
  return `${kind === 'slow-host' || kind === 'load-imbalance' ? 'computing' : kind} ${host}`;
}

function intervalOf(values: readonly number[], level: number): { readonly low: number; readonly high: number } | null {
  if (values.length < 2) return null;
  const half = (studentQuantile(values.length - 1, level) * sampleStandardDeviation(values)) / Math.sqrt(values.length);
  return { low: Math.max(0, mean(values) - half), high: mean(values) + half };
}

function sizeOf(bytes: number): string {
  return bytes < 1024 ? `${Math.round(bytes)} bytes` : formatBytes(bytes);
}

function sentenceOf(
  same: readonly Cause[],
  { percent, place }: { readonly percent: string; readonly place: string },
): string {
  const { kind, rank, host, call } = at(same, 0);
  const [ratios, sent] = [same.flatMap(({ ratio }) => ratio ?? []), same.flatMap(({ messages }) => messages ?? [])];
  const times = ratios.length === 0 ? 'longer than' : `${mean(ratios).toFixed(1)} times as long as`;
  const count = sent.length === 0 ? 0 : Math.round(mean(sent.map((one) => one.count)));
  const bytes = sent.length === 0 ? '' : sizeOf(mean(sent.map((one) => one.bytes)));
  const each = formatSeconds(mean(same.map(({ ns }) => ns / 1e9)) / Math.max(1, count));
  switch (kind) {
    case 'load-imbalance':
      return `Load imbalance: rank ${rank} on ${host} computes ${times} the others. Equal work would save ${percent} of ${place}.`;
    case 'serial-section':
      return `Serial section: rank ${rank} on ${host} computes while the others wait. This takes ${percent} of ${place}.`;
    case 'slow-host':
      return `Slow host: ranks on ${host} get less processor time, so computing takes ${times} on the others. This costs ${percent} of ${place}.`;
    case 'slow-link':
      return `Slow link: messages to and from ${host} take ${times} others of their size. This costs ${percent} of ${place}.`;
    case 'latency-bound':
      return `Latency-bound: ${call} takes ${percent} of ${place}.${count === 0 ? '' : ` On its path are ${count} messages of ${bytes}, ${each} each.`}`;
    case 'bandwidth-bound':
      return `Bandwidth-bound: ${call} takes ${percent} of ${place}${count === 0 ? '' : `, for messages of ${bytes}`}.`;
    case 'cpu-quota':
      return `CPU-bound: for ${percent} of ${place} a rank is ready to compute but has no processor (run queue or quota).`;
  }
}

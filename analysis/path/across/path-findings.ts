import { ascending, groupBy, own } from '../../../base/lists.ts';
import { joinWords } from '../../../base/text.ts';
import { estimateText, formatSeconds, nodesText, sizeText } from '../../../base/units.ts';
import type { Run } from '../../across/run-of-cell.ts';
import type { Finding } from '../../finding.ts';
import { type KeyTakeover, meansOver, type PathForecast, type PathTimes } from './path-runs.ts';

interface Noun {
  readonly noun: string;
}

/** Keys that grow less than this share of the whole are no reason. */
const MINOR = 0.02;
/** Keys that a sentence names. */
const NAMED = 3;

/** Up to which node count more nodes helped at the highest and the lowest bandwidth, and which keys of the path outgrew what the others saved. */
export function limitFindings(runs: readonly Run[], { noun }: Noun): readonly Finding[] {
  const scale = Math.max(...runs.map((run) => run.scale));
  const levels = ascending(runs.filter((run) => run.scale === scale).map(({ bw }) => bw));
  const ends = [...new Set([Math.max(...levels), Math.min(...levels)])];
  return ends.flatMap((bw) =>
    limitOf(meansOver(runs.filter((run) => run.scale === scale && run.bw === bw)), {
      begin: `At ${bw} % bandwidth${sizeText(scale, ' and ')} the critical path of a ${noun}`,
      countText: nodesText,
      after: `${sizeText(scale)}, ${bw} % bandwidth`,
    }),
  );
}

interface LimitWords {
  /** What gets shorter: begins the sentence. */
  readonly begin: string;
  /** `4 nodes`. */
  readonly countText: (count: number) => string;
  /** What else is said of the place of the finding. */
  readonly after: string;
}

/** Up to which count a path gets shorter, and which of its keys grow and shrink; none of one count alone. */
export function limitOf(means: readonly PathTimes[], { begin, countText, after }: LimitWords): readonly Finding[] {
  const [best] = [...means].sort((a, b) => a.seconds - b.seconds);
  const [first, last] = [means[0], means.at(-1)];
  if (first === undefined || last === undefined || best === undefined || first === last) return [];
  const from = best === last ? first : best;
  const changes = [...new Set([...Object.keys(from.components), ...Object.keys(last.components)])]
    .map((key) => ({ key, before: own(from.components, key) ?? 0, after: own(last.components, key) ?? 0 }))
    .map((one) => ({ ...one, change: one.after - one.before }));
  const [up, down] = [1, -1].map((sign) =>
    changes
      .filter(({ change }) => change * sign > MINOR * from.seconds)
      .sort((a, b) => (b.change - a.change) * sign)
      .slice(0, NAMED)
      .map((one) => `${one.key} (${formatSeconds(one.before)} to ${formatSeconds(one.after)})`),
  );
  const grown = changes.reduce((sum, { change }) => sum + Math.max(0, change), 0);
  const listed = (what: string, keys: readonly string[] | undefined): string =>
    keys === undefined || keys.length === 0 ? '' : ` ${what}: ${joinWords(keys)}.`;
  const why = `${listed('What grows', up)}${listed('What shrinks', down)}`;
  const sentence =
    best === last
      ? `${begin} gets shorter up to ${countText(last.nodes)}, the most measured (${formatSeconds(first.seconds)} on ${first.nodes}, ${formatSeconds(last.seconds)} on ${last.nodes}).${why}`
      : `${begin} gets shorter up to ${countText(best.nodes)} only (${formatSeconds(best.seconds)}, and ${formatSeconds(last.seconds)} on ${last.nodes}).${up?.length === 0 ? '' : why}`;
  return [
    {
      kind: 'path/limit',
      where: `${countText(last.nodes)}${after}`,
      seconds: best === last ? null : grown,
      percent: best === last ? null : (grown / last.seconds) * 100,
      interval: null,
      sentence,
    },
  ];
}

/** The largest parts of the path on the forecast cluster that sentences are about; at other than the highest bandwidth the largest alone. */
export function pathForecastFindings(forecasts: readonly PathForecast[], level: number): readonly Finding[] {
  const highest = Math.max(...forecasts.map(({ bw }) => bw));
  return forecasts
    .filter(({ isNamed }) => isNamed)
    .flatMap(({ nodes, scale, bw, components }) =>
      components.slice(0, bw === highest ? NAMED : 1).map(({ key, seconds, percent }) => ({
        kind: 'path/forecast',
        where: `${nodesText(nodes)}${sizeText(scale)}, ${bw} % bandwidth: ${key}`,
        seconds: seconds.value,
        percent: percent.value,
        interval: { low: seconds.low, high: seconds.high },
        sentence: `On ${nodesText(nodes)} at ${bw} % bandwidth ${key} is ${estimateText(percent, (one) => `${one.toFixed(0)} %`, level)} of the path.`,
      })),
    );
}

/** From which node count on another key leads, at the largest scale: as measured, and as forecast. */
export function keyTakeoverFindings(takeovers: readonly KeyTakeover[], { noun }: Noun): readonly Finding[] {
  const scale = Math.max(...takeovers.map((one) => one.scale));
  return [true, false].flatMap((isMeasured) => {
    const own = takeovers.filter((one) => one.scale === scale && one.measured === isMeasured);
    const levels = groupBy(own, ({ bw }) => String(bw)).map((same) => {
      const parts = same.map(({ nodes, key, over }) => `from ${nodesText(nodes)} on ${key} instead of ${over}`);
      return `at ${same[0]?.bw} % bandwidth ${parts.join(', ')}`;
    });
    if (levels.length === 0) return [];
    const changes = isMeasured ? 'changes with the cluster' : 'is forecast to change';
    return [
      {
        kind: isMeasured ? 'path/takeover' : 'path/takeover/forecast',
        where: sizeText(scale, ''),
        ...{ seconds: null, percent: null, interval: null },
        sentence: `The largest part of a ${noun}'s path ${changes}: ${levels.join('; ')}.`,
      },
    ];
  });
}

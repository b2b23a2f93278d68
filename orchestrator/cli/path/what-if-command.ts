import type { GoodRuns } from '../../../analysis/explain-campaign.ts';
import type { RunPaths } from '../../../analysis/path/run-paths.ts';
import { type Change, whatIf } from '../../../analysis/path/what-if.ts';
import type { Platform } from '../../../analysis/platform/platform.ts';
import { explainCell } from '../../../analysis/sources/runs/explain-cell.ts';
import { metricLabel, type Summary } from '../../../analysis/sources/runs/summarise.ts';
import { parseNumber } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { own } from '../../../base/lists.ts';
import { joinWords, shortened } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import { cellLink, type LinkRate } from '../../../experiments/records.ts';

/** How long something would take after some changes, ns; of searches the mean. */
export interface WhatIfAnswer {
  readonly changes: readonly Change[];
  readonly beforeNs: number;
  readonly afterNs: number;
  readonly savedNs: number;
  /** What Grade10 says could be saved at most without waiting for the resource that a change is about; not of recorded calls. */
  readonly grade10?: readonly { readonly key: string; readonly resource: string; readonly atMostNs: number }[];
  readonly sentences: readonly string[];
}

interface Run {
  readonly good: GoodRuns;
  readonly record: CellRecord;
  readonly paths: RunPaths;
}

export async function whatIfOf(texts: readonly string[], { good, record, paths }: Run): Promise<WhatIfAnswer> {
  const changes = texts.map((text) => parseChange(text, paths.causes ?? []));
  const { platform, lineRateBps } = good.options;
  const linkOf = (slower: number): LinkRate => cellLink(record.cell.bw, lineRateBps, slower);
  const lengths = whatIf(paths.graphs, { changes, hostOf: paths.hostOf, linkOf });
  const beforeNs = own(paths.meanNs, 'length') ?? 0;
  const afterNs = lengths.reduce((sum, one) => sum + one, 0) / paths.searches.length;
  const times = { changes, beforeNs, afterNs, savedNs: beforeNs - afterNs };
  const sentence = changeSentence(times, platform.noun);
  if (paths.part !== undefined) return { ...times, sentences: [sentence] };
  const { summary } = await explainCell(good, record, good.options);
  const grade10 = changes.flatMap(({ key }) => boundOf(key, summary, platform));
  const bounds = grade10.map(
    ({ key, resource, atMostNs }) =>
      `Grade10's bound for ${key}, without any wait for ${resource}: at most ${formatSeconds(atMostNs / 1e9)} less.`,
  );
  return { ...times, grade10, sentences: [sentence, ...bounds] };
}

function changeSentence(
  { changes, beforeNs, afterNs }: Pick<WhatIfAnswer, 'changes' | 'beforeNs' | 'afterNs'>,
  noun: string,
) {
  const said = joinWords(
    changes.map(({ key, factor }) => `${key} lasted ${Number(factor.toPrecision(3))} times as long`),
  );
  const ns = Math.abs(beforeNs - afterNs);
  const difference = `${formatSeconds(ns / 1e9)} (${((ns / Math.max(1, beforeNs)) * 100).toFixed(1)} %) ${afterNs <= beforeNs ? 'less' : 'more'}`;
  return `If ${said}, a ${noun} would take ${formatSeconds(afterNs / 1e9)} instead of ${formatSeconds(beforeNs / 1e9)}: ${difference}.`;
}

/**
 * `fold transfer=0.5`; `node05=mended` for a host that computes longer than others, as a cause of the run says: as the typical one. Errors:
 * badInput for anything else.
 */
export function parseChange(
  text: string,
  causes: readonly Pick<RunPaths['causes'][number], 'host' | 'ratio'>[] = [],
): Change {
  const end = text.lastIndexOf('=');
  const [key, factor] = [text.slice(0, Math.max(0, end)).trim(), text.slice(end + 1)];
  if (key === '') {
    throw badInput(`--what-if: '${shortened(text)}' is not a change: write KEY=FACTOR, such as transfer=0.5.`);
  }
  if (factor !== 'mended') return { key, factor: parseNumber(factor, '--what-if') };
  const slower = causes.find(({ host }) => host === key)?.ratio;
  if (!slower)
    throw badInput(`--what-if: this run does not name ${key} as a host that is slower than others: write ${key}=0.5.`);
  return { key, factor: 1 / slower };
}

/** The largest cost of the resource that a key is about: the network for transfers, the processors for work; in its phase, or on the whole path. */
function boundOf(key: string, { costs, count }: Summary, platform: Platform): NonNullable<WhatIfAnswer['grade10']> {
  const name = key.replace(/ (transfer|work)$/, '');
  const type = own(platform.measured?.trace ?? {}, name) ?? null;
  const isLink = /(^| )(transfer|link)$/.test(key);
  const groupOf = (resource: string | null): string | undefined =>
    platform.metrics[platform.resourceTypes.metricTypes.indexOf.get(resource ?? '') ?? -1]?.group;
  const [found] = costs.filter(
    ({ kind, phases, resource }) =>
      resource !== null &&
      (type === null ? kind === 'critical-path' : kind === 'bottleneck' && phases === type) &&
      (groupOf(resource) === 'cpu') === !isLink,
  );
  if (found === undefined || found.resource === null) return [];
  const atMostNs = (found.seconds / Math.max(1, count)) * 1e9;
  return [{ key, resource: metricLabel(found.resource, platform), atMostNs }];
}

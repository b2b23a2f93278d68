import { basename } from 'node:path';
import { groupAlike } from '../../base/text.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { programOf } from '../../experiments/store/programs.ts';
import {
  type CampaignComparison,
  type CellPlace,
  type CommonCell,
  compareCampaigns,
} from '../../modeling/questions/compare-campaigns.ts';
import { typicalTimes } from '../../modeling/questions/typical-times.ts';
import type { Answers } from '../answers/answers-schema.ts';
import { decideGate, formatChange, type GateAnswer, levelText, placeText } from '../answers/gate-answer.ts';
import { hasPrograms } from './build-programs.ts';
import { emulationOf } from './emulation.ts';
import { keptAnswers } from './from-campaign.ts';

/** A campaign of a comparison, and what is said of it alone. */
interface Side {
  readonly dir: string;
  /** The folder's name, its path where another has the same. */
  readonly name: string;
  readonly workload: string;
  readonly cluster: string;
  /** What of its cluster is emulated; null for a real one. */
  readonly emulation: string | null;
  /** Null for several programs, and where nothing was measured. */
  readonly answers: Answers | null;
  /** Typical times, seconds; ends are null where too few repetitions tell their scatter. */
  readonly times: readonly (CellPlace & {
    readonly seconds: number;
    readonly low: number | null;
    readonly high: number | null;
  })[];
}

/** The first campaign against another one. */
interface Pair {
  /** The other's name. */
  readonly against: string;
  /** Of the mean of all configurations that both measured. */
  readonly verdict: 'slower' | 'faster' | 'same' | 'unknown';
  readonly short: string;
  readonly sentence: string;
  readonly detail: string;
  readonly comparison: CampaignComparison;
  /** Null where repetitions do not tell the noise. */
  readonly gate: GateAnswer | null;
}

/** Campaigns side by side, as plain data: what the page shows. Units as in `ReportData`. */
export interface ComparisonData {
  readonly title: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly limitPercent: number;
  /** The one that is held against the others comes first. */
  readonly sides: readonly Side[];
  readonly pairs: readonly Pair[];
  readonly warnings: readonly string[];
}

interface Asked {
  readonly title?: string | undefined;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly program?: string | undefined;
  /** Percent by which the first may be slower. */
  readonly limitPercent: number;
}

const LEVEL = 0.9;

/** The first campaign against each of the others. Errors: `badInput` where two have no measured configuration in common, those of the store. */
export async function buildComparison(
  [first, ...others]: readonly [OpenCampaign, ...OpenCampaign[]],
  { title, generatedAt, program, limitPercent }: Asked,
): Promise<ComparisonData> {
  const all = [first, ...others];
  const sides: Side[] = [];
  for (const open of all) sides.push(await sideOf(open, nameAmong(open, all), program));
  const pairs = others.map((other) => {
    const comparison = compareCampaigns(first, other, { level: LEVEL, program, limitPercent });
    return pairOf(comparison, { name: nameAmong(first, all), against: nameAmong(other, all) });
  });
  const names = sides.map(({ name }) => name);
  return {
    title: title ?? `${names[0]} against ${names.slice(1).join(', ')}`,
    ...{ generatedAt, limitPercent, sides, pairs },
    warnings: [...new Set(pairs.flatMap(({ comparison }) => groupAlike(comparison.warnings)))],
  };
}

async function sideOf(open: OpenCampaign, name: string, program: string | undefined): Promise<Side> {
  const { campaign, records, dir } = open;
  const isOne = program !== undefined || !hasPrograms(open);
  return {
    ...{ dir, name, workload: campaign.workload.name, cluster: campaign.inventory.cluster },
    emulation: emulationOf(campaign.inventory),
    answers: isOne ? await keptAnswers(open, { ...(program === undefined ? {} : { program }) }) : null,
    times: typicalTimes(campaign, records)
      .map(({ cell, seconds, interval }) => {
        const { nodes, scale, bw } = cell;
        const ends = { low: interval?.low ?? null, high: interval?.high ?? null };
        return { ...{ program: programOf(campaign, cell), nodes, scale, bw, seconds }, ...ends };
      })
      .filter((time) => program === undefined || time.program === program),
  };
}

function nameAmong({ dir }: OpenCampaign, all: readonly OpenCampaign[]): string {
  const name = basename(dir);
  return all.filter((one) => basename(one.dir) === name).length === 1 ? name : dir;
}

function pairOf(
  comparison: CampaignComparison,
  { name, against }: { readonly name: string; readonly against: string },
): Pair {
  const { mean, cells, failed, gate: found, level } = comparison;
  const [low, high] = [mean.low, mean.high];
  const verdict = low === null || high === null ? 'unknown' : verdictOf({ value: mean.value, low, high });
  const percent = `${Math.abs((mean.value - 1) * 100).toFixed(1)} %`;
  const interval =
    low === null || high === null
      ? 'the noise between repetitions is unknown'
      : `${levelText(level)} ${formatChange(low)} to ${formatChange(high)}`;
  const said = { slower: 'beyond noise', faster: 'beyond noise', same: 'within noise', unknown: 'perhaps noise' }[
    verdict
  ];
  return {
    ...{ against, verdict, comparison },
    short: { slower: `${percent} slower`, faster: `${percent} faster`, same: 'no difference', unknown: 'unknown' }[
      verdict
    ],
    sentence: `Times of ${name} differ from those of ${against} by ${formatChange(mean.value)} (${interval}): ${said}.`,
    detail: changedText(cells, failed),
    gate: found && decideGate(found, { failed, strict: false }),
  };
}

/** A 99 % interval is so many times as wide as a 90 % one (of a normal): one equal pair of a hundred may be called different. */
const SURER = 1.57;

/** Unknown where the 90 % interval leaves no room for noise, and a 99 % one does. */
function verdictOf({ value, low, high }: Readonly<Record<'value' | 'low' | 'high', number>>): Pair['verdict'] {
  if (low <= 1 && high >= 1) return 'same';
  const isSure = low > 1 ? value * (low / value) ** SURER > 1 : value * (high / value) ** SURER < 1;
  if (!isSure) return 'unknown';
  return low > 1 ? 'slower' : 'faster';
}

/** So many configurations fit into a sentence. */
const NAMED = 3;

function changedText(cells: readonly CommonCell[], failed: readonly CellPlace[]): string {
  const changed = cells
    .filter(({ differs }) => differs !== null)
    .sort((a, b) => Math.abs(Math.log(b.ratio.value)) - Math.abs(Math.log(a.ratio.value)));
  const named = changed.slice(0, NAMED).map((cell) => `${placeText(cell)} (${formatChange(cell.ratio.value)})`);
  const most = named.length === 0 ? '' : `, most of all ${named.join('; ')}`;
  const lost = failed.length === 0 ? '' : ` ${failed.length} failed that the other measured.`;
  return `By themselves ${changed.length} of ${cells.length} configurations differ beyond noise${most}.${lost}`;
}

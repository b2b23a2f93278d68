import { readProfiledRuns } from '../../analysis/profiles/scaling/campaign-runs.ts';
import { type ExplainedScaling, explainScaling } from '../../analysis/profiles/scaling/explain-scaling.ts';
import {
  computeStackShares,
  layoutScalingFlames,
  type ProfiledRun,
} from '../../analysis/profiles/scaling/profiled-run.ts';
import { describeVerdict } from '../../analysis/profiles/scaling/verdicts.ts';
import { type ScalingWitnesses, scalingWitnesses } from '../../analysis/profiles/scaling/witnesses.ts';
import { at, groupBy } from '../../base/lists.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { programOf } from '../../experiments/store/programs.ts';
import type { PathData } from './path-content.ts';
import type { Why } from './why-content.ts';

/** What the profiled runs of a campaign say: seconds are per rank and timed run (`noun`: a search). */
export type CallStacks = NonNullable<Awaited<ReturnType<typeof readCallStacks>>>;

interface Beside {
  /** Its name; the only one where it is not given. */
  readonly program: string | undefined;
  readonly noun: string;
  /** What the measured runs say, if they were sampled and traced. */
  readonly why: Why | null;
  readonly path: PathData | null;
}

/** The call paths of the largest scale, their verdicts, and flame graphs. Null where no run left call stacks. */
export async function readCallStacks(open: OpenCampaign, { program, noun, why, path }: Beside) {
  const { campaign, profiled } = open;
  const isOne = ({ cell, status }: CellRecord): boolean =>
    status === 'ok' && (program === undefined || programOf(campaign, cell) === program);
  if (!profiled.some(isOne)) return null;
  const { kind, runs, empty } = await readProfiledRuns(open, { program });
  if (runs.length === 0) return null;
  const { ranksPerNode } = campaign.inventory;
  const found = explainScaling(runs, { ranksPerNode, noun });
  const witnesses = witnessesOf(found, { why, path });
  const { range, parts, answer, findings, fits } = found;
  return {
    noun,
    /** Time on processors alone says nothing of waiting. */
    isAllTime: kind === 'wall',
    empty,
    range,
    refused: fits.kind === 'refused' ? fits.reason : null,
    answer,
    witnesses: witnesses.sentence,
    /** The most excess first. */
    rows: parts.map(({ label, onFewest, onMost, atLowest, percent, judged }) => ({
      ...{ label, onFewest, onMost, atLowest, percent },
      exponent: judged?.exponent.value ?? null,
      verdict: describeVerdict(judged),
    })),
    findings,
    flames: layoutScalingFlames(runs, range),
    shares: sharesOf(runs),
    /** The call path that stops it; null where none does. */
    stops: answer === null ? null : at(parts, 0).label.replace(/^\.\.;/, ''),
  };
}

/** What ranks were seen in at every profiled setting. */
function sharesOf(runs: readonly ProfiledRun[]) {
  return groupBy(runs, ({ nodes, scale, bw }) => `${nodes} ${scale} ${bw}`).flatMap((same) => {
    const { nodes, scale, bw } = at(same, 0);
    const shares = computeStackShares(same);
    return shares === null ? [] : [{ nodes, scale, bw, ...shares }];
  });
}

function witnessesOf(found: ExplainedScaling, { why, path }: Pick<Beside, 'why' | 'path'>): ScalingWitnesses {
  const runsOf = (data: Why | PathData | null) =>
    (data?.rows ?? []).map(({ nodes, scale, bw, seconds, parts }) => ({
      ...{ nodes, scale, bw, rep: 1, seconds, imbalance: 0 },
      components: Object.fromEntries((data?.components ?? []).map(({ name }, index) => [name, at(parts, index)])),
    }));
  const labels = new Map((why?.components ?? []).map(({ name, label }) => [name, label]));
  return scalingWitnesses(
    { grade10: runsOf(why), path: runsOf(path), label: (name) => labels.get(name) ?? name },
    found,
  );
}

import { badInput } from '../../../base/errors.ts';
import { ascending, at, groupBy, last } from '../../../base/lists.ts';
import { estimateText, formatSeconds, nodesText, sizeText } from '../../../base/units.ts';
import type { StackKind } from '../../../experiments/stacks/stack-columns.ts';
import type { Estimate } from '../../../modeling/model-records.ts';
import { type ComponentFits, componentAt, fitComponents } from '../../across/fit-components.ts';
import { type Finding, rankFindings } from '../../finding.ts';
import { type CallPart, findCallParts, type SeenStack } from './call-parts.ts';
import type { ProfiledRun } from './profiled-run.ts';
import { judgeScaling, LEVEL, type MeasuredPart, type MeasuredRange, type ScalingJudgement } from './verdicts.ts';

/** A part of the time on the most nodes at the highest bandwidth, with what is said of it. */
export interface ScaledPart extends MeasuredPart {
  /** Functions joined by `;`; `(others)` for the part without a path. */
  readonly path: string;
  /** Its inner end, by which it is told from the others. */
  readonly label: string;
  /** Other parts lie below it and are not counted. */
  readonly isRest: boolean;
  /** Percent of the timed run on the most nodes. */
  readonly percent: number;
  /** Shares of `onMost` by what the ranks did. */
  readonly kinds: Readonly<Record<StackKind, number>>;
  /** The traced phase that most of it lies in; null where none is traced. */
  readonly phase: string | null;
  /** Null where nothing could be fitted. */
  readonly judged: ScalingJudgement | null;
  /** On the nodes that were asked for, at the highest and at the lowest bandwidth; null where nobody asked. */
  readonly forecast: { readonly nodes: number; readonly highest: Estimate; readonly lowest: Estimate } | null;
}

export interface ExplainedScaling {
  readonly range: MeasuredRange;
  /** The most excess on the largest cluster first. */
  readonly parts: readonly ScaledPart[];
  /** Every traced phase, the most seconds first, with the parts that lie in it, seconds per rank on the most nodes at the highest bandwidth. */
  readonly phases: readonly {
    readonly phase: string;
    readonly seconds: number;
    /** Of them beyond the share that 1/nodes would leave of those on the fewest nodes. */
    readonly excess: number;
    readonly paths: readonly { readonly label: string; readonly seconds: number }[];
  }[];
  readonly fits: ComponentFits;
  /** What stops it, in a sentence; null where nothing does, or nothing could be fitted. */
  readonly answer: string | null;
  readonly findings: readonly Finding[];
}

interface ScalingOptions {
  readonly ranksPerNode: number;
  /** What people call a timed run. */
  readonly noun: string;
  readonly atNodes?: number | undefined;
}

/** The name of what no call path of its own is told of. */
const OTHERS = '(others)';

/** Judges the call paths of runs of one program over nodes and bandwidths, those of the largest scale. Errors: badInput without runs. */
export function explainScaling(
  all: readonly ProfiledRun[],
  { ranksPerNode, noun, atNodes }: ScalingOptions,
): ExplainedScaling {
  const scale = Math.max(...all.map((run) => run.scale));
  const runs = all.filter((run) => run.scale === scale);
  if (runs.length === 0) throw badInput('There is no profiled run: record some with predict sweep --profile wall.');
  const range = rangeOf(runs);
  const cut = findCallParts(runs);
  const labels = labelsOf(cut);
  const fits = fitParts(cut, runs, ranksPerNode);
  const fitOf = new Map(fits.kind === 'fitted' ? fits.components.map((one) => [one.name, one]) : []);
  const mean = meansOf(runs);
  const canJudge = range.fewest < range.most && range.lowest < range.highest;
  const parts = cut.map((part, index): ScaledPart => {
    const path = nameOf(part);
    const measured = measurePart(part, range, mean);
    const fit = fitOf.get(path);
    const forecastAt = (nodes: number, bw: number): Estimate =>
      fit === undefined ? { value: null, low: null, high: null } : componentAt(fit, { nodes, scale, bw }, LEVEL);
    return {
      ...{ path, label: at(labels, index), isRest: part.isRest, ...measured },
      judged: fit === undefined || !canJudge ? null : judgeScaling(fit, { range, measured }),
      forecast:
        atNodes === undefined
          ? null
          : {
              nodes: atNodes,
              highest: forecastAt(atNodes, range.highest),
              lowest: forecastAt(atNodes, range.lowest),
            },
    };
  });
  parts.sort((a, b) => excessOf(b) - excessOf(a) || b.onMost - a.onMost);
  return {
    range,
    parts,
    phases: phasesOf(cut, labels, { range, mean }),
    fits,
    answer: answerOf(parts, range, noun),
    findings: rankFindings(parts.flatMap((part) => findingsOf(part, range, noun))),
  };
}

function nameOf({ path }: CallPart): string {
  return path.length === 0 ? OTHERS : path.join(';');
}

function excessOf({ judged }: ScaledPart): number {
  return judged?.excess.value ?? Number.NEGATIVE_INFINITY;
}

function rangeOf(runs: readonly ProfiledRun[]): MeasuredRange {
  const [counts, levels] = [ascending(runs.map(({ nodes }) => nodes)), ascending(runs.map(({ bw }) => bw))];
  const [most, highest] = [last(counts), last(levels)];
  const seconds = meanOfRuns(runs, { nodes: most, bw: highest }, (run) => at(runs, run).seconds);
  return { scale: at(runs, 0).scale, fewest: at(counts, 0), most, lowest: at(levels, 0), highest, seconds };
}

type Setting = Pick<ProfiledRun, 'nodes' | 'bw'>;

/** The mean over the repetitions of a setting; 0 where it was not run. */
function meanOfRuns(runs: readonly ProfiledRun[], { nodes, bw }: Setting, secondsOf: (run: number) => number): number {
  const own = runs.flatMap((run, index) => (run.nodes === nodes && run.bw === bw ? [secondsOf(index)] : []));
  return own.reduce((sum, each) => sum + each, 0) / Math.max(1, own.length);
}

/** Seconds of stacks, mean over the repetitions of a setting. */
type MeanOfStacks = (stacks: readonly SeenStack[], setting: Setting) => number;

function meansOf(runs: readonly ProfiledRun[]): MeanOfStacks {
  return (stacks, setting) => {
    const seconds = secondsByRun(stacks, runs.length);
    return meanOfRuns(runs, setting, (run) => at(seconds, run));
  };
}

function secondsByRun(stacks: readonly SeenStack[], runs: number): Float64Array {
  const sums = new Float64Array(runs);
  for (const { run, seconds } of stacks) sums[run] = at(sums, run) + seconds;
  return sums;
}

function fitParts(cut: readonly CallPart[], runs: readonly ProfiledRun[], ranksPerNode: number): ComponentFits {
  const seconds = cut.map((part) => ({ name: nameOf(part), byRun: secondsByRun(part.stacks, runs.length) }));
  return fitComponents(
    runs.map(({ stacks, ...run }, index) => {
      const components = Object.fromEntries(seconds.map(({ name, byRun }) => [name, at(byRun, index)]));
      return { ...run, components, imbalance: 0 };
    }),
    { ranksPerNode },
  );
}

function measurePart({ stacks }: CallPart, range: MeasuredRange, mean: MeanOfStacks) {
  const most = { nodes: range.most, bw: range.highest };
  const onMost = mean(stacks, most);
  const share = (kind: StackKind): number => {
    return onMost > 0
      ? mean(
          stacks.filter((one) => one.kind === kind),
          most,
        ) / onMost
      : 0;
  };
  const [phase] = groupBy(stacks, (one) => JSON.stringify(one.phase)).sort((a, b) => mean(b, most) - mean(a, most));
  return {
    onFewest: mean(stacks, { nodes: range.fewest, bw: range.highest }),
    onMost,
    atLowest: mean(stacks, { nodes: range.most, bw: range.lowest }),
    percent: (onMost / range.seconds) * 100,
    kinds: { cpu: share('cpu'), wait: share('wait'), queued: share('queued') },
    phase: phase?.[0]?.phase ?? null,
  };
}

function phasesOf(
  parts: readonly CallPart[],
  labels: readonly string[],
  { range: { fewest, most, highest }, mean }: { readonly range: MeasuredRange; readonly mean: MeanOfStacks },
): ExplainedScaling['phases'] {
  const found = parts.flatMap(({ stacks }, part) => {
    const traced = stacks.flatMap((one) => (one.phase === null ? [] : [{ ...one, phase: one.phase }]));
    return groupBy(traced, ({ phase }) => phase).map((own) => ({
      phase: at(own, 0).phase,
      label: at(labels, part),
      onFewest: mean(own, { nodes: fewest, bw: highest }),
      onMost: mean(own, { nodes: most, bw: highest }),
    }));
  });
  const phases = groupBy(found, ({ phase }) => phase).map((own) => {
    const seconds = own.reduce((sum, { onMost }) => sum + onMost, 0);
    const before = own.reduce((sum, { onFewest }) => sum + onFewest, 0);
    const paths = own.flatMap(({ label, onMost }) => (onMost > 0 ? [{ label, seconds: onMost }] : []));
    return {
      ...{ phase: at(own, 0).phase, seconds, excess: seconds - before * (fewest / most) },
      paths: paths.sort((a, b) => b.seconds - a.seconds),
    };
  });
  return phases.sort((a, b) => b.seconds - a.seconds);
}

/** Frames of a label, if so many tell it from others. */
const FEW = 3;

/** The inner ends of call paths, each long enough to be no other's. */
function labelsOf(parts: readonly CallPart[]): readonly string[] {
  const end = ({ path }: CallPart, count: number): string => path.slice(-count).join(';');
  return parts.map((part) => {
    if (part.path.length === 0) return OTHERS;
    const isTaken = (count: number): boolean =>
      parts.some((other) => other !== part && end(other, count) === end(part, count));
    let count = Math.min(FEW, part.path.length);
    while (count < part.path.length && isTaken(count)) count += 1;
    const text = count === part.path.length ? end(part, count) : `..;${end(part, count)}`;
    return part.isRest ? `${text} (itself)` : text;
  });
}

function answerOf([most]: readonly ScaledPart[], range: MeasuredRange, noun: string): string | null {
  if (most?.judged == null || !['stops-shrinking', 'grows'].includes(most.judged.verdict)) return null;
  const excess = most.judged.excess.value ?? 0;
  const percent = ((excess / range.seconds) * 100).toFixed(0);
  return `${most.label} stops scaling: on ${nodesText(range.most)} it takes ${formatSeconds(excess)} of a ${noun} (${percent} %) more than ideal scaling from ${range.fewest} nodes${didWhat(most)}.`;
}

/** What ranks mostly did there. */
function didWhat({ kinds }: ScaledPart): string {
  const [most] = (['cpu', 'wait', 'queued'] as const).toSorted((a, b) => kinds[b] - kinds[a]);
  const words = { cpu: 'on a CPU', wait: 'asleep', queued: 'waiting for a CPU' };
  return most === undefined || kinds[most] === 0
    ? ''
    : `; ranks are ${words[most]} for ${(kinds[most] * 100).toFixed(0)} % of it`;
}

const VERBS = { grows: 'grows', 'stops-shrinking': 'stops shrinking' } as const;

function findingsOf(part: ScaledPart, range: MeasuredRange, noun: string): readonly Finding[] {
  const { judged, path, label } = part;
  if (judged === null) return [];
  const found: Finding[] = [];
  const times = (one: number): string => one.toFixed(2);
  const where = (bw: number): string => `${nodesText(range.most)}${sizeText(range.scale)}, ${bw} % bandwidth: ${path}`;
  const finding = (kind: string, at: string, stake: Estimate, sentence: string): void => {
    const { value, low, high } = stake;
    found.push({
      ...{ kind: `profiles/${kind}`, where: at, seconds: value, sentence },
      percent: value === null ? null : (value / range.seconds) * 100,
      interval: { low, high },
    });
  };
  const { verdict } = judged;
  if (verdict === 'grows' || verdict === 'stops-shrinking') {
    const { excess, exponent } = judged;
    const sentence =
      `${label} ${VERBS[verdict]} with nodes: its exponent is ${estimateText(exponent, times, LEVEL)}, that of parallel work -1. ` +
      `On ${nodesText(range.most)} it takes ${estimateText(excess, formatSeconds, LEVEL)} of a ${noun} more than ideal scaling ` +
      `from ${range.fewest}.`;
    finding(verdict, where(range.highest), excess, sentence);
  }
  if (judged.isSlowed) {
    const { slowdown, linkSeconds } = judged;
    const sentence =
      `${label} is slowed by the link: on ${nodesText(range.most)} it takes ${estimateText(slowdown, times, LEVEL)} times as long ` +
      `at ${range.lowest} % as at ${range.highest} % bandwidth. That is ${estimateText(linkSeconds, formatSeconds, LEVEL)} of a ${noun}.`;
    finding('slowed-by-link', where(range.lowest), linkSeconds, sentence);
  }
  return found;
}

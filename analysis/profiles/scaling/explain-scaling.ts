import { badInput } from '../../../base/errors.ts';
import { ascending, at } from '../../../base/lists.ts';
import { estimateText, formatSeconds, nodesText, sizeText } from '../../../base/units.ts';
import type { StackKind } from '../../../experiments/stacks/stack-columns.ts';
import type { Estimate } from '../../../modeling/model-records.ts';
import { type ComponentFits, componentAt, fitComponents } from '../../across/fit-components.ts';
import { type Finding, rankFindings } from '../../finding.ts';
import { type CallPart, findCallParts } from './call-parts.ts';
import type { ProfiledRun } from './profiled-run.ts';
import { judgeScaling, type MeasuredRange, type ScalingJudgement } from './verdicts.ts';

/** A part of the time on the most nodes at the highest bandwidth, with what is said of it. */
export interface ScaledPart {
  /** Functions joined by `;`; `(others)` for the part without a path. */
  readonly path: string;
  /** Its inner end, by which it is told from the others. */
  readonly label: string;
  /** Other parts lie below it and are not counted. */
  readonly isRest: boolean;
  /** Measured, per rank and timed run, means over repetitions at the highest bandwidth, and at the lowest on the most nodes. */
  readonly onFewest: number;
  readonly onMost: number;
  readonly atLowest: number;
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
  readonly level?: number;
}

/** The name of what no call path of its own is told of. */
const OTHERS = '(others)';

/** Judges the call paths of runs of one program over nodes and bandwidths, those of the largest scale. Errors: badInput without runs. */
export function explainScaling(
  all: readonly ProfiledRun[],
  { ranksPerNode, noun, atNodes, level = 0.9 }: ScalingOptions,
): ExplainedScaling {
  const scale = Math.max(...all.map((run) => run.scale));
  const runs = all.filter((run) => run.scale === scale);
  if (runs.length === 0) throw badInput('There is no profiled run: record some with predict sweep --profile wall.');
  const range = rangeOf(runs);
  const cut = findCallParts(runs);
  const names = cut.map(nameOf);
  const labels = labelsOf(cut);
  const fits = fitComponents(
    runs.map(({ nodes, bw, rep, seconds }, run) => {
      const components = Object.fromEntries(cut.map((part, index) => [at(names, index), at(part.seconds, run)]));
      return { nodes, scale, bw, rep, seconds, components, imbalance: 0 };
    }),
    { ranksPerNode },
  );
  const fitOf = new Map(fits.kind === 'fitted' ? fits.components.map((one) => [one.name, one]) : []);
  const mean = meansOf(runs);
  const canJudge = range.fewest < range.most && range.lowest < range.highest;
  const parts = cut.map((part, index): ScaledPart => {
    const fit = fitOf.get(at(names, index));
    const { most, highest, lowest, fewest } = range;
    const onMost = mean(part.seconds, most, highest);
    const measured = {
      onFewest: mean(part.seconds, fewest, highest),
      onMost,
      atLowest: mean(part.seconds, most, lowest),
    };
    const share = (kind: StackKind): number => (onMost > 0 ? mean(part.kinds[kind], most, highest) / onMost : 0);
    const forecastAt = (bw: number): Estimate =>
      fit === undefined || atNodes === undefined
        ? { value: null, low: null, high: null }
        : componentAt(fit, { nodes: atNodes, scale, bw }, level);
    return {
      path: at(names, index),
      label: at(labels, index),
      isRest: part.isRest,
      ...measured,
      percent: (onMost / range.seconds) * 100,
      kinds: { cpu: share('cpu'), wait: share('wait'), queued: share('queued') },
      phase: phaseOf(part, (seconds) => mean(seconds, most, highest)),
      judged: fit === undefined || !canJudge ? null : judgeScaling(fit, { range, measured, level }),
      forecast:
        atNodes === undefined ? null : { nodes: atNodes, highest: forecastAt(highest), lowest: forecastAt(lowest) },
    };
  });
  parts.sort((a, b) => excessOf(b) - excessOf(a) || b.onMost - a.onMost);
  return {
    range,
    parts,
    phases: phasesOf(cut, labels, {
      onFewest: (seconds) => mean(seconds, range.fewest, range.highest),
      onMost: (seconds) => mean(seconds, range.most, range.highest),
      share: range.fewest / range.most,
    }),
    fits,
    answer: answerOf(parts, range, noun),
    findings: rankFindings(parts.flatMap((part) => findingsOf(part, range, { noun, level }))),
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
  const [most, highest] = [at(counts, counts.length - 1), at(levels, levels.length - 1)];
  const seconds = meansOf(runs)(
    Float64Array.from(runs, (run) => run.seconds),
    most,
    highest,
  );
  return { scale: at(runs, 0).scale, fewest: at(counts, 0), most, lowest: at(levels, 0), highest, seconds };
}

/** Means over the repetitions of a setting; 0 where it was not run. */
function meansOf(runs: readonly ProfiledRun[]): (seconds: Float64Array, nodes: number, bw: number) => number {
  return (seconds, nodes, bw) => {
    const own = runs.flatMap((run, index) => (run.nodes === nodes && run.bw === bw ? [at(seconds, index)] : []));
    return own.reduce((sum, each) => sum + each, 0) / Math.max(1, own.length);
  };
}

function phaseOf({ phases }: CallPart, mean: (seconds: Float64Array) => number): string | null {
  const [most] = [...phases].sort((a, b) => mean(b[1]) - mean(a[1]));
  return most?.[0] ?? null;
}

function phasesOf(
  parts: readonly CallPart[],
  labels: readonly string[],
  { onFewest, onMost, share }: { readonly [name in 'onFewest' | 'onMost']: Mean } & { readonly share: number },
): ExplainedScaling['phases'] {
  const found = new Map<string, { seconds: number; before: number; paths: { label: string; seconds: number }[] }>();
  for (const [index, { phases }] of parts.entries()) {
    for (const [phase, seconds] of phases) {
      if (phase === null) continue;
      const one = found.get(phase) ?? { seconds: 0, before: 0, paths: [] };
      found.set(phase, one);
      one.seconds += onMost(seconds);
      one.before += onFewest(seconds);
      if (onMost(seconds) > 0) one.paths.push({ label: at(labels, index), seconds: onMost(seconds) });
    }
  }
  return [...found]
    .map(([phase, { seconds, before, paths }]) => ({
      ...{ phase, seconds, excess: seconds - before * share },
      paths: paths.sort((a, b) => b.seconds - a.seconds),
    }))
    .sort((a, b) => b.seconds - a.seconds);
}

type Mean = (seconds: Float64Array) => number;

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

function findingsOf(
  part: ScaledPart,
  range: MeasuredRange,
  { noun, level }: { readonly noun: string; readonly level: number },
): readonly Finding[] {
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
      `${label} ${VERBS[verdict]} with nodes: its exponent is ${estimateText(exponent, times, level)}, that of parallel work -1. ` +
      `On ${nodesText(range.most)} it takes ${estimateText(excess, formatSeconds, level)} of a ${noun} more than ideal scaling ` +
      `from ${range.fewest}.`;
    finding(verdict, where(range.highest), excess, sentence);
  }
  if (judged.isSlowed) {
    const { slowdown, linkSeconds } = judged;
    const sentence =
      `${label} is slowed by the link: on ${nodesText(range.most)} it takes ${estimateText(slowdown, times, level)} times as long ` +
      `at ${range.lowest} % as at ${range.highest} % bandwidth. That is ${estimateText(linkSeconds, formatSeconds, level)} of a ${noun}.`;
    finding('slowed-by-link', where(range.lowest), linkSeconds, sentence);
  }
  return found;
}

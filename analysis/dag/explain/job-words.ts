import { joinWords } from '../../../base/text.ts';
import { endsText, formatBytes, trimNumber } from '../../../base/units.ts';
import type { Finding } from '../../finding.ts';
import type { Holder, NextStep } from '../advice/next-step.ts';
import type { Ranged } from '../advice/throughput.ts';
import type { WorkUnit } from '../job/watched-job.ts';
import type { DagHistory, JudgedPeriod } from '../judge/judge.ts';
import { type Bottleneck, bottlenecksOf, type DagSummary } from '../judge/summarise-job.ts';
import type { EdgeRow, ExplainedJobs, RunRow } from './explained.ts';

/** From this share of the time on a bottleneck is permanent. */
const PERMANENT = 0.95;
/** Those with a smaller share are not told by name. */
const NAMED = 0.05;

/** What people call a task (`cpu`) or an edge (`io`). */
export type LabelOf = (id: string, kind: Bottleneck['kind']) => string;

/** The verdict of a run in a sentence or two. */
export function verdictOf(
  { graph, periods }: DagHistory,
  {
    summary: { dominant, shares, none },
    labelOf,
    holder = null,
  }: { readonly summary: DagSummary; readonly labelOf: LabelOf; readonly holder?: Holder | null },
): string {
  if (periods.length === 0) return 'No period was watched, so the bottleneck is unknown.';
  const [first] = shares;
  if (first === undefined && holder === null)
    return 'No task or edge was ever a bottleneck: the job waits for something outside it.';
  const changes = countChanges(graph, periods);
  const flapping = changes > 2 ? ` It changed ${changes} times.` : '';
  if (holder === null && dominant !== null && dominant.share >= PERMANENT) {
    return `${bottleneckName(dominant, labelOf)} is the bottleneck, permanently (${wholePercent(dominant.share)} of the time). ${reason(dominant)}`;
  }
  const named = shares.filter(({ share }) => share >= NAMED).sort((a, b) => b.share - a.share);
  const list = joinWords(named.map((one) => `${bottleneckWords(one, labelOf)} in ${wholePercent(one.share)}`));
  const rest = none > 0 ? `, none in ${wholePercent(none)}` : '';
  if (holder !== null) {
    const times = shares.length === 0 ? '' : ` Of the time: ${list || 'each less than 5 %'}${rest}.${flapping}`;
    return `${holderWords(holder, labelOf)}${times}`;
  }
  if (dominant !== null) {
    return `${bottleneckName(dominant, labelOf)} is the bottleneck in ${wholePercent(dominant.share)} of the time. ${reason(dominant)} Of the time: ${list}${rest}.${flapping}`;
  }
  return `Nothing is the bottleneck for half of the time. Of the time: ${list || 'each less than 5 %'}${rest}.${flapping}`;
}

/** What limits a job whose tasks take turns. */
function holderWords({ id, busy }: Holder, labelOf: LabelOf): string {
  return `${bottleneckName({ kind: 'cpu', id }, labelOf)} limits the job most: it works in ${wholePercent(busy)} of the time. Tasks take turns and wait for each other, so none is busy all the time.`;
}

/** The verdict of one period in a few words. */
export function periodVerdict(graph: DagHistory['graph'], period: JudgedPeriod, labelOf: LabelOf): string {
  const found = bottlenecksOf(graph, period);
  if (found.length === 0) return 'no bottleneck';
  return joinWords(found.map((one) => bottleneckWords(one, labelOf)));
}

/** The same within a sentence. */
export function bottleneckWords(one: Bottleneck, labelOf: LabelOf): string {
  return bottleneckName(one, labelOf).replace(/^[TE]/, (letter) => letter.toLowerCase());
}

/** `Task 'ocr'`, `Edge reader → ocr`. */
export function bottleneckName({ kind, id }: Bottleneck, labelOf: LabelOf): string {
  return kind === 'cpu' ? `Task '${labelOf(id, kind)}'` : `Edge ${labelOf(id, kind)}`;
}

function reason({ kind }: Bottleneck): string {
  return kind === 'cpu'
    ? 'It computes, or waits for its own I/O or a timer, nearly all the time, and no task downstream does.'
    : 'Its channels are full, and no task is busy enough to explain that.';
}

/** How often the set of bottlenecks is another one than in the period before. */
export function countChanges(graph: DagHistory['graph'], periods: readonly JudgedPeriod[]): number {
  const verdicts = periods.map((period) => JSON.stringify(bottlenecksOf(graph, period)));
  return verdicts.filter((verdict, index) => index > 0 && verdict !== verdicts[index - 1]).length;
}

export function wholePercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A share of the time, or a sign that nobody knows it. */
export function formatShare(share: number | null | undefined): string {
  return share === null || share === undefined || Number.isNaN(share) ? '?' : wholePercent(share);
}

/** Advice in a sentence. */
export function adviceWords(advice: NextStep, labelOf: LabelOf): string {
  switch (advice.action) {
    case 'scale-out': {
      const { now, next, level } = advice.instances;
      const further = level !== null && level > next ? `; with ${level} the next busiest task limits as much` : '';
      return `Give '${labelOf(advice.task, 'cpu')}' ${next} instances instead of ${now}${further}.`;
    }
    case 'stop':
      return `Stop here: more instances of ${joinWords(advice.pointless.map((id) => `'${labelOf(id, 'cpu')}'`))} would be idle, because the edge ${labelOf(advice.edge, 'io')} limits them. A faster link or channel helps.`;
    case 'observe':
      return 'Watch for longer, or change nothing: no single change helps much.';
    case 'none':
      return 'Change nothing within the job: it waits for its input or for the consumer of its results.';
  }
}

/** Where an edge takes over as the bandwidth falls, a sentence each: by the model, and as runs at several bandwidths show it. */
export function crossingWords(edges: readonly Pick<EdgeRow, 'label' | 'crossingBw' | 'seenCrossing'>[]): string[] {
  return edges.flatMap(({ label, crossingBw, seenCrossing }) => {
    if (seenCrossing === null) return [];
    const { limited, free } = seenCrossing;
    const from = free === null ? 'in all of them' : `and not from ${trimNumber(free)} % on`;
    const model =
      crossingBw === null
        ? ''
        : ` By the limits the crossover is at ${rangedText(crossingBw, (value) => `${trimNumber(value)} %`)}.`;
    return [
      `The edge ${label} is the bottleneck up to ${trimNumber(limited)} % of the bandwidth in these runs, ${from}.${model}`,
    ];
  });
}

/** Work of a job per second: 2.78/s of records, 20 MiB/s of bytes. */
export function rateText(rate: number, unit: WorkUnit | null): string {
  return unit === 'bytes' ? `${formatBytes(rate)}/s` : `${trimNumber(rate)}/s`;
}

/** Work of a job: 4000 records, 40 GiB. */
export function amountText(amount: number, unit: WorkUnit | null): string {
  return unit === 'bytes' ? formatBytes(amount) : `${Math.round(amount)} records`;
}

/** A number with the ends of its interval, whose level a note or a head names; a question mark where nothing is known. */
export function rangedText(ranged: Ranged | null, text: (value: number) => string): string {
  if (ranged === null) return '?';
  const { value, low, high } = ranged;
  return low === null || high === null ? text(value) : `${text(value)} (${endsText({ low, high }, text)})`;
}

/** What bottlenecks of the last run cost, in the shape of all findings: their share of the run's time, and what may be gained. */
export function dagFindings({ runs, steps }: ExplainedJobs, labelOf: LabelOf): Finding[] {
  const run = runs.at(-1);
  if (run === undefined) return [];
  const { holder } = run;
  const dominant = holder === null ? run.summary.dominant : null;
  const turns: Finding[] = holder === null ? [] : [turnsFinding(holder, run, labelOf)];
  const found = run.summary.shares.map((one): Finding => {
    const isMain = dominant !== null && dominant.kind === one.kind && dominant.id === one.id;
    const [now, next] = steps;
    const gain =
      isMain && now !== undefined && next !== undefined && now.by.id === one.id
        ? ` That is ${(next.rate.value / now.rate.value).toFixed(2)} times the rate.`
        : '';
    const words = isMain ? ` ${adviceWords(run.advice, labelOf)}${gain}` : '';
    return {
      kind: `dag/${one.kind}-bottleneck`,
      where: labelOf(one.id, one.kind),
      seconds: one.share * run.seconds,
      percent: one.share * 100,
      interval: null,
      sentence: `${bottleneckName(one, labelOf)} is the bottleneck in ${wholePercent(one.share)} of the time.${words}`,
    };
  });
  return [...turns, ...found];
}

/** Of a task that takes turns with those before it. */
function turnsFinding(holder: Holder, { seconds, advice }: RunRow, labelOf: LabelOf): Finding {
  return {
    kind: 'dag/cpu-bottleneck',
    where: labelOf(holder.id, 'cpu'),
    seconds: holder.busy * seconds,
    percent: holder.busy * 100,
    interval: null,
    sentence: `${holderWords(holder, labelOf)} ${adviceWords(advice, labelOf)}`,
  };
}

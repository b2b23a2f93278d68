import { attempt } from '../../base/errors.ts';
import { ascending, at, last } from '../../base/lists.ts';
import { capital, joinWords } from '../../base/text.ts';
import { formatSeconds, intervalText, nodesText, sizeText } from '../../base/units.ts';
import { smallestAdmissible } from '../../modeling/answers/dominance.ts';
import { findBestSize, savingPercent } from '../../modeling/answers/savings.ts';
import { createAbstention } from '../../modeling/judge/abstain.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import { joinSentences, mayText, sizesText, wholePercentText } from './answer-causes.ts';
import type { Answers } from './answers-schema.ts';
import type { AnswerBasis, ModelInUse } from './basis.ts';

/** What saves less of the time (percent) is not worth buying. */
export const WORTH = 10;
/** Sizes that the fastest one is looked for among. */
const MOST_SIZES = 64;

type MoreNodes = Answers['moreNodes'];
type Told = Pick<MoreNodes, 'verdict' | 'reason' | 'short' | 'sentence' | 'tells'>;

/** A measured time, seconds, with its 90 % interval; null where its scatter is not known. */
interface MeasuredTime {
  readonly seconds: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/** What is known, before it is judged. */
export interface NodesKnown {
  /** Why no model has a part in this; null where one has. */
  readonly why: string | null;
  /** The largest node count with a prediction. */
  readonly within: number;
  /** The fastest size of those up to `within`; null in all for none of them. */
  readonly best: Estimate | null;
  readonly saving: MoreNodes['saving'];
  /** By ascending node counts. */
  readonly measured: readonly (MeasuredTime & { readonly nodes: number })[];
}

/**
 * Whether more nodes than the largest measured cluster shorten the time, at the main configuration: `yes` and `no` by the whole 90 %
 * prediction interval of what twice as many nodes save, `equal` where that is less than 10 % either way, else `unknown`. Also `no` where
 * time was measured to rise, and no model says more.
 */
export function answerMoreNodes(basis: AnswerBasis): MoreNodes {
  const { points, setting, model, noun } = basis;
  if (setting === null) throw new Error('answers need a measured cell');
  const { scale, bw } = setting;
  const measured = points
    .filter((point) => point.scale === scale && point.bw === bw)
    .map(({ nodes, meanCt, interval }) => ({ nodes, seconds: meanCt, interval }));
  const within = model.ensemble === null ? setting.nodes : last(model.predictions).nodes;
  const best = measured.length > 1 ? fastestSize(basis, { from: at(measured, 0).nodes, within }) : null;
  const known: NodesKnown = { why: model.why, within, best, saving: savingOf(basis), measured };
  const told = judgeNodes(known);
  const alike = asFast(measured);
  return {
    question: 'Do more nodes help?',
    ...told,
    detail: joinSentences(
      measuredText(measured, { noun, scale, bw }),
      alikeText(alike, measured),
      told.verdict === 'unknown' ? null : predictedText(model, noun),
    ),
    upTo: told.verdict === 'yes' ? best : null,
    within,
    saving: known.saving,
    fewest: at(alike, 0),
    measured: measured.map(({ nodes, seconds, interval }) => ({
      ...{ nodes, seconds },
      ...{ low: interval?.low ?? null, high: interval?.high ?? null },
    })),
  };
}

/** By what was measured and what the model in use says, in one sentence. */
export function judgeNodes({ why, within, best, saving, measured }: NodesKnown): Told {
  const [fastest, most] = [fastestOf(measured), last(measured).nodes];
  const unknown = (reason: string, tells: string): Told => ({
    verdict: 'unknown',
    short: 'cannot tell',
    sentence: `We cannot tell whether more than ${nodesText(most)} help: ${reason}.`,
    ...{ reason, tells },
  });
  const told = (verdict: 'yes' | 'no' | 'equal', short: string, sentence: string): Told => ({
    ...{ verdict, short, sentence, reason: null, tells: null },
  });
  if (measured.length === 1) return unknown('only one cluster size was measured', 'two more cluster sizes');
  const isSlower = !isWithinScatter(fastest, last(measured));
  const longer = isSlower && risesFrom(fastest, measured) ? longerPercent(last(measured), fastest) : null;
  /** What was measured to turn needs no model. */
  const unlessTurned = (reason: string, tells: string): Told => {
    if (longer === null) return unknown(reason, tells);
    const interval = longer.low === null ? '' : ` (${intervalText(longer, wholePercentText)})`;
    const times = `${nodesText(most)} take ${wholePercentText(longer.value ?? 0)} longer than ${fastest.nodes}${interval}`;
    return told('no', 'no', `More nodes do not help: measured, ${times}.`);
  };
  if (why !== null) return unlessTurned(why, 'a larger cluster, or more repetitions');
  // The interval holds the fastest measured size, in whose choice no model had a part.
  const turn =
    best !== null && best.low !== null && best.low <= most
      ? {
          value: best.value ?? fastest.nodes,
          low: Math.min(best.low, fastest.nodes),
          high: best.high === null ? null : Math.max(best.high, fastest.nodes),
        }
      : null;
  if (turn === null && isSlower) {
    const reason = `the model has time falling up to there, but ${nodesText(fastest.nodes)} were measured to be faster`;
    return unlessTurned(reason, 'more repetitions of the largest clusters');
  }
  const hasTurned = turn !== null && turn.high !== null && turn.high <= most;
  const percent = saving?.percent ?? null;
  if (saving === null || percent?.value == null || percent.low === null || percent.high === null) {
    if (!hasTurned) return unlessTurned('there is no prediction for twice as many', 'a cluster between the two');
    const where = `about ${nodesText(turn.value)} (${intervalText(turn, String)})`;
    return told('no', 'no', `More nodes do not help: time is least on ${where}.`);
  }
  const { value, low, high } = percent;
  const what = `${saving.nodes} instead of ${nodesText(most)}`;
  if (high < WORTH && low > -WORTH && low <= 0 && high >= 0) {
    const sentence = `More nodes change little: ${what} are as fast within noise (${intervalText(percent, wholePercentText)} of time saved).`;
    return told('equal', 'no change', sentence);
  }
  if (high < WORTH) {
    const changes =
      high < 0 ? `take at least ${wholePercentText(-high)} more` : `save at most ${wholePercentText(high)} of the`;
    const saves = Math.round(high) === 0 ? 'save no' : changes;
    return told('no', 'no', `More nodes do not help: ${what} ${saves} time (90 % interval).`);
  }
  if (low < WORTH || hasTurned)
    return unlessTurned(`${what} ${mayText(percent)} (90 % interval)`, 'a cluster between the two');
  const helps = `More nodes help: ${what} save ${wholePercentText(value)} of the time (${intervalText(percent, wholePercentText)})`;
  const end = best?.value ?? null;
  const [short, farther] =
    end === null
      ? [`yes, to ${nodesText(within)} at least`, `; time falls up to ${nodesText(within)} at least`]
      : [
          `yes, to about ${nodesText(end)}`,
          `; about ${nodesText(end)} are fastest (${intervalText(best ?? percent, String, { unbounded: `more than ${within}` })})`,
        ];
  return told('yes', short, `${helps}${farther}.`);
}

/** Of the node counts that can run, from the smallest measured one to the largest with a prediction. */
function fastestSize(
  { model, setting, isAdmissible }: AnswerBasis,
  { from, within }: { from: number; within: number },
): Estimate | null {
  if (model.ensemble === null || setting === null) return null;
  const { ensemble } = model;
  const nodes = sizesBetween(from, within, isAdmissible);
  return attempt(() => findBestSize(ensemble, { nodes, bw: setting.bw, scale: setting.scale }));
}

/** Node counts on which the program can run, both ends included; of many, even steps on a logarithmic scale. */
function sizesBetween(least: number, most: number, isAdmissible: (nodes: number) => boolean): readonly number[] {
  const all = Array.from({ length: most - least + 1 }, (_, index) => least + index).filter(
    (nodes) => nodes === least || nodes === most || isAdmissible(nodes),
  );
  if (all.length <= MOST_SIZES) return all;
  const steps = Array.from({ length: MOST_SIZES }, (_, step) => least * (most / least) ** (step / (MOST_SIZES - 1)));
  return ascending(steps.map((step) => all.find((nodes) => nodes >= step - 1e-6) ?? most));
}

/** Of twice as many nodes as were measured, or the next count that can run; null without a prediction there. */
function savingOf({ model, setting, isAdmissible }: AnswerBasis): MoreNodes['saving'] {
  if (model.ensemble === null || setting === null) return null;
  const { ensemble } = model;
  const nodes = smallestAdmissible(2 * setting.nodes, isAdmissible);
  if (nodes === null) return null;
  const to = { ...setting, nodes };
  return attempt(() => {
    return createAbstention(ensemble)(to) === null
      ? { nodes, percent: savingPercent(ensemble, { from: setting, to }) }
      : null;
  });
}

type Times = NodesKnown['measured'];

function fastestOf(measured: Times): Times[number] {
  return measured.reduce((best, one) => (one.seconds < best.seconds ? one : best));
}

/** Whether two differ by no more than visits of one setting do (90 %); of times whose scatter is not known only equal ones. */
function isWithinScatter(a: MeasuredTime, b: MeasuredTime): boolean {
  return Math.abs(Math.log(a.seconds / b.seconds)) <= Math.hypot(halfWidth(a), halfWidth(b));
}

/** Whether time rises beyond the fastest size: at two sizes or more (one may be odd), none faster than the one before by more than noise. */
function risesFrom(fastest: Times[number], measured: Times): boolean {
  const beyond = measured.slice(measured.indexOf(fastest));
  if (beyond.length < 3) return false;
  return beyond.every((one, index) => {
    const before = beyond[index - 1];
    return before === undefined || one.seconds >= before.seconds || isWithinScatter(one, before);
  });
}

/** How much longer one takes than another, within what repetitions of each differ by (90 %). */
function longerPercent(one: MeasuredTime, other: MeasuredTime): Estimate {
  const [ratio, width] = [one.seconds / other.seconds, Math.hypot(halfWidth(one), halfWidth(other))];
  const percent = (value: number): number => 100 * (value - 1);
  const known = one.interval !== null || other.interval !== null;
  return {
    value: percent(ratio),
    low: known ? percent(ratio * Math.exp(-width)) : null,
    high: known ? percent(ratio * Math.exp(width)) : null,
  };
}

function halfWidth({ interval }: MeasuredTime): number {
  return interval === null ? 0 : Math.log(interval.high / interval.low) / 2;
}

/** The sizes that are as fast as the fastest, within what repetitions differ by. */
function asFast(measured: Times): readonly number[] {
  const fastest = fastestOf(measured);
  return measured.filter((one) => isWithinScatter(one, fastest)).map(({ nodes }) => nodes);
}

function measuredText(
  measured: Times,
  { noun, scale, bw }: { readonly noun: string; readonly scale: number; readonly bw: number },
): string {
  const fastest = fastestOf(measured);
  const shown = [...new Set([at(measured, 0), fastest, last(measured)])];
  const [first, ...others] = shown.map(
    (one) =>
      `${timeText(one)} on ${nodesText(one.nodes)}${one === fastest && measured.length > 1 ? ' (the fastest)' : ''}`,
  );
  const where = `Measured at ${bw === 100 ? 'full' : `${bw} %`} bandwidth${sizeText(scale, ' and ')}`;
  const times = joinWords([`one ${noun} takes ${first}`, ...others]);
  return `${where}: ${times}${shown.some(({ interval }) => interval !== null) ? ' (90 % intervals)' : ''}.`;
}

/** `184 ms [160 ms to 212 ms]`. */
function timeText({ seconds, interval }: MeasuredTime): string {
  if (interval === null) return formatSeconds(seconds);
  return `${formatSeconds(seconds)} [${formatSeconds(interval.low)} to ${formatSeconds(interval.high)}]`;
}

/** Which sizes are as fast as the fastest: the fewest of them are enough for what was measured. */
function alikeText(alike: readonly number[], measured: Times): string | null {
  if (alike.length > 1) {
    return `${capital(sizesText(alike))} are equally fast within measurement noise, so ${nodesText(at(alike, 0))} are enough.`;
  }
  const { nodes } = fastestOf(measured);
  return nodes === last(measured).nodes ? null : `The fastest measured size is ${nodesText(nodes)}.`;
}

function predictedText(model: ModelInUse, noun: string): string | null {
  if (model.ensemble === null) return null;
  const { nodes, ct } = last(model.predictions);
  if (model.predictions.length < 2 || ct.value === null) return null;
  return `Predicted on ${nodesText(nodes)}: ${formatSeconds(ct.value)} per ${noun} (${intervalText(ct, formatSeconds)}).`;
}

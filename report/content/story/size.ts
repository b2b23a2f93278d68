import { at, capital, formatSeconds, joinWords, last, nodesText, sizeText } from '../../../base/index.ts';
import type { Estimate } from '../../../modeling/index.ts';
import { isWithinScatter, type MeasuredTime } from '../alike.ts';
import type { StoryLine } from './line.ts';
import { ninety, sizesText } from './words.ts';

export interface SizeFacts {
  /** At the largest scale and full bandwidth, by ascending node counts. */
  readonly measured: readonly (MeasuredTime & { readonly nodes: number })[];
  /** The fastest size by the models, null for beyond `reach`; null in all without a model that may be asked. */
  readonly best: Estimate | null;
  /** The largest size for which the models have an answer. */
  readonly reach: number;
  /** Their completion time there, seconds; null where that is a measured size. */
  readonly projected: Estimate | null;
  readonly scale: number;
  /** Percent. */
  readonly bw: number;
  /** What people call one timed run. */
  readonly noun: string;
}

/** What is known of the fastest size: `helps` says that more nodes than were measured help, `turns` from where on none do. */
export type SizeVerdict =
  | { readonly kind: 'helps' | 'open'; readonly best: Estimate }
  | { readonly kind: 'turns'; readonly best: Estimate & { readonly value: number; readonly high: number } }
  | { readonly kind: 'contradicted' | 'unreached' | 'no-model' | 'one-size' };

/** The interval of the fastest size holds the fastest measured one, in whose choice no model had a part. */
export function judgeSize({ measured, best, reach }: SizeFacts): SizeVerdict {
  if (measured.length === 1) return { kind: 'one-size' };
  if (best === null) return { kind: 'no-model' };
  const least = fastestOf(measured);
  const [most, fastest] = [last(measured).nodes, least.nodes];
  if (best.low === null || best.low > most) {
    if (!isWithinScatter(least, last(measured))) return { kind: 'contradicted' };
    return reach > most ? { kind: 'helps', best } : { kind: 'unreached' };
  }
  const low = Math.min(best.low, fastest);
  if (best.high === null) return { kind: 'open', best: { ...best, low } };
  const high = Math.max(best.high, fastest);
  return { kind: 'turns', best: { value: best.value ?? high, low, high } };
}

/** At which size time is least, and whether more nodes help. */
export function sizeLine(facts: SizeFacts): StoryLine {
  const verdict = judgeSize(facts);
  const { sentence, short, estimate } = wordsOf(verdict, facts);
  return {
    id: 'size',
    question: 'Do more nodes help?',
    short,
    answer: sentence,
    detail: `${measuredSentence(facts)}${projectedSentence(facts)}`,
    value: estimate?.value ?? null,
    unit: 'nodes',
    interval: estimate && { low: estimate.low, high: estimate.high },
  };
}

interface Words {
  readonly sentence: string;
  readonly short: string;
  readonly estimate: Estimate | null;
}

function wordsOf(verdict: SizeVerdict, { measured, reach }: SizeFacts): Words {
  const most = last(measured).nodes;
  const beyond = `Whether more than ${nodesText(most)} help cannot be said:`;
  const unknown = (reason: string): Words => ({
    sentence: `${beyond} ${reason}.`,
    short: 'not known',
    estimate: null,
  });
  switch (verdict.kind) {
    case 'one-size':
      return unknown('this is the only size that was measured');
    case 'no-model':
      return unknown('no model fits these times');
    case 'unreached':
      return unknown('time falls as far as was measured, and the models have no answer beyond');
    case 'contradicted':
      return unknown(
        `the models see no turn up to there, but ${nodesText(fastestOf(measured).nodes)} were measured to be faster`,
      );
    case 'helps':
      return helping(verdict.best, { most, reach });
    case 'open':
      return open(verdict.best, { beyond, reach });
    case 'turns': {
      const { value, high } = verdict.best;
      const sure = verdict.best.low === high;
      const where = `Time is least on ${sure ? '' : 'about '}${nodesText(value)} (${sure ? 'the whole 90 % interval' : ninety(verdict.best, String)})`;
      return {
        sentence: high > value ? `${where}; more than ${nodesText(high)} do not help.` : `${where} and rises beyond.`,
        short: nodesText(value),
        estimate: verdict.best,
      };
    }
  }
}

function helping(best: Estimate, { most, reach }: { readonly most: number; readonly reach: number }): Words {
  if (best.low === null) {
    const sentence = `More than ${nodesText(most)} help: no turn is seen up to ${nodesText(reach)}.`;
    return { sentence, short: `over ${nodesText(reach)}`, estimate: best };
  }
  if (best.value === null) {
    const sentence = `More than ${nodesText(most)} help, up to ${best.low} at least; up to ${nodesText(reach)} a turn is less likely than none.`;
    return { sentence, short: `over ${nodesText(best.low)}`, estimate: best };
  }
  const ends = ninety(best, String, `beyond ${reach}`);
  const sentence = `More than ${nodesText(most)} help, up to about ${nodesText(best.value)} (${ends}).`;
  return { sentence, short: nodesText(best.value), estimate: best };
}

function open(best: Estimate, { beyond, reach }: { readonly beyond: string; readonly reach: number }): Words {
  const likely = best.value === null ? `on more than ${nodesText(reach)}` : `on about ${nodesText(best.value)}`;
  const ends = ninety(best, String, `beyond ${reach}`);
  return {
    sentence: `${beyond} time is least ${likely}, but the interval has no end (${ends}).`,
    short: best.value === null ? 'not known' : `${nodesText(best.value)}?`,
    estimate: best,
  };
}

function measuredSentence({ measured, noun, scale, bw }: SizeFacts): string {
  const fastest = fastestOf(measured);
  const shown = [...new Set([at(measured, 0), fastest, last(measured)])];
  const [first, ...others] = shown.map(
    (one) =>
      `${timeText(one)} on ${nodesText(one.nodes)}${one === fastest && measured.length > 1 ? ' (the fastest)' : ''}`,
  );
  const where = `Measured at ${bw === 100 ? 'full' : `${bw} %`} bandwidth${sizeText(scale, ' and ')}`;
  const times = joinWords([`one ${noun} takes ${first}`, ...others]);
  return `${where}: ${times}${shown.some(({ interval }) => interval !== null) ? ' (90 % intervals)' : ''}.${rivalsText(measured, fastest)}`;
}

/** `184 ms [160 ms to 212 ms]`. */
function timeText({ seconds, interval }: MeasuredTime): string {
  if (interval === null) return formatSeconds(seconds);
  return `${formatSeconds(seconds)} [${formatSeconds(interval.low)} to ${formatSeconds(interval.high)}]`;
}

/** Which other sizes are as fast as the fastest, as far as visits tell. */
function rivalsText(measured: SizeFacts['measured'], fastest: SizeFacts['measured'][number]): string {
  const rivals = measured.filter((one) => one !== fastest && isWithinScatter(one, fastest)).map(({ nodes }) => nodes);
  if (rivals.length === 0) return '';
  return ` ${capital(sizesText(rivals))} cannot be told from the fastest: visits of one size differ as much.`;
}

function projectedSentence({ projected, reach }: SizeFacts): string {
  if (projected === null || projected.value === null) return '';
  const { value, low, high } = projected;
  const ends = low === null || high === null ? '' : ` (90 % interval ${formatSeconds(low)} to ${formatSeconds(high)})`;
  return ` By the models it takes ${formatSeconds(value)}${ends} on ${nodesText(reach)}.`;
}

function fastestOf(measured: SizeFacts['measured']): SizeFacts['measured'][number] {
  return measured.reduce((best, one) => (one.seconds < best.seconds ? one : best));
}

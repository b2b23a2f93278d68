import { capital, formatRate, nodesText } from '../../../base/index.ts';
import type { Estimate } from '../../../modeling/index.ts';
import { isWithinScatter } from '../alike.ts';
import type { LinkVerdict } from './limit.ts';
import type { StoryLine } from './line.ts';
import type { SizeFacts, SizeVerdict } from './size.ts';
import { ninety, sizesText } from './words.ts';

export interface VerdictFacts {
  readonly measured: SizeFacts['measured'];
  readonly size: SizeVerdict;
  /** Some twice as many nodes as were measured, and what they save of the time; null without a model that has an answer there. */
  readonly more: { readonly nodes: number; readonly saving: Estimate } | null;
  /** Of times that were predicted blind, the share inside their 90 % intervals, percent; null where none were. */
  readonly insidePercent: number | null;
  readonly link: LinkVerdict;
  /** What a link twice as fast saves of the time, percent, and one without limits; null where models cannot tell. */
  readonly faster: { readonly twice: Estimate; readonly endless: Estimate } | null;
  /** The answer about the bandwidth that is needed. */
  readonly bandwidth: Pick<StoryLine, 'interval'>;
  /** Bits per second of 100 %. */
  readonly lineRateBps: number;
}

/** What saves less of the time is not worth buying, percent; as in what `predict plan` says of doubling the nodes. */
const WORTH = 10;
/** Intervals that hold fewer of the blind times (percent) are not believed. */
const BELIEVED = 50;

/** `buy` and `enough` are said where the whole interval says so; else nothing is known that money could rest on. */
interface Advice {
  readonly kind: 'buy' | 'enough' | 'measure';
  readonly sentence: string;
}

/** What a buyer does with a campaign: more nodes or not, a faster link or not, or measure first. */
export function verdictLine(facts: VerdictFacts): StoryLine {
  const [nodes, link] = [aboutNodes(facts), aboutLink(facts)];
  const { value = null, low = null, high = null } = facts.more?.saving ?? {};
  return {
    id: 'verdict',
    question: 'What to buy?',
    short: shortOf(nodes.kind, link.kind),
    answer: `${nodes.sentence} ${link.sentence}`,
    detail: [
      fewerText(facts),
      `Worth buying is what saves ${WORTH} % of the time or more by its whole 90 % interval; predict plan --price puts a price on it.`,
    ]
      .filter((text) => text !== null)
      .join(' '),
    value,
    unit: '%',
    interval: value === null ? null : { low, high },
  };
}

const NODES = { buy: 'more nodes', enough: 'no more nodes', measure: 'nodes open' } as const;
const LINK = { buy: 'a faster link', enough: 'no faster link', measure: 'link open' } as const;

function shortOf(nodes: Advice['kind'], link: Advice['kind']): string {
  return nodes === 'measure' && link === 'measure' ? 'nothing yet' : `${NODES[nodes]}, ${LINK[link]}`;
}

function aboutNodes({ size, more, measured, insidePercent }: VerdictFacts): Advice {
  const most = measured.at(-1)?.nodes ?? 0;
  const unknown = (why: string): Advice => ({
    kind: 'measure',
    sentence: `Measure before you decide on nodes: ${why}.`,
  });
  if (insidePercent !== null && insidePercent < BELIEVED) {
    return unknown(`of the times predicted blind only ${percent(insidePercent)} lay inside their 90 % intervals`);
  }
  const turned = size.kind === 'turns' && size.best.high <= most;
  if (size.kind === 'one-size') return unknown('one cluster size tells nothing of others');
  if (size.kind === 'no-model') return unknown('no model fits these times');
  if (size.kind === 'contradicted') return unknown('measured times contradict the models');
  const saving = more?.saving.value ?? null;
  if (more === null || saving === null) {
    if (!turned) return unknown('the models have no answer for twice as many');
    const where = `${nodesText(size.best.value)} (${ninety(size.best, String)})`;
    return { kind: 'enough', sentence: `Buy no more nodes: time is least on about ${where}.` };
  }
  const { low, high } = more.saving;
  const what = `${more.nodes} instead of ${most}`;
  if (high !== null && high < WORTH) {
    const best = high < 0 ? `take at least ${percent(-high)} more` : `save at most ${percent(high)} of the`;
    return { kind: 'enough', sentence: `Buy no more nodes: ${what} ${best} time.` };
  }
  if (!turned && low !== null && low >= WORTH) {
    const ends = ninety(more.saving, percent);
    return { kind: 'buy', sentence: `Buy more nodes: ${what} save ${percent(saving)} of the time (${ends}).` };
  }
  return unknown(`${what} may ${rangeText(more.saving)} of the time (90 % interval)`);
}

function aboutLink({ link, faster, bandwidth, lineRateBps, measured }: VerdictFacts): Advice {
  const unknown = (why: string): Advice => ({
    kind: 'measure',
    sentence: `Measure before you decide on a faster link: ${why}.`,
  });
  const saving = faster?.twice.value ?? null;
  if (faster === null || saving === null) return unknown('no model tells what it would save');
  const { twice, endless } = faster;
  if (endless.high !== null && endless.high < WORTH) {
    const sentence = `Buy no faster link: one without limits saves at most ${percent(Math.max(0, endless.high))}.`;
    const high = bandwidth.interval?.high ?? null;
    if (high === null || high >= 100) return { kind: 'enough', sentence };
    const most = measured.at(-1)?.nodes ?? 0;
    const rate = formatRate((lineRateBps * high) / 100);
    return { kind: 'enough', sentence: `${sentence} ${capital(rate)} per host are enough for ${nodesText(most)}.` };
  }
  if (link === 'disputed') return unknown('models and Grade10 do not agree on what it would save');
  if (twice.low !== null && twice.low >= WORTH) {
    return {
      kind: 'buy',
      sentence: `Buy a faster link: one twice as fast saves ${percent(saving)} of the time (${ninety(twice, percent)}).`,
    };
  }
  return unknown(`one twice as fast may ${rangeText(twice)} (90 % interval)`);
}

/** The smallest measured size that is as fast as the fastest, where it is not the largest. */
function fewerText({ measured }: VerdictFacts): string | null {
  const least = measured.reduce((best, one) => (one.seconds < best.seconds ? one : best));
  const alike = measured.filter((one) => isWithinScatter(one, least)).map(({ nodes }) => nodes);
  const [fewest] = alike;
  if (fewest === undefined || fewest === measured.at(-1)?.nodes) return null;
  if (alike.length === 1) return `The fastest measured size is ${nodesText(fewest)}.`;
  return `${capital(sizesText(alike))} are equally fast, as far as visits tell: the fewest do.`;
}

/** `cost 20 % or save 25 %`; what rounds to nothing is nothing saved. */
function rangeText({ low, high }: Estimate): string {
  if (low === null || high === null) return 'save anything';
  const [least, most] = [Math.round(low), Math.round(high)];
  if (most < 0) return `cost ${-most} % to ${-least} %`;
  return least < 0 ? `cost ${-least} % or save ${most} %` : `save ${Math.max(0, least)} % to ${Math.max(0, most)} %`;
}

function percent(value: number): string {
  return `${Math.round(value)} %`;
}

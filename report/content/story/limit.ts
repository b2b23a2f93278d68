import { NETWORK, PROCESSORS, type StackShares, UNEXPLAINED } from '../../../analysis/index.ts';
import { capital, nodesText } from '../../../base/index.ts';
import type { Estimate, Parts } from '../../../modeling/index.ts';
import { type PathShares, pathText, stacksText } from './causes.ts';
import type { Held } from './held-up.ts';
import type { StoryLine } from './line.ts';

export interface LimitFacts {
  /** By the models, at the setting that `held` is of; null where they do not tell. */
  readonly parts: Parts | null;
  /** Empty where no such run was sampled. */
  readonly held: readonly Held[];
  /** Null where no run was traced. */
  readonly path?: PathShares | null;
  /** Null where no run at this setting was profiled, or waiting was not. */
  readonly stacks?: StackShares | null;
  readonly nodes: number;
  /** Percent. */
  readonly bw: number;
  readonly noun: string;
}

/** Below this share of the time, by the upper end of its interval, the link is not what limits. */
const MINOR = 50;

/** What the models say of the link: whether it is the largest part, is not, or may be. */
function linkBy({ percent, largest }: Parts): 'limits' | 'does not' | 'open' {
  if (largest === 'link') return 'limits';
  return percent.link.high !== null && percent.link.high < MINOR ? 'does not' : 'open';
}

/** What Grade10 says of it: the component that holds runs up most is the network, or another one, or none that it knows. */
function networkBy({ name }: Held): 'limits' | 'does not' | 'open' {
  if (name === UNEXPLAINED) return 'open';
  return name === NETWORK ? 'limits' : 'does not';
}

/** What both say of the link together; `disputed` where they contradict each other. */
export type LinkVerdict = 'limits' | 'does not' | 'open' | 'disputed';

export function judgeLink({ parts, held }: Pick<LimitFacts, 'parts' | 'held'>): LinkVerdict {
  const most = mostOf(held);
  const [link, network] = [parts === null ? 'open' : linkBy(parts), most === null ? 'open' : networkBy(most)];
  if (link === network || network === 'open') return link;
  return link === 'open' ? network : 'disputed';
}

function mostOf(held: readonly Held[]): Held | null {
  return held.length === 0 ? null : held.reduce((a, b) => (b.percent > a.percent ? b : a));
}

/**
 * What limits the largest measured cluster, by two witnesses. Models see what grows with ranks and what slows with less bandwidth;
 * Grade10 sees resources. Messages cost processor time, so what both can see is the link: they agree where both say that it limits,
 * or both that it does not, and then Grade10 names the resource.
 */
export function limitLine(facts: LimitFacts): StoryLine {
  const { parts, held, path = null, stacks = null, nodes, bw, noun } = facts;
  const place = `a ${noun} on ${nodesText(nodes)} at ${bw === 100 ? 'full' : `${bw} %`} bandwidth`;
  const most = mostOf(held);
  const traced = most && `By Grade10 ${place} is held up by ${tracedText(held, most)}.`;
  const fitted = parts && `By the models ${partsText(parts)}${traced === null ? `, of the time of ${place}` : ''}.`;
  const followed = path && pathText(path, { parts, most });
  const seen = stacks && stacksText(stacks, { path, most });
  const told = (short: string, answer: string, estimate: Estimate | null): StoryLine => ({
    ...{ id: 'limit', question: 'What limits it?', unit: '%', short, answer },
    detail: [traced, fitted, followed, seen].filter((text) => text !== null).join(' ') || null,
    value: estimate?.value ?? null,
    interval: estimate?.low == null ? null : { low: estimate.low, high: estimate.high },
  });
  const link = parts === null ? 'open' : linkBy(parts);
  const network = most === null ? 'open' : networkBy(most);
  const share: Estimate | null = most && { value: most.percent, low: null, high: null };

  if (most === null || network === 'open') {
    const lacking = most === null ? 'no run was sampled' : 'Grade10 finds no known resource for most of the time';
    if (parts === null || link === 'open')
      return told('not known', `That cannot be said: ${lacking}, and the models do not tell.`, null);
    const what = link === 'limits' ? 'The link' : `Not the link`;
    return told(
      link === 'limits' ? 'the link' : 'not the link',
      `${what}, by the models alone: ${lacking}.`,
      parts.percent.link,
    );
  }
  const name = most.label;
  if (link === 'open') return told(name, `${capital(name)}, by Grade10 alone: the models do not tell.`, share);
  if (judgeLink(facts) === 'disputed') {
    const [first, second] = link === 'limits' ? ['the link', name] : ['what no faster link would save', name];
    return told('not agreed', `That is not agreed: the models see ${first}, Grade10 sees ${second}.`, null);
  }
  if (network === 'limits')
    return told(name, `${capital(name)}: models and Grade10 agree that a faster link helps.`, share);
  return told(name, `${capital(name)}, not the link: models and Grade10 agree.${doing(parts, most)}`, share);
}

/** What busy processors do, where the models are sure of it. */
function doing(parts: Parts | null, { name }: Held): string {
  if (name !== PROCESSORS || parts?.largest === null || parts === null) return '';
  return parts.largest === 'overhead'
    ? ' They are busy with what ranks do not share, such as the software of messages.'
    : ' They are busy with work that more ranks share.';
}

/** `the processors for 78 % of its time and by the network for 1 %`. */
function tracedText(held: readonly Held[], most: Held): string {
  const network = held.find(({ name }) => name === NETWORK);
  const rest =
    network === undefined || network === most ? '' : ` and by ${network.label} for ${shareOf(network.percent)}`;
  return `${most.label} for ${shareOf(most.percent)} of its time${rest}`;
}

function partsText({ percent: { work, overhead, link } }: Parts): string {
  return `${withEnds(work)} is work that ranks share, ${withEnds(overhead)} is parallel overhead (messages, waiting, fixed costs), and an endless link would save ${withEnds(link)}`;
}

function withEnds({ value, low, high }: Estimate): string {
  const ends = low === null || high === null ? '' : ` (${Math.round(low)} to ${Math.round(high)} %)`;
  return `${shareOf(value ?? 0)}${ends}`;
}

function shareOf(percent: number): string {
  return `${percent > 0 && percent < 1 ? 'under 1' : Math.round(percent)} %`;
}

import { NETWORK, PROCESSORS } from '../../analysis/across/takeover.ts';
import type { CauseFinding } from '../../analysis/path/mpi/cause-findings.ts';
import type { StackShares } from '../../analysis/profiles/scaling/profiled-run.ts';
import { UNEXPLAINED } from '../../analysis/sources/runs/summarise.ts';
import { own } from '../../base/lists.ts';
import { capital } from '../../base/text.ts';
import { nodesText } from '../../base/units.ts';
import type { Parts } from '../../modeling/answers/savings.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import type { Setting } from '../content/main-setting.ts';
import { type Held, joinSentences, largestOf, mostOf, type PathShares, pathText, stacksText } from './answer-causes.ts';
import type { Answers } from './answers-schema.ts';
import type { Doubts } from './doubts.ts';

type Limit = Answers['limit'];
type Witness = Limit['witnesses'][number];

/** What is known of the time at the main configuration. */
interface LimitFacts {
  /** By the model in use; null where it does not tell. */
  readonly parts: Parts | null;
  /** By Grade10; empty where no run there was sampled. */
  readonly held: readonly Held[];
  /** Null where no run was traced. */
  readonly path: PathShares | null;
  /** Null where no run there was profiled, or waiting was not. */
  readonly stacks: StackShares | null;
  readonly doubts: Doubts;
  /** What recorded calls of MPI name, the gravest; null where none were recorded, or they name nothing. */
  readonly cause: CauseFinding | null;
  readonly setting: Setting;
  readonly noun: string;
}

/**
 * What limits the largest measured cluster. The model sees what grows with ranks and what slows with less bandwidth; Grade10 sees
 * resources. Messages cost processor time, so what both can see is the link: they agree where both say that it limits, or both that
 * it does not, and then Grade10 names the resource. The critical path and call stacks are two more witnesses.
 */
export function answerLimit(facts: LimitFacts): Limit {
  const { parts, held, cause, doubts } = facts;
  const most = mostOf(held);
  const witnesses = spoken(facts, most).map((one) => ({ ...one, careful: doubts[one.by] ?? null }));
  // The model may know that it is not the link, and not which other part is the largest.
  const about = witnesses.flatMap(({ by, says }) => {
    if (by === 'model') return isLinkBy(parts) ?? [];
    return says === 'unknown' ? [] : [says === 'link'];
  });
  return {
    question: 'What limits it?',
    ...(cause === null ? judge(parts, most) : namedBy(cause)),
    detail: joinSentences(...witnesses.flatMap(({ sentence, careful }) => [sentence, careful])) || null,
    agree: about.length < 2 ? null : about.every((one) => one === about[0]),
    witnesses,
  };
}

type Judged = Pick<Limit, 'verdict' | 'name' | 'short' | 'sentence'>;

function namedBy({ cause: { kind, host }, sentence }: CauseFinding): Judged {
  const name = kind.replaceAll('-', ' ');
  const isLink = kind === 'slow-link' || kind === 'bandwidth-bound';
  const short = host === null ? name : `${name} (${host})`;
  return { verdict: isLink ? 'link' : 'not the link', name, short, sentence };
}

/** By the two that tell the link from all else. */
function judge(parts: Parts | null, most: Held | null): Judged {
  const [byModel, byGrade10] = [isLinkBy(parts), isNetworkBy(most)];
  if (most === null || byGrade10 === null) {
    const lacking = most === null ? 'no run was sampled' : 'Grade10 finds no bottleneck for most of the time';
    return judgeByModel(parts, lacking);
  }
  const { label } = most;
  const named = (sentence: string): Judged => ({
    ...{ verdict: byGrade10 ? 'link' : 'not the link', name: label, short: label },
    sentence: `${capital(label)}${sentence}`,
  });
  if (byModel === null) return named(', by Grade10 alone: the model does not say.');
  if (byModel !== byGrade10) {
    const seen = byModel ? 'the link' : 'time that a faster link does not reduce';
    const sentence = `We cannot tell: the analyses disagree. The model sees ${seen}, Grade10 sees ${label}.`;
    return { verdict: 'disputed', name: null, short: 'disputed', sentence };
  }
  return named(
    byGrade10
      ? ': the model and Grade10 agree.'
      : `, not the link: the model and Grade10 agree.${workText(parts, most)}`,
  );
}

function judgeByModel(parts: Parts | null, lacking: string): Judged {
  const isLink = isLinkBy(parts);
  if (isLink === null) {
    const sentence = `We cannot tell: ${lacking}, and the model does not say.`;
    return { verdict: 'unknown', name: null, short: 'cannot tell', sentence };
  }
  const largest = parts?.largest ?? null;
  return isLink
    ? {
        ...{ verdict: 'link', name: 'the link', short: 'the link' },
        sentence: `The link, by the model alone: ${lacking}.`,
      }
    : {
        verdict: 'not the link',
        name: largest && (largest === 'work' ? 'parallel work' : 'overhead other than the link'),
        short: 'not the link',
        sentence: `Mainly not the link, by the model alone: ${lacking}.`,
      };
}

/** Below this share of the time, by the upper end of its interval, the link is not what limits. */
const MINOR = 50;

/** What the model says of the link: whether it is the largest part; null where it does not say. */
function isLinkBy(parts: Parts | null): boolean | null {
  if (parts === null) return null;
  const { percent, largest } = parts;
  if (largest === 'link') return true;
  return percent.link.high !== null && percent.link.high < MINOR ? false : null;
}

/** What Grade10 says of it: whether the largest bottleneck is the network; null where it knows none. */
function isNetworkBy(most: Held | null): boolean | null {
  return most === null || most.name === UNEXPLAINED ? null : most.name === NETWORK;
}

/** What busy processors do, where the model is sure of it. */
function workText(parts: Parts | null, { name }: Held): string {
  if (name !== PROCESSORS || parts === null || parts.largest === null) return '';
  return parts.largest === 'overhead'
    ? ' They are busy with overhead, such as the software of messages.'
    : ' They are busy with parallel work.';
}

const SAYS = { work: 'processors', overhead: 'overhead', link: 'link' } as const;
const BY_NAME: Readonly<Record<string, Witness['says']>> = {
  [UNEXPLAINED]: 'unknown',
  [NETWORK]: 'link',
  [PROCESSORS]: 'processors',
};

function spoken(
  { parts, held, path, stacks, setting, noun }: LimitFacts,
  most: Held | null,
): readonly Omit<Witness, 'careful'>[] {
  const { nodes, bw } = setting;
  const place = `a ${noun} on ${nodesText(nodes)} at ${bw === 100 ? 'full' : `${bw} %`} bandwidth`;
  const share = (percent: number): Estimate => ({ value: percent, low: null, high: null });
  const witnesses: Omit<Witness, 'careful'>[] = [];
  if (most !== null) {
    witnesses.push({
      ...{ by: 'grade10', says: own(BY_NAME, most.name) ?? 'other', percent: share(most.percent) },
      sentence: `By Grade10 ${place} is limited by ${tracedText(held, most)}.`,
    });
  }
  if (parts !== null) {
    const { largest, percent } = parts;
    const [says, size] = largest === null ? (['unknown', null] as const) : ([SAYS[largest], percent[largest]] as const);
    const where = most === null ? `, of the time of ${place}` : '';
    witnesses.push({ by: 'model', says, percent: size, sentence: `By the model ${partsText(parts)}${where}.` });
  }
  if (path !== null) {
    const largest = largestOf(path);
    const sentence = pathText(path, { parts, most });
    witnesses.push({ by: 'path', says: SAYS[largest], percent: share(path[largest]), sentence });
  }
  if (stacks !== null) {
    const isComputing = stacks.computing > 50;
    witnesses.push({
      ...{ by: 'stacks', says: isComputing ? 'processors' : 'overhead' },
      percent: share(isComputing ? stacks.computing : stacks.messages + stacks.asleep),
      sentence: stacksText(stacks, { path, most }),
    });
  }
  return witnesses;
}

/** `the processors for 78 % of its time and by the network for 1 %`. */
function tracedText(held: readonly Held[], most: Held): string {
  const network = held.find(({ name }) => name === NETWORK);
  const rest =
    network === undefined || network === most ? '' : ` and by ${network.label} for ${shareOf(network.percent)}`;
  return `${most.label} for ${shareOf(most.percent)} of its time${rest}`;
}

function partsText({ percent: { work, overhead, link } }: Parts): string {
  return `${withEnds(work)} is parallel work, ${withEnds(overhead)} is overhead (messages, waiting, fixed costs), and an unlimited network would save ${withEnds(link)}`;
}

function withEnds({ value, low, high }: Estimate): string {
  const ends = low === null || high === null ? '' : ` (${Math.round(low)} to ${Math.round(high)} %)`;
  return `${shareOf(value ?? 0)}${ends}`;
}

function shareOf(percent: number): string {
  return `${percent > 0 && percent < 1 ? 'under 1' : Math.round(percent)} %`;
}

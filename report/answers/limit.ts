import { NETWORK, PROCESSORS } from '../../analysis/across/takeover.ts';
import type { CauseFinding } from '../../analysis/path/mpi/cause-findings.ts';
import type { StackShares } from '../../analysis/profiles/scaling/profiled-run.ts';
import { UNEXPLAINED } from '../../analysis/sources/runs/summarise.ts';
import { capital } from '../../base/text.ts';
import { nodesText } from '../../base/units.ts';
import type { Parts } from '../../modeling/answers/time-parts.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import type { Setting } from '../content/main-setting.ts';
import { type Held, largestOf, mostOf, type PathShares, pathText, stacksText } from './answer-causes.ts';
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

/** Below this share of the time, by the upper end of its interval, the link is not what limits. */
const MINOR = 50;

/** What the model says of the link: whether it is the largest part, is not, or may be. */
function linkBy(parts: Parts | null): 'limits' | 'does not' | 'open' {
  if (parts === null) return 'open';
  const { percent, largest } = parts;
  if (largest === 'link') return 'limits';
  return percent.link.high !== null && percent.link.high < MINOR ? 'does not' : 'open';
}

/** What Grade10 says of it: the largest bottleneck is the network, or another one, or none that it knows. */
function networkBy(most: Held | null): 'limits' | 'does not' | 'open' {
  if (most === null || most.name === UNEXPLAINED) return 'open';
  return most.name === NETWORK ? 'limits' : 'does not';
}

/**
 * What limits the largest measured cluster. The model sees what grows with ranks and what slows with less bandwidth; Grade10 sees
 * resources. Messages cost processor time, so what both can see is the link: they agree where both say that it limits, or both that
 * it does not, and then Grade10 names the resource. The critical path and call stacks are two more witnesses.
 */
export function answerLimit(facts: LimitFacts): Limit {
  const { parts, held } = facts;
  const most = mostOf(held);
  const witnesses = witnessesOf(facts, most);
  const [link, network] = [linkBy(parts), networkBy(most)];
  // The model may know that it is not the link, and not which other part is the largest.
  const about = witnesses.flatMap(({ by, says }) => {
    if (by === 'model') return link === 'open' ? [] : [link === 'limits'];
    return says === 'unknown' ? [] : [says === 'link'];
  });
  const told = (verdict: Limit['verdict'], name: string | null, short: string, sentence: string): Limit => ({
    ...{ question: 'What limits it?', verdict, name, short, sentence },
    detail:
      witnesses.flatMap(({ sentence: own, careful }) => [own, ...(careful === null ? [] : [careful])]).join(' ') ||
      null,
    agree: about.length < 2 ? null : about.every((one) => one === about[0]),
    witnesses,
  });
  const { cause } = facts;
  if (cause !== null) {
    const { kind, host } = cause.cause;
    const name = kind.replaceAll('-', ' ');
    const isLink = kind === 'slow-link' || kind === 'bandwidth-bound';
    return told(isLink ? 'link' : 'not the link', name, host === null ? name : `${name} (${host})`, cause.sentence);
  }
  if (most === null || network === 'open') {
    const lacking = most === null ? 'no run was sampled' : 'Grade10 finds no bottleneck for most of the time';
    if (link === 'open')
      return told('unknown', null, 'cannot tell', `We cannot tell: ${lacking}, and the model does not say.`);
    if (link === 'limits') return told('link', 'the link', 'the link', `The link, by the model alone: ${lacking}.`);
    const what = parts?.largest === 'work' ? 'parallel work' : 'overhead other than the link';
    const name = parts?.largest === null ? null : what;
    return told('not the link', name, 'not the link', `Mainly not the link, by the model alone: ${lacking}.`);
  }
  const { label } = most;
  const verdict = network === 'limits' ? 'link' : 'not the link';
  if (link === 'open')
    return told(verdict, label, label, `${capital(label)}, by Grade10 alone: the model does not say.`);
  if (link !== network) {
    const [first, second] =
      link === 'limits' ? ['the link', label] : ['time that a faster link does not reduce', label];
    const sentence = `We cannot tell: the analyses disagree. The model sees ${first}, Grade10 sees ${second}.`;
    return told('disputed', null, 'disputed', sentence);
  }
  if (network === 'limits') {
    return told('link', label, label, `${capital(label)}: the model and Grade10 agree.`);
  }
  return told(
    verdict,
    label,
    label,
    `${capital(label)}, not the link: the model and Grade10 agree.${doing(parts, most)}`,
  );
}

/** What busy processors do, where the model is sure of it. */
function doing(parts: Parts | null, { name }: Held): string {
  if (name !== PROCESSORS || parts === null || parts.largest === null) return '';
  return parts.largest === 'overhead'
    ? ' They are busy with overhead, such as the software of messages.'
    : ' They are busy with parallel work.';
}

const SAYS = { work: 'processors', overhead: 'overhead', link: 'link' } as const;

function witnessesOf(facts: LimitFacts, most: Held | null): Witness[] {
  return spoken(facts, most).map((one) => ({ ...one, careful: facts.doubts[one.by] ?? null }));
}

function spoken(
  { parts, held, path, stacks, setting, noun }: LimitFacts,
  most: Held | null,
): readonly Omit<Witness, 'careful'>[] {
  const { nodes, bw } = setting;
  const place = `a ${noun} on ${nodesText(nodes)} at ${bw === 100 ? 'full' : `${bw} %`} bandwidth`;
  const share = (percent: number): Estimate => ({ value: percent, low: null, high: null });
  const witnesses: Omit<Witness, 'careful'>[] = [];
  if (most !== null) {
    const says = most.name === UNEXPLAINED ? 'unknown' : most.name === NETWORK ? 'link' : null;
    witnesses.push({
      by: 'grade10',
      says: says ?? (most.name === PROCESSORS ? 'processors' : 'other'),
      percent: share(most.percent),
      sentence: `By Grade10 ${place} is limited by ${tracedText(held, most)}.`,
    });
  }
  if (parts !== null) {
    const { largest, percent } = parts;
    const where = most === null ? `, of the time of ${place}` : '';
    witnesses.push({
      by: 'model',
      says: largest === null ? 'unknown' : SAYS[largest],
      percent: largest === null ? null : percent[largest],
      sentence: `By the model ${partsText(parts)}${where}.`,
    });
  }
  if (path !== null) {
    const largest = largestOf(path);
    witnesses.push({
      ...{ by: 'path', says: SAYS[largest], percent: share(path[largest]) },
      sentence: pathText(path, { parts, most }),
    });
  }
  if (stacks !== null) {
    const isComputing = stacks.computing > 50;
    witnesses.push({
      by: 'stacks',
      says: isComputing ? 'processors' : 'overhead',
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

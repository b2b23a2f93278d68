import { NETWORK, PROCESSORS } from '../../analysis/across/takeover.ts';
import type { StackShares } from '../../analysis/profiles/scaling/profiled-run.ts';
import { at, last } from '../../base/lists.ts';
import { compareText, joinWords } from '../../base/text.ts';
import type { Parts, TimePart } from '../../modeling/answers/savings.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import { isAt, type Setting } from '../content/main-setting.ts';
import type { PathData } from '../content/path-content.ts';
import type { Why } from '../content/why-content.ts';

/** What the critical path is made of, percent of it: computing, bytes at the rate of the link, and the rest of the exchanges. */
export type PathShares = Readonly<Record<TimePart, number>>;

const WORDS: Readonly<Record<TimePart, string>> = {
  work: 'computing',
  overhead: 'communication other than transfer',
  link: 'transfer on the link',
};

/**
 * What the critical path says of the cause beside models and Grade10, and where they name another one, why that can be. The path is
 * the third witness: it sees the one chain that the end hung on; models see what changes with nodes and bandwidth, Grade10 which
 * resource was busy, as a mean over all ranks.
 */
export function pathText(
  path: PathShares,
  { parts, most }: { readonly parts: Parts | null; readonly most: Held | null },
): string {
  const largest = largestOf(path);
  const share = (part: TimePart): string => wholePercentText(path[part]);
  const said = `The critical path is ${share('work')} ${WORDS.work}, at least ${share('link')} ${WORDS.link} and ${share('overhead')} ${WORDS.overhead} (latency, queueing, late partners, processors).`;
  const modelled = parts?.largest ?? null;
  return joinSentences(
    said,
    modelled === null || modelled === largest
      ? null
      : `The models name ${WORDS[modelled]} instead: ${MODELS[modelled]}`,
    most === null || agrees(most, largest) ? null : `Grade10 names ${most.label} instead: ${grade10(most)}`,
  );
}

export function largestOf(path: PathShares): TimePart {
  return (['work', 'overhead', 'link'] as const).reduce((best, part) => (path[part] > path[best] ? part : best));
}

/** Busy processors may compute or handle messages; waiting is of exchanges; of what is not known nothing can differ. */
function agrees({ name }: Held, largest: TimePart): boolean {
  if (name === NETWORK) return largest === 'link';
  if (name === PROCESSORS) return largest !== 'link';
  return largest === 'overhead' || name === 'unexplained';
}

/** Why models can name a part that is not the path's largest. */
const MODELS: Readonly<Record<TimePart, string>> = {
  work: 'they count everything that shrinks with more ranks as parallel work, also messages.',
  overhead:
    'they count everything that more ranks and faster links do not shorten, also computing of the slowest rank.',
  link: 'they count everything that less bandwidth made longer, also waits for late partners. The path counts only the transfers on it, at the full rate.',
};

function grade10({ name }: Held): string {
  if (name === NETWORK) return 'it sees links in use on all hosts; the path counts only the transfers on it.';
  if (name === PROCESSORS)
    return 'it sees processors at their limit on all ranks; the path leaves a busy rank if no other rank waits for it.';
  return 'it sees what all ranks waited for on average; the path follows the rank that they waited for.';
}

/** What ranks were seen in, and where that names another cause than the critical path or Grade10, why that can be. */
export function stacksText(
  { computing, messages, asleep }: StackShares,
  { path, most }: { readonly path: PathShares | null; readonly most: Held | null },
): string {
  const isComputing = computing > HALF;
  const onPath = path && largestOf(path);
  const pathReason = isComputing
    ? 'call stacks are a mean over all ranks, the path follows one rank at a time.'
    : 'it follows the rank that others wait for, and most ranks wait.';
  const grade10Reason =
    most?.name === PROCESSORS && asleep > HALF
      ? "it counts time in which a host's processors are at their limit, also for a rank that sleeps meanwhile."
      : most?.name === NETWORK && isComputing
        ? 'it sees links in use, call stacks what ranks do meanwhile.'
        : null;
  return joinSentences(
    `Call stacks see ranks computing for ${wholePercentText(computing)}, awake in calls of MPI for ${wholePercentText(messages)} and asleep for ${wholePercentText(asleep)}.`,
    onPath === null || (onPath === 'work') === isComputing
      ? null
      : `The critical path names ${WORDS[onPath]} instead: ${pathReason}`,
    grade10Reason && `Grade10 names ${most?.label} instead: ${grade10Reason}`,
  );
}

/** What takes more than half of the time is what ranks mostly do. */
const HALF = 50;

/** What Grade10 finds to limit a run, as a share of its time in percent. */
export interface Held {
  readonly name: string;
  readonly label: string;
  readonly percent: number;
}

/** `4 and 9 nodes`, `1 to 32 nodes`. */
export function sizesText(nodes: readonly number[]): string {
  const shown = nodes.length > 6 ? `${at(nodes, 0)} to ${last(nodes)}` : joinWords(nodes);
  return `${shown} node${nodes.length === 1 && nodes[0] === 1 ? '' : 's'}`;
}

/** Whole percent: `12 %`. */
export function wholePercentText(value: number): string {
  return `${Math.round(value)} %`;
}

/** `may cost 20 % or save 25 %`; what rounds to nothing is nothing saved. */
export function mayText({ low, high }: Estimate): string {
  if (low === null || high === null) return 'may save or cost any time';
  const [least, most] = [Math.round(low), Math.round(high)];
  if (most < 0) return `may cost ${-most} to ${-least} % of the time`;
  if (least < 0) return `may cost ${-least} % or save ${most} % of the time`;
  return `may save ${Math.max(0, least)} to ${Math.max(0, most)} % of the time`;
}

/** What is to be said of these sentences, one behind the other. */
export function joinSentences(...sentences: readonly (string | null)[]): string {
  return sentences.filter((sentence) => sentence !== null).join(' ');
}

/** Of all runs of a setting together, without what takes nothing; empty where none was sampled. */
export function heldUp({ rows, components }: Pick<Why, 'rows' | 'components'>, setting: Setting): readonly Held[] {
  const runs = rows.filter(isAt(setting));
  const total = runs.reduce((sum, { seconds }) => sum + seconds, 0);
  if (!(total > 0)) return [];
  return components
    .map(({ name, label }, index) => {
      const seconds = runs.reduce((sum, { parts }) => sum + at(parts, index), 0);
      return { name, label, percent: (seconds / total) * 100 };
    })
    .filter(({ percent }) => percent > 0);
}

/** The largest of them. */
export function mostOf(held: readonly Held[]): Held | null {
  return held.length === 0 ? null : held.reduce((a, b) => (b.percent > a.percent ? b : a));
}

/** What the critical paths of a setting are made of; null where none was followed. */
export function pathShares({ rows, components }: PathData, setting: Setting): PathShares | null {
  const own = rows.filter(isAt(setting));
  const sum = (of: (row: (typeof own)[number]) => number): number => own.reduce((all, row) => all + of(row), 0);
  const seconds = sum((row) => row.seconds);
  if (!(seconds > 0)) return null;
  // Work inside exchanges is no computing.
  const computing = components
    .flatMap(({ name, meaning, isExchange }, index) => (meaning === PROCESSORS && !isExchange ? [{ name, index }] : []))
    // In an order that does not depend on what else was measured: sums are the same to the last digit.
    .sort((a, b) => compareText(a.name, b.name));
  const work = sum(({ parts }) => computing.reduce((all, { index }) => all + at(parts, index), 0));
  const link = sum(({ onLink }) => onLink);
  const percent = (part: number): number => (part / seconds) * 100;
  return { work: percent(work), link: percent(link), overhead: percent(seconds - work - link) };
}

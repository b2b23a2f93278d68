import { PROCESSORS } from '../../analysis/across/takeover.ts';
import { capital } from '../../base/text.ts';
import { acceptedSentences, isDisturbed } from '../../experiments/marks.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { parseHostFacts } from '../../experiments/store/host-facts.ts';
import { isAt, type Setting } from '../content/main-setting.ts';
import type { Why } from '../content/why-content.ts';
import { type Held, mostOf } from './answer-causes.ts';
import type { Answers } from './answers-schema.ts';
import type { AnswerBasis } from './basis.ts';

type By = Answers['limit']['witnesses'][number]['by'];

/** Why the word of an analysis weighs less at a configuration, by analysis; it is said where the analysis speaks. */
export type Doubts = Readonly<Partial<Record<By, string>>>;

/** What Grade10 says of a configuration. */
interface Known {
  readonly setting: Setting;
  readonly held: readonly Held[];
  /** Runs there that it explained, and how many of them had readings above what a host can do. */
  readonly seen: Seen;
}

interface Seen {
  readonly runs: number;
  readonly clipped: number;
}

/** The runs of a configuration that Grade10 explained. */
export function seenAt(why: Pick<Why, 'rows'> | null, setting: Setting): Seen {
  const own = (why?.rows ?? []).filter(isAt(setting));
  return { runs: own.length, clipped: own.filter(({ isClipped }) => isClipped).length };
}

/** Disturbed runs, readings above a capacity, hosts that have a share of a machine only, links that were not at their rate. */
export function findDoubts(
  { planned, records }: Pick<AnswerBasis, 'planned' | 'records'>,
  { setting, held, seen }: Known,
): Doubts {
  const good = records.filter(({ status }) => status === 'ok');
  const there = good.filter(({ cell }) => isAt(setting)(cell));
  const disturbed = there.filter(isDisturbed).length;
  const others = disturbed === 0 ? [] : [`other processes or traffic disturbed ${countOf(disturbed, there.length)}`];
  const clipped =
    seen.clipped === 0
      ? []
      : [`in ${countOf(seen.clipped, seen.runs)} readings lie above what a host can do (the excess is dropped)`];
  const quota = mostOf(held)?.name === PROCESSORS ? quotaOf(planned) : [];
  const offRate = good.filter(({ marks }) => marks.some(({ kind }) => OFF_RATE.includes(kind))).length;
  const links = offRate === 0 ? [] : [`links were not at their rate in ${countOf(offRate, good.length)}`];
  const accepted = acceptedSentences(there).map(
    (sentence) => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`,
  );
  return {
    ...saying('grade10', [...clipped, ...quota, ...others]),
    ...saying('path', [...others, ...accepted]),
    ...saying('stacks', others),
    ...saying('model', [...links, ...accepted]),
  };
}

const OFF_RATE: readonly CellRecord['marks'][number]['kind'][] = ['link-above-rate', 'link-below-rate'];

/** A control group that leaves a host less than its processors: an emulated host, a container, a job. */
function quotaOf(planned: Campaign): readonly string[] {
  // Ranks of an emulated host keep to less than its quota, which has room for what starts them.
  const { emulatedCores } = planned.inventory;
  const quotas = parseHostFacts(planned).flatMap(({ facts: { cpuQuota, cores } }) =>
    cpuQuota === undefined || cpuQuota >= (cores ?? Number.POSITIVE_INFINITY) ? [] : [emulatedCores ?? cpuQuota],
  );
  if (quotas.length === 0) return [];
  const least = quotas.reduce((a, b) => Math.min(a, b));
  return [
    `hosts have a CPU quota (${Number(least.toPrecision(2))} cores), as in an emulated cluster, which limits first`,
  ];
}

function countOf(some: number, all: number): string {
  return `${some} of ${all} ${all === 1 ? 'run' : 'runs'}`;
}

function saying(by: By, reasons: readonly string[]): Doubts {
  return reasons.length === 0
    ? {}
    : { [by]: `Careful: ${reasons.map((reason, place) => (place === 0 ? reason : capital(reason))).join('. ')}.` };
}

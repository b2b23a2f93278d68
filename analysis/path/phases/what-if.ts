// What a run would have taken had some of it lasted longer or shorter: earliest times over its phases, in which waiting is slack.
import { at, badInput, joinWords } from '../../../base/index.ts';
import { IDLE, TRANSFER, WORK } from './least-transfer.ts';
import { idleShare, type RankPhases } from './rank-phases.ts';

/** What lasts how many times as long: a key of the path, a phase, or `work`, `transfer`, `link` of all exchanges, `idle`. */
export interface Change {
  readonly key: string;
  readonly factor: number;
}

export interface WhatIfOptions {
  readonly changes: readonly Change[];
  /** Of a transfer in this phase that lasts so many ns, the part that its bytes need at the link's rate; NaN if not known. */
  readonly onLinkNs: (phase: number, ns: number) => number;
}

/**
 * How long each search would take, ns, in the order of `searches`. A rank enters a phase when it has left the one before; it leaves an
 * exchange when it has done its own work up to the entry of the last of its group, when that one has entered, and then after its own
 * transfer and work. Without a change these are the measured times. Errors: badInput for a key that the run has not.
 */
export function whatIf(phases: RankPhases, { changes, onLinkNs }: WhatIfOptions): readonly number[] {
  const { ranks, searches, first } = phases;
  const factors = factorsOf(phases, changes);
  return searches.map((_, search) => {
    const [from, to] = [at(first, search * ranks), at(first, (search + 1) * ranks)];
    return lengthOf(phases, { from, to, factors, onLinkNs });
  });
}

/** Keys that `--what-if` takes for a run. */
export function whatIfKeys({ kinds }: Pick<RankPhases, 'kinds'>): readonly string[] {
  const own = kinds.flatMap(({ name, group }) =>
    group === null ? [name, name + IDLE] : [name, name + TRANSFER, name + WORK, name + IDLE],
  );
  return [...own, 'transfer', 'work', 'idle', 'link', 'begin', 'gap'];
}

interface Factors {
  /** Per kind. */
  readonly work: readonly number[];
  /** Of the time without a processor. */
  readonly idle: readonly number[];
  readonly transfer: readonly number[];
  readonly link: number;
  readonly begin: number;
  readonly gap: number;
}

function factorsOf({ kinds }: RankPhases, changes: readonly Change[]): Factors {
  const known = whatIfKeys({ kinds });
  for (const { key } of changes) {
    if (!known.includes(key))
      throw badInput(`--what-if: the run has nothing called '${key}': name one of ${joinWords(known)}.`);
  }
  const factor = (...keys: readonly string[]): number =>
    changes.reduce((product, { key, factor: own }) => (keys.includes(key) ? product * own : product), 1);
  return {
    work: kinds.map(({ name, group }) => (group === null ? factor(name) : factor(name, name + WORK, 'work'))),
    idle: kinds.map(({ name }) => factor(name, name + IDLE, 'idle')),
    transfer: kinds.map(({ name }) => factor(name, name + TRANSFER, 'transfer')),
    link: factor('link'),
    begin: factor('begin'),
    gap: factor('gap'),
  };
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly factors: Factors;
  readonly onLinkNs: WhatIfOptions['onLinkNs'];
}

function lengthOf(phases: RankPhases, { from, to, factors, onLinkNs }: Range): number {
  const { rank, kind, groups, startNs, endNs, asleepNs, meeting, partners, ranks } = phases;
  const count = to - from;
  const [starts, ends] = [new Float64Array(count), new Float64Array(count)];
  const earliest = startNs.subarray(from, to).reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
  // Entries (even) and ends (odd) in the order of the measured times: whatever something hangs on comes before it.
  const events = Uint32Array.from({ length: 2 * count }, (_, event) => event).sort(
    (a, b) => timeOf(a) - timeOf(b) || a - b,
  );
  function timeOf(event: number): number {
    return at(event % 2 === 0 ? startNs : endNs, from + (event >> 1));
  }
  for (const event of events) {
    const index = event >> 1;
    const place = from + index;
    if (event % 2 === 0) {
      const isFirst = index === 0 || rank[place] !== rank[place - 1];
      starts[index] = isFirst
        ? earliest + (at(startNs, place) - earliest) * factors.begin
        : at(ends, index - 1) + (at(startNs, place) - at(endNs, place - 1)) * factors.gap;
      continue;
    }
    const own = at(kind, place);
    const [start, end] = [at(startNs, place), at(endNs, place)];
    const members = groups[own]?.[at(rank, place)];
    const idle = idleShare(phases, place);
    const work = at(factors.work, own) * (1 - idle) + at(factors.idle, own) * idle;
    const transfer = at(factors.transfer, own);
    if (members === undefined) {
      ends[index] = at(starts, index) + (end - start) * work;
      continue;
    }
    // Who entered after this end cannot have held it up.
    let [last, entry] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const other of members) {
      const partner = at(partners, at(meeting, place) * ranks + other);
      if (partner < 0 || partner === place || at(startNs, partner) >= end) continue;
      last = Math.max(last, at(startNs, partner));
      entry = Math.max(entry, at(starts, partner - from));
    }
    const asleep = at(asleepNs, place);
    const waited = last > start && (Number.isNaN(asleep) || asleep > 0);
    const since = waited ? last : start;
    // It sleeps as soon as it has nothing to do but to wait for the last one; what sleep is left, messages travelled in.
    const waiting = Number.isNaN(asleep) ? since - start : Math.min(asleep, since - start);
    const slept = Number.isNaN(asleep) ? 0 : Math.min(asleep - waiting, end - since);
    const linked = factors.link === 1 ? 0 : onLinkNs(place, slept);
    const travels = (slept + (Number.isNaN(linked) ? 0 : linked) * (factors.link - 1)) * transfer;
    const after = travels + (end - since - slept) * work;
    // Its own work before the last one entered goes on whether or not that one is early.
    const before = (since - start - waiting) * work;
    const ready = at(starts, index) + before;
    // Who never slept though others came later took nothing from them; all others go on when the last one has entered.
    ends[index] = waited || last <= start ? Math.max(ready, entry) + after : Math.max(ready + after, entry);
  }
  return ends.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY) - earliest;
}

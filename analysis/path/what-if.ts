// What a run would have taken had some of it lasted longer or shorter: earliest times over its activity graphs, messages again over
// the links of their hosts in the order in which they were handed over (as in Dimemas, Labarta et al., 1996, with token buckets).

import { badInput } from '../../base/errors.ts';
import { joinWords } from '../../base/text.ts';
import type { LinkRate } from '../../experiments/records.ts';
import { ChangedRun, type Factors } from './changed-run.ts';
import { IDLE, type RunGraph, rankOf, TRANSFER, WORK } from './run-graph.ts';

/** What lasts how many times as long. */
export interface Change {
  readonly key: string;
  readonly factor: number;
}

interface WhatIf {
  readonly changes: readonly Change[];
  readonly hostOf: (rank: number) => string;
  /** What a host's link passes each way when it is so many times as slow as it was. */
  readonly linkOf: (slower: number) => LinkRate;
}

/**
 * How long each part of a run would take, ns. Keys are names on the path, a phase or call with all its parts, `transfer`, `work`, `idle`,
 * `link` (half of it is twice the bandwidth), `latency` (what transfers take beyond links), a host, or `rank N` with all that it does. Without a change
 * these are the measured times. A wait lasts as long as it must, in a collective operation until the last of its ranks has come. Errors:
 * badInput for a key that the run has not.
 */
export function whatIf(graphs: readonly RunGraph[], options: WhatIf): readonly number[] {
  const factors = factorsOf(graphs, options);
  return graphs.map((graph) => {
    const changed = new ChangedRun(graph, { ...options, factors }).lengthNs();
    const measured = graph.slice.endNs - graph.slice.startNs;
    // Times are whole: what is less is rounding.
    return measured + Math.round(changed - measured);
  });
}

const PARTS = ['link', 'latency', 'transfer', 'work', 'idle'] as const;

function factorsOf(graphs: readonly RunGraph[], { changes, hostOf }: Pick<WhatIf, 'changes' | 'hostOf'>): Factors {
  const names = new Set(graphs.flatMap(({ activities }) => activities.names.flatMap((name) => [baseOf(name), name])));
  const ranks = graphs.flatMap(({ activities }) => activities.workers.map((_, worker) => rankOf(activities, worker)));
  const places = new Set([...ranks.map(hostOf), ...ranks.map((rank) => `rank ${rank}`)]);
  for (const { key } of changes) {
    if (names.has(key) || names.has(baseOf(key)) || places.has(key) || PARTS.some((part) => part === key)) continue;
    const some = [...names].filter((name) => name !== '').slice(0, 12);
    throw badInput(
      `--what-if: the run has no '${key}': name one of ${joinWords([...some, ...PARTS, [...places][0] ?? '', 'rank 0'])}.`,
    );
  }
  const factor = (...keys: readonly string[]): number =>
    changes.reduce((product, { key, factor: own }) => (keys.includes(key) ? product * own : product), 1);
  const kindOf = (name: string): string => [TRANSFER, WORK, IDLE].find((end) => name.endsWith(end))?.trim() ?? name;
  const known = new Map([...names].map((name) => [name, factor(name, baseOf(name), kindOf(name))]));
  const ofRank = (rank: number): number => factor(hostOf(rank), `rank ${rank}`);
  return {
    ofName: (name) => known.get(name) ?? 1,
    ofRank,
    ofHosts: (from, to) => (from === to ? ofRank(from) : ofRank(from) * ofRank(to)),
    transfer: factor('transfer'),
    link: factor('link'),
    latency: factor('latency'),
    idle: factor('idle'),
  };
}

/** `fold` of `fold transfer`. */
function baseOf(name: string): string {
  const end = [TRANSFER, WORK, IDLE].find((one) => name.endsWith(one)) ?? '';
  return name.slice(0, name.length - end.length);
}

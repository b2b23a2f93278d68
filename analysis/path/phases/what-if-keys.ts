// What a what-if can change, and by which factor each part of a run then lasts.
import { badInput } from '../../../base/errors.ts';
import { joinWords } from '../../../base/text.ts';
import { IDLE, TRANSFER, WORK } from './least-transfer.ts';
import type { RankPhases } from './rank-phases.ts';

/** What lasts how many times as long: a key of the path, a phase, or `work`, `transfer`, `link` of all exchanges, `idle`. */
export interface Change {
  readonly key: string;
  readonly factor: number;
}

/** Keys that `--what-if` takes for a run. */
export function whatIfKeys({ kinds }: Pick<RankPhases, 'kinds'>): readonly string[] {
  const own = kinds.flatMap(({ name, group }) =>
    group === null ? [name, name + IDLE] : [name, name + TRANSFER, name + WORK, name + IDLE],
  );
  return [...own, 'transfer', 'work', 'idle', 'link', 'begin', 'gap'];
}

export interface Factors {
  /** Per kind. */
  readonly work: readonly number[];
  /** Of the time without a processor. */
  readonly idle: readonly number[];
  readonly transfer: readonly number[];
  readonly link: number;
  readonly begin: number;
  readonly gap: number;
}

/** Errors: badInput for a key that the run has not. */
export function factorsOf({ kinds }: Pick<RankPhases, 'kinds'>, changes: readonly Change[]): Factors {
  const known = whatIfKeys({ kinds });
  for (const { key } of changes) {
    if (!known.includes(key)) throw badInput(`--what-if: the run has no '${key}': name one of ${joinWords(known)}.`);
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

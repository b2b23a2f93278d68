import { createRandom } from '../../modeling/judge/distributions.ts';
import { type CellStep, type Fault, KINDS, type Kind, kindOf, type Moment, nameOf } from './language.ts';

interface DrawOptions {
  readonly only?: string | undefined;
  /** Kinds that take minutes are left out, and campaigns have a cell less. */
  readonly quick?: boolean;
}

/** One injection: a fresh campaign, what happens to it, and how soon the same command is given again. */
export interface Injection {
  readonly seed: number;
  readonly index: number;
  readonly kind: string;
  readonly quick: boolean;
  /** NODES:SCALE:BW, as `sweep --cells` takes them. */
  readonly cells: readonly string[];
  /** One fault, sometimes a second one. */
  readonly faults: readonly Fault[];
  /** The same command follows at once, or only when all that the first one left has gone by itself. */
  readonly again: 'at once' | 'later';
}

/** Three cells each, two of them throttled: levels that change on the same hosts, and hosts that come and go. */
const PLANS = [
  ['2:10:20', '2:10:50', '2:10:100'],
  ['1:10:50', '2:10:50', '2:10:100'],
  ['2:10:50', '3:10:50', '1:10:100'],
] as const;
const SECOND_FAULT = 0.15;
/** How long after its beginning a step is struck, at most, in ms. */
const DELAY_MS: Readonly<Record<CellStep, number>> = { setting: 1200, running: 300, collecting: 120 };
/** A sweep that nothing disturbs may be quicker than the one that was timed. */
const LAST_SHARE = 0.9;

/** The injection that seed and index stand for; `only` names its kind, otherwise all kinds take turns by weight. */
export function drawInjection(seed: number, index: number, { only, quick = false }: DrawOptions = {}): Injection {
  const kind = only === undefined ? kindAt(seed, index, quick) : kindOf(only);
  const { uniform } = createRandom(Math.imul(seed, 1_000_003) + index);
  const from = <T>(list: readonly T[]): T => list[Math.floor(uniform() * list.length)] as T;
  const plan = from(PLANS);
  const cells = quick ? plan.slice(1) : plan;
  const first = drawFault(kind, { uniform, from, cells: cells.length });
  const companions = KINDS.filter(({ slow, who }) => !slow && who !== 'keepers');
  const second = drawFault(from(companions), { uniform, from, cells: cells.length });
  const isPair = uniform() < SECOND_FAULT && kind.who !== 'keepers';
  return {
    ...{ seed, index, kind: nameOf(kind), quick, cells },
    faults: isPair ? [first, second] : [first],
    again: uniform() < 0.5 ? 'at once' : 'later',
  };
}

interface Draw {
  readonly uniform: () => number;
  readonly from: <T>(list: readonly T[]) => T;
  readonly cells: number;
}

function drawFault({ who, how, when, seconds }: Kind, { uniform, from, cells }: Draw): Fault {
  const at = from(when);
  // Of the keepers' cells: there is none at 100 %.
  const count = who.startsWith('keeper') ? cells - 1 : cells;
  const [share, cell, delay] = [LAST_SHARE * uniform(), Math.floor(uniform() * count), uniform()];
  const moment: Moment = at === 'any' ? { share } : { cell, step: at, delayMs: delay * DELAY_MS[at] };
  const length = uniform();
  return {
    ...{ who, how, when: moment, pick: uniform() },
    seconds: seconds ? seconds[0] + length * (seconds[1] - seconds[0]) : null,
  };
}

/** In every round of as many injections as the weights sum to, each kind comes once, then the rest of its turns. */
function kindAt(seed: number, index: number, quick: boolean): Kind {
  const kinds = KINDS.filter(({ slow }) => !quick || !slow);
  const rest = kinds.flatMap((kind) => Array<Kind>(kind.weight - 1).fill(kind));
  const length = kinds.length + rest.length;
  const { uniform } = createRandom(seed + Math.floor(index / length));
  const deck = [...shuffled(kinds, uniform), ...shuffled(rest, uniform)];
  return deck[index % length] as Kind;
}

function shuffled<T>(list: readonly T[], uniform: () => number): T[] {
  return list
    .map((value) => ({ value, place: uniform() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

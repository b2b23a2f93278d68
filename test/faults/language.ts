/** Whom a fault strikes. The plural means all of a host's at once. */
export type Who =
  | 'controller'
  | 'redis'
  | 'carrier'
  | 'session'
  | 'sessions'
  | 'holder'
  | 'holders'
  | 'keeper'
  | 'keepers'
  | 'sampler'
  | 'guard'
  | 'mpirun'
  | 'orted'
  | 'rank'
  | 'link'
  | 'host'
  | 'store disk'
  | 'host disk'
  | 'clock'
  | 'neighbour';

/** What a neighbour does: load, traffic, somebody else's qdisc, or another controller's command. */
export type Deed = 'burns' | 'floods' | 'qdisc' | 'clear' | 'set' | 'sweep';

/**
 * KILL, TERM and INT are signals. STOP freezes for `seconds`; hang freezes until the sweep has ended. A link is cut or slow
 * for `seconds`, or lost until the sweep has ended. A disk is full, the controller's wall clock jumps.
 */
export type How = 'KILL' | 'TERM' | 'INT' | 'STOP' | 'hang' | 'cut' | 'slow' | 'lost' | 'full' | 'jump' | Deed;

/** A step of a cell, as it can be told from outside. */
export type CellStep = 'setting' | 'running' | 'collecting';

/** `share` of the time that a sweep without faults takes, or so many ms after a step of the sweep's n-th cell begins; of keepers the n-th throttled one. */
export type Moment =
  | { readonly share: number }
  | { readonly cell: number; readonly step: CellStep; readonly delayMs: number };

export interface Fault {
  readonly who: Who;
  readonly how: How;
  readonly when: Moment;
  /** Which of those that are there, [0, 1). */
  readonly pick: number;
  /** How long it lasts; null for what is over at once or lasts until the sweep has ended. */
  readonly seconds: number | null;
}

export interface Kind {
  readonly who: Who;
  readonly how: How;
  /** How many of a hundred injections. */
  readonly weight: number;
  readonly when: readonly ('any' | CellStep)[];
  readonly seconds?: readonly [number, number];
  /** A sweep that takes longer has hung. */
  readonly boundS?: number;
  /** Takes too long for a short run of the suite. */
  readonly slow?: true;
}

/** Seconds after which a host restores its link by itself; the lease of every sweep of the suite. */
export const LEASE_S = 4;
const BOUND_S = 60;
const LONG_BOUND_S = 150;

const IN_A_RUN = ['running'] as const;
const IN_A_CELL = ['setting', 'running', 'collecting'] as const;

/** All that may happen. */
export const KINDS: readonly Kind[] = [
  { who: 'controller', how: 'KILL', weight: 14, when: ['any', 'any', ...IN_A_CELL] },
  { who: 'controller', how: 'TERM', weight: 3, when: ['any', ...IN_A_CELL] },
  { who: 'controller', how: 'INT', weight: 3, when: ['any', ...IN_A_CELL] },
  { who: 'controller', how: 'STOP', weight: 4, when: ['any'], seconds: [1, 2 * LEASE_S] },
  { who: 'redis', how: 'KILL', weight: 5, when: IN_A_CELL },
  { who: 'redis', how: 'STOP', weight: 2, when: IN_A_CELL, seconds: [1, 6] },
  { who: 'redis', how: 'hang', weight: 1, when: IN_A_CELL, boundS: LONG_BOUND_S, slow: true },
  { who: 'carrier', how: 'KILL', weight: 5, when: ['any', ...IN_A_CELL] },
  { who: 'carrier', how: 'STOP', weight: 2, when: ['any'], seconds: [1, 6] },
  { who: 'carrier', how: 'hang', weight: 1, when: IN_A_CELL, boundS: LONG_BOUND_S, slow: true },
  { who: 'session', how: 'KILL', weight: 4, when: ['any', ...IN_A_CELL] },
  { who: 'sessions', how: 'KILL', weight: 4, when: IN_A_CELL },
  { who: 'session', how: 'STOP', weight: 2, when: ['any'], seconds: [1, 6] },
  { who: 'holder', how: 'KILL', weight: 3, when: IN_A_CELL },
  { who: 'holders', how: 'KILL', weight: 2, when: IN_A_CELL },
  { who: 'holder', how: 'hang', weight: 1, when: IN_A_CELL, boundS: LONG_BOUND_S },
  { who: 'keeper', how: 'KILL', weight: 6, when: ['setting', 'running'] },
  { who: 'keepers', how: 'KILL', weight: 2, when: ['setting', 'running'] },
  { who: 'keeper', how: 'STOP', weight: 1, when: ['setting', 'running'], seconds: [1, 6] },
  { who: 'sampler', how: 'KILL', weight: 2, when: IN_A_RUN },
  { who: 'sampler', how: 'hang', weight: 1, when: IN_A_RUN },
  { who: 'sampler', how: 'STOP', weight: 1, when: IN_A_RUN, seconds: [1, 3] },
  { who: 'guard', how: 'KILL', weight: 3, when: IN_A_RUN },
  { who: 'mpirun', how: 'KILL', weight: 3, when: IN_A_RUN },
  { who: 'mpirun', how: 'TERM', weight: 1, when: IN_A_RUN },
  { who: 'orted', how: 'KILL', weight: 3, when: IN_A_RUN },
  { who: 'rank', how: 'KILL', weight: 4, when: IN_A_RUN },
  { who: 'rank', how: 'TERM', weight: 1, when: IN_A_RUN },
  { who: 'rank', how: 'STOP', weight: 1, when: IN_A_RUN, seconds: [1, 4] },
  { who: 'link', how: 'cut', weight: 4, when: ['any', ...IN_A_CELL], seconds: [0.5, 6] },
  { who: 'link', how: 'slow', weight: 2, when: IN_A_CELL, seconds: [1, 4] },
  { who: 'link', how: 'lost', weight: 1, when: IN_A_CELL, boundS: LONG_BOUND_S, slow: true },
  { who: 'host', how: 'KILL', weight: 1, when: IN_A_CELL, boundS: LONG_BOUND_S, slow: true },
  { who: 'store disk', how: 'full', weight: 2, when: IN_A_CELL },
  { who: 'host disk', how: 'full', weight: 1, when: IN_A_CELL, seconds: [1, 4] },
  { who: 'clock', how: 'jump', weight: 1, when: IN_A_CELL },
  { who: 'neighbour', how: 'burns', weight: 1, when: IN_A_CELL, seconds: [1, 4] },
  { who: 'neighbour', how: 'floods', weight: 1, when: IN_A_CELL, seconds: [1, 4] },
  { who: 'neighbour', how: 'qdisc', weight: 1, when: ['setting', 'running'], seconds: [1, 4] },
  { who: 'neighbour', how: 'clear', weight: 1, when: ['setting', 'running'] },
  { who: 'neighbour', how: 'set', weight: 1, when: IN_A_CELL },
  { who: 'neighbour', how: 'sweep', weight: 1, when: IN_A_CELL },
];

export const nameOf = ({ who, how }: Pick<Kind, 'who' | 'how'>): string => `${who} ${how}`;

/** The kind of a fault, which a table holds. */
export function kindOf(name: string): Kind {
  const kind = KINDS.find((one) => nameOf(one) === name);
  if (!kind) throw new Error(`there is no fault '${name}': take one of ${KINDS.map(nameOf).join(', ')}`);
  return kind;
}

/** Seconds within which a sweep with these faults must end. */
export function boundOf(faults: readonly Fault[]): number {
  return Math.max(...faults.map((fault) => (kindOf(nameOf(fault)).boundS ?? BOUND_S) + (fault.seconds ?? 0)));
}

/** "rank KILL 120 ms into running cell 2", for people. */
export function sayFault(fault: Fault): string {
  const { when, seconds } = fault;
  const place =
    'share' in when
      ? `at ${Math.round(100 * when.share)} % of the sweep`
      : `${Math.round(when.delayMs)} ms into ${when.step} cell ${when.cell + 1}`;
  return `${nameOf(fault)}${seconds === null ? '' : ` for ${seconds.toFixed(1)} s`} ${place}`;
}

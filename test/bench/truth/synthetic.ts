import { createRandom } from '../../../modeling/judge/distributions.ts';
import { rowsFrom } from '../../../modeling/rows.ts';
import type { Split } from './tables.ts';

/** Completion time (s) on x ranks with the full link over s. */
type Truth = (x: number, s: number) => number;

interface Made {
  readonly truth: Truth;
  /** True where the form is one of those that compete. */
  readonly known: boolean;
  /** Relative scatter of whole cells. */
  readonly cell?: number;
  /** Share of searches that take five times as long. */
  readonly outliers?: number;
}

const RANKS_PER_NODE = 18;
const SMALL = [4, 9, 16, 25];
const LARGE = [100, 256];
const BW = [10, 20, 30, 50, 100];
const REPETITIONS = 8;
const SCATTER = 0.08;

const eq6: Truth = (x, s) => 118.026 / x + (5.968 * 1.11 ** s) / Math.sqrt(x);
const volume: Truth = (x, s) => 118 / x + (2 * s) / Math.sqrt(x) + 0.006 * Math.sqrt(x);

/** Ten truths: forms of the dictionary, with more noise, and programs that no form tells exactly. */
const TRUTHS: Readonly<Record<string, Made>> = {
  eq6: { truth: eq6, known: true },
  'eq6, cells 4 %': { truth: eq6, known: true, cell: 0.04 },
  'eq6 + sqrt x': { truth: (x, s) => eq6(x, s) + 0.006 * Math.sqrt(x), known: true },
  volume: { truth: volume, known: true },
  'volume, cells 4 %': { truth: volume, known: true, cell: 0.04 },
  overlap: {
    truth: (x, s) => ((118 / x) ** 4 + ((2 * s) / Math.sqrt(x)) ** 4) ** 0.25 + 0.006 * Math.sqrt(x),
    known: true,
  },
  'amdahl w': { truth: (x, s) => 118 / x + 0.15 * 1.11 ** s, known: true },
  'x^-0.8': { truth: (x, s) => (40 / x ** 0.8) * (1 + 0.3 * s), known: false },
  'ln x s^0.7': { truth: (x, s) => 0.3 + 118 / x + 0.04 * Math.log(x) * s ** 0.7, known: false },
  'eq6, 2 % x 5': { truth: eq6, known: true, outliers: 0.02 },
};

/** So many campaigns of each truth: four node counts, five bandwidths, eight searches of 8 %; unseen is the truth itself. */
export function syntheticSplits(campaigns: number): Split[] {
  return Object.entries(TRUTHS).flatMap(([name, made], index) =>
    Array.from({ length: campaigns }, (_, seed) => split(name, made, 1000 * index + seed + 1)),
  );
}

/** Truths whose form is among those that compete. */
export const knownTruths: readonly string[] = Object.entries(TRUTHS).flatMap(([name, { known }]) =>
  known ? [`synthetic: ${name}`] : [],
);

function split(name: string, { truth, cell = 0, outliers = 0 }: Made, seed: number): Split {
  const random = createRandom(seed);
  const at = (nodes: number, bw: number): number => truth(RANKS_PER_NODE * nodes, 100 / bw);
  const search = (typical: number): number =>
    typical * Math.exp(SCATTER * random.normal()) * (random.uniform() < outliers ? 5 : 1);
  const each = <T>(counts: readonly number[], make: (nodes: number, bw: number) => T[]): T[] =>
    counts.flatMap((nodes) => BW.flatMap((bw) => make(nodes, bw)));
  return {
    set: `synthetic: ${name}`,
    name: `${name}, seed ${seed}`,
    ranksPerNode: RANKS_PER_NODE,
    training: rowsFrom(
      each(SMALL, (nodes, bw) => {
        const typical = at(nodes, bw) * Math.exp(cell * random.normal());
        return Array.from({ length: REPETITIONS }, () => ({ scale: 28, nodes, bw, ct: search(typical) }));
      }),
    ),
    unseen: rowsFrom(each(LARGE, (nodes, bw) => [{ scale: 28, nodes, bw, ct: at(nodes, bw) }])),
  };
}

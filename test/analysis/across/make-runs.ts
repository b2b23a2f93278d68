import type { Run } from '../../../analysis/across/run-of-cell.ts';
import { createRandom } from '../../../modeling/judge/distributions.ts';

export const RANKS_PER_NODE = 2;

/** Seconds of work per unit, of volume over the full link, and of a message to each partner. */
export interface Truth {
  readonly work: number;
  readonly volume: number;
  readonly messages: number;
}

export const TRUTH: Truth = { work: 8, volume: 0.5, messages: 0.01 };

/** cpu = a D/x + c sqrt(x), network = b D (100/bw) / sqrt(x), of x ranks and D = 2^(scale - 19). */
export function formula(
  { work, volume, messages }: Truth,
  { nodes, scale, bw }: Pick<Run, 'nodes' | 'scale' | 'bw'>,
): { readonly cpu: number; readonly network: number } {
  const [x, D] = [RANKS_PER_NODE * nodes, 2 ** (scale - 19)];
  return { cpu: (work * D) / x + messages * Math.sqrt(x), network: (volume * D * (100 / bw)) / Math.sqrt(x) };
}

export interface Sweep {
  readonly truth?: Truth;
  readonly nodes?: readonly number[];
  readonly scales?: readonly number[];
  readonly bandwidths?: readonly number[];
  readonly reps?: number;
  /** Relative standard deviation of each component of each run. */
  readonly noise?: number;
  readonly seed?: number;
}

/** The runs of a sweep as the formula has them, with noise that depends on the seed alone. */
export function makeRuns({
  truth = TRUTH,
  nodes = [2, 4, 9, 16],
  scales = [20, 21],
  bandwidths = [100, 50, 20, 10],
  reps = 1,
  noise = 0,
  seed = 1,
}: Sweep = {}): readonly Run[] {
  const random = createRandom(seed);
  const noisy = (seconds: number): number => seconds * Math.exp(noise * random.normal());
  const repetitions = Array.from({ length: reps }, (_, index) => index + 1);
  return scales.flatMap((scale) =>
    nodes.flatMap((count) =>
      bandwidths.flatMap((bw) =>
        repetitions.map((rep): Run => {
          const { cpu, network } = formula(truth, { nodes: count, scale, bw });
          const components = { cpu: noisy(cpu), network: noisy(network) };
          const seconds = components.cpu + components.network;
          return { nodes: count, scale, bw, rep, seconds, components, imbalance: 0 };
        }),
      ),
    ),
  );
}

/** A run made by hand. */
export function makeRun(over: Partial<Run>): Run {
  return { nodes: 4, scale: 20, bw: 100, rep: 1, seconds: 1, components: {}, imbalance: 0, ...over };
}

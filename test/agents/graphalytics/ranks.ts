import type { AlgorithmName } from './run-graphalytics.ts';

export const RANKS = [1, 2, 3, 4, 6, 9];

type ByAlgorithm = Readonly<Record<AlgorithmName, readonly number[]>>;

/** Ranks of the six samples of an algorithm: directed, then undirected ones. */
export const SAMPLE_RANKS: ByAlgorithm = {
  bfs: [1, 2, 1, 3, 1, 4],
  pr: [2, 1, 3, 1, 6, 1],
  wcc: [3, 1, 4, 1, 9, 1],
  cdlp: [1, 2, 1, 4, 1, 6],
  lcc: [2, 1, 3, 1, 6, 1],
  sssp: [1, 3, 1, 4, 1, 9],
};

/** Ranks of the random graphs: the directed one and the other. Starting ranks costs; with the samples it is every number. */
export const RANDOM_RANKS: ByAlgorithm = {
  bfs: [9, 6],
  pr: [4, 9],
  wcc: [6, 2],
  cdlp: [3, 9],
  lcc: [9, 4],
  sssp: [2, 6],
};

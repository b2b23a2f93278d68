import { badInput, shortened } from '../../../base/index.ts';
import { ALGORITHMS, type Algorithm } from '../../../experiments/graphs/index.ts';

/** `bfs,PR` -> the algorithms, each once. */
export function parseAlgorithms(text: string): readonly Algorithm[] {
  return [...new Set(text.split(',').map((word) => parseAlgorithm(word)))];
}

export function parseAlgorithm(text: string): Algorithm {
  const found = ALGORITHMS.find((algorithm) => algorithm === text.trim().toLowerCase());
  if (found !== undefined) return found;
  throw badInput(`'${shortened(text)}' is not an algorithm: choose from ${ALGORITHMS.join(', ')}.`);
}

import { readFileSync } from 'node:fs';
import type { Algorithm } from '../../../experiments/graphs/benchmark-terms.ts';
import type { Dataset } from '../../../experiments/graphs/dataset.ts';
import { runRanks } from '../../agents/run-ranks.ts';

/** What a bundled kernel counts of one run on ranks of this machine; `log` is where it writes its messages. */
export async function runKernel(dataset: Dataset, algorithm: Algorithm, ranks: number, log: string) {
  const { vertexFile, edgeFile, directed, weighted, parameters } = dataset;
  const { source, iterations } = { source: undefined, iterations: undefined, ...own(parameters, algorithm) };
  const options = {
    ...{ algorithm, vertices: vertexFile, edges: edgeFile, directed, weighted, messages: log },
    ...(source !== undefined && { source }),
    ...(iterations !== undefined && { iterations }),
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const { stdout, stderr } = await runRanks('graphalytics', ranks, ...words);
  const printed = (key: string): number => Number(new RegExp(`^${key}: +(\\d+)$`, 'm').exec(stdout)?.[1] ?? stderr);
  const messages = readFileSync(log, 'utf8').match(/^\d+,send,/gm)?.length ?? 0;
  return { bytes: printed('bytes_sent'), supersteps: printed('iterations'), messages };
}

function own(
  parameters: Dataset['parameters'],
  algorithm: Algorithm,
): { readonly source?: string; readonly iterations?: number } {
  return algorithm === 'wcc' || algorithm === 'lcc' ? {} : (parameters[algorithm] ?? {});
}

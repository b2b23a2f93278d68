import { type RanksRun, runRanks } from './run-ranks.ts';

/** What a run of the bundled Graph500 left, whether or not it succeeded. */
export type Graph500Run = RanksRun;

export function runGraph500(ranks: number, ...args: readonly string[]): Promise<Graph500Run> {
  return runRanks('graph500', ranks, ...args);
}

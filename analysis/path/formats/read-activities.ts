import type { Problem } from '../../problems.ts';
import type { Activities } from '../activities.ts';
import { readJsonLines } from './read-json-lines.ts';
import { readParquet } from './read-parquet.ts';

/** Activities of a file, and what of it could not be used. */
export interface ReadActivities {
  readonly activities: Activities;
  readonly problems: readonly Problem[];
  /** What the file calls the instant 0 of the times: another than 0 where they lie beyond 2^53 ns. */
  readonly originNs: bigint;
}

/** The intermediate trace, as JSON lines or Parquet; null for neither. Errors: badInput for a file that cannot be read. */
export async function readActivities(path: string): Promise<ReadActivities | null> {
  return (await readParquet(path)) ?? (await readJsonLines(path));
}

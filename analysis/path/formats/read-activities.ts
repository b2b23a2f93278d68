import { readJsonLines } from './read-json-lines.ts';
import { readParquet } from './read-parquet.ts';
import type { ReadActivities } from './trace-row.ts';

/** The intermediate trace, as JSON lines or Parquet; null for neither. Errors: badInput for a file that cannot be read. */
export async function readActivities(path: string): Promise<ReadActivities | null> {
  return (await readParquet(path)) ?? (await readJsonLines(path));
}

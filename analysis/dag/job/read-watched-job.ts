import { readDagRun } from '../../../experiments/dag/read-run.ts';
import type { DagThresholds, Saturation } from '../judge/judge-period.ts';
import { WatchedJob } from './watched-job.ts';

export interface ReadJob {
  readonly folder: string;
  readonly job: WatchedJob;
  /** What was passed over in the folder, a sentence each. */
  readonly problems: readonly string[];
}

/** Judges the record of a run, one line in memory at a time. Errors: `badInput` as `readDagRun`. */
export async function readWatchedJob(
  folder: string,
  options: { readonly thresholds: DagThresholds; readonly saturation?: Saturation | undefined },
): Promise<ReadJob> {
  const { run, lines, problems } = await readDagRun(folder);
  const job = new WatchedJob(run, options);
  for await (const line of lines) job.add(line);
  return { folder, job, problems };
}

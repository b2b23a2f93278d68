import { type ReadJob, WatchedJob } from '../../../analysis/dag/job/watched-job.ts';
import { DEFAULT_THRESHOLDS, type Saturation } from '../../../analysis/dag/judge/judge.ts';
import { type Simulated, type SimulatedJob, simulateJob } from './simulate-job.ts';

/** A simulated run as it is read from its folder, `name`. */
export function watched({ run, lines }: Simulated, name: string, saturation?: Saturation): ReadJob {
  const job = new WatchedJob({ schema: 1, ...run }, { thresholds: DEFAULT_THRESHOLDS, saturation });
  for (const line of lines) job.add(line);
  return { folder: name, job, problems: [] };
}

export function simulateAndWatch(job: SimulatedJob, options: { periodS: number; mostS?: number }): ReadJob & Simulated {
  const simulated = simulateJob(job, options);
  return { ...simulated, ...watched(simulated, 'simulated') };
}

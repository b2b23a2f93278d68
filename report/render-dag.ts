import type { ExplainedJobs, WatchedJob } from '../analysis/dag/index.ts';

export interface DagReport {
  readonly job: WatchedJob;
  readonly explained: ExplainedJobs;
  readonly generatedAt: string;
}

export function renderDag(_report: DagReport): string {
  return '';
}

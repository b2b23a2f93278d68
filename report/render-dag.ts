import type { ExplainedJobs, WatchedJob } from '../analysis/dag/index.ts';
import { raw } from './html.ts';
import { dagPage } from './page/dag.ts';
import { sheet } from './page/sheet.ts';

/** Runs of a dataflow job, explained: `job` is the last of them. */
export interface DagReport {
  readonly job: WatchedJob;
  readonly explained: ExplainedJobs;
  /** ISO time. */
  readonly generatedAt: string;
}

/** The page of a watched job as one HTML file that refers to nothing outside and runs no script. */
export function renderDag(report: DagReport): string {
  const title = report.job.run.command ?? 'A dataflow job';
  return sheet({ title, generatedAt: report.generatedAt, css: raw('') }, dagPage({ ...report, title }));
}

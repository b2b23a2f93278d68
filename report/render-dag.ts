import type { ExplainedJobs, WatchedJob } from '../analysis/dag/index.ts';
import { shortened } from '../base/index.ts';
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

/** The whole command of a job on many hosts is no headline. */
const LONGEST_TITLE = 160;

/** The page of a watched job as one HTML file that refers to nothing outside and runs no script. */
export function renderDag(report: DagReport): string {
  const title = shortened(report.job.run.command ?? 'A dataflow job', LONGEST_TITLE);
  return sheet({ title, generatedAt: report.generatedAt, css: raw('') }, dagPage({ ...report, title }));
}

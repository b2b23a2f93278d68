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
  return sheet({ title, generatedAt: report.generatedAt, css: STYLE }, dagPage({ ...report, title }));
}

/** The drawing says itself how wide it must be. */
const STYLE = raw(
  ".job{margin:0 0 16px}.job .chart svg{min-width:0}@media (max-width:640px){.job .chart::before{content:'Scroll sideways for all of it';display:block;position:sticky;left:0;color:var(--soft);font-size:12px}}",
);

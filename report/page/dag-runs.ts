import {
  adviceWords,
  crossingWords,
  type ExplainedJobs,
  edgeColumns,
  type LabelOf,
  runColumns,
  taskColumns,
} from '../../analysis/dag/index.ts';
import { last } from '../../base/index.ts';
import type { ReportData } from '../data.ts';
import { dagFigure, MOST_TASKS } from '../figures/index.ts';
import { html, type Markup } from '../html.ts';
import { jobTable } from './dag.ts';
import { bullets, section } from './section.ts';

/** The job that a campaign swept, as its watched runs saw it. */
export function dagRuns({ dag }: Pick<ReportData, 'dag'>): Markup | null {
  if (dag === null) return null;
  return section({
    id: 'dag',
    title: 'Which task or channel limits the job',
    lead: 'The job was watched while it ran. It is limited by a task that is busy nearly all the time, or by a channel that is full while no task is busy. The figures show the last run; limits are from all runs.',
    content: 'problem' in dag ? [html`<p class="missing">${dag.problem}</p>`] : contentOf(dag.explained),
  });
}

function contentOf(explained: ExplainedJobs): (Markup | null)[] {
  const labelOf = labelsOf(explained);
  const run = last(explained.runs);
  const said = [run.verdict, adviceWords(run.advice, labelOf), ...crossingWords(explained.edges)];
  return [
    bullets(said),
    explained.tasks.length <= MOST_TASKS ? html`<div class="job">${dagFigure(explained)}</div>` : null,
    jobTable('Runs of this job', explained.runs, runColumns(explained, labelOf)),
    jobTable('Tasks', explained.tasks, taskColumns(explained)),
    jobTable('Edges', explained.edges, edgeColumns(explained)),
  ];
}

function labelsOf({ tasks, edges }: ExplainedJobs): LabelOf {
  const names = {
    cpu: new Map(tasks.map(({ id, label }) => [id, label])),
    io: new Map(edges.map(({ id, label }) => [id, label])),
  };
  return (id, kind) => names[kind].get(id) ?? id;
}

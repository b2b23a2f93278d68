import type { ExplainedJobs } from '../../analysis/dag/explain/explained.ts';
import {
  edgeColumns,
  type JobColumn,
  runColumns,
  stepColumns,
  targetWords,
  taskColumns,
} from '../../analysis/dag/explain/job-tables.ts';
import {
  adviceWords,
  amountText,
  bottleneckName,
  crossingWords,
  type LabelOf,
  rangedText,
  rateText,
} from '../../analysis/dag/explain/job-words.ts';
import type { WatchedJob } from '../../analysis/dag/job/watched-job.ts';
import { last } from '../../base/lists.ts';
import { capital, shortened } from '../../base/text.ts';
import { formatSeconds } from '../../base/units.ts';
import type { ReportData } from '../content/build-report.ts';
import { dagHistoryFigure } from '../figures/dag-history.ts';
import { dagFigure, MOST_TASKS } from '../figures/draw-dag.ts';
import { html, type Markup, raw } from '../html.ts';
import { minute, renderHead, renderStory } from './answer.ts';
import { bullets, renderTable, section } from './render-table.ts';
import { renderSheet } from './sheet.ts';

/** Runs of a dataflow job, explained: `job` is the last of them. */
interface DagReport {
  readonly job: WatchedJob;
  readonly explained: ExplainedJobs;
  /** ISO time. */
  readonly generatedAt: string;
}

/** The whole command of a job on many hosts is no headline. */
const LONGEST_TITLE = 160;

/** The page of a watched job as one HTML file that refers to nothing outside and runs no script. */
export function renderDag({ job, explained, generatedAt }: DagReport): string {
  const title = shortened(job.run.command ?? 'A dataflow job', LONGEST_TITLE);
  return renderSheet({ title, generatedAt, css: raw('') }, dagPage({ job, explained, generatedAt, title }));
}

/** The job drawn, its history, what each task and edge does, how it scales. */
function dagPage({ job, explained, generatedAt, title }: DagReport & { readonly title: string }): Markup {
  const run = last(explained.runs);
  const { labelOf } = job;
  const { periods } = job.judge;
  const limit = run.holder === null ? run.summary.dominant : { kind: 'cpu' as const, id: run.holder.id };
  const watched = `watched by ${job.run.source} from ${minute(job.run.startedAt)} for ${formatSeconds(run.seconds)}`;
  const lines = [
    {
      question: 'What limits it?',
      short: limit === null ? 'no dominant one' : shortened(labelOf(limit.id, limit.kind), 40),
      sentence: run.verdict,
    },
    { question: 'What to change?', short: actionOf(explained), sentence: adviceWords(run.advice, labelOf) },
    {
      question: 'How fast is it?',
      short: run.rate === null ? '?' : rateText(run.rate, explained.unit),
      sentence: reachOf(explained, labelOf),
    },
  ];
  return html`${renderHead({ kicker: `Dataflow job · ${watched}`, title, generatedAt }, renderStory(lines))}<main>
${section({
  id: 'job',
  title: 'The job and its history',
  lead: 'A task that is busy nearly all the time limits those after it. An edge that is full while no task is busy is at its capacity.',
  content: [
    job.vertices.length <= MOST_TASKS
      ? html`<div class="job">${dagFigure(explained)}</div>`
      : html`<p class="missing">The job has ${job.vertices.length} tasks, too many to draw.</p>`,
    periods.length > 0 ? html`<div class="wide">${dagHistoryFigure(job)}</div>` : null,
  ],
})}${section({
  id: 'parts',
  title: 'Tasks and edges',
  lead: 'Cost of each per record, and the rate of the whole job that it would allow by itself.',
  content: [
    jobTable('Tasks', explained.tasks, taskColumns(explained)),
    jobTable('Edges', explained.edges, edgeColumns(explained)),
  ],
})}${
  explained.steps.length === 0
    ? null
    : section({
        id: 'scale',
        title: 'More instances',
        lead: `In each step the limiting task gets enough instances for another task to limit as much. Whole job: ${amountText(explained.size ?? 0, explained.unit)}.`,
        content: [
          jobTable('Steps: instances of the tasks that get more', explained.steps, stepColumns(explained, labelOf)),
          ...targetWords(explained, labelOf).map((text) => html`<p>${text}</p>`),
        ],
      })
}${
  explained.runs.length < 2
    ? null
    : section({
        id: 'runs',
        title: 'Runs',
        lead: 'Measured rates, and the rates predicted from the first run alone.',
        content: [jobTable('Runs of this job', explained.runs, runColumns(explained, labelOf))],
      })
}${section({
  id: 'care',
  title: 'Notes',
  lead: 'Limits of the method, and what happened while the job was watched.',
  content: [bullets([...run.cautions, ...explained.notes])],
})}</main>`;
}

function actionOf({ runs }: ExplainedJobs): string {
  const { advice } = last(runs);
  if (advice.action === 'scale-out')
    return `${advice.instances.now} → ${advice.instances.level ?? advice.instances.next}`;
  return { stop: 'stop here', observe: 'watch longer', none: 'nothing' }[advice.action];
}

function reachOf({ steps, unit }: ExplainedJobs, labelOf: LabelOf): string {
  const [now, next] = steps;
  if (now === undefined) return 'Neither records nor bytes were counted.';
  const end = last(steps);
  const more =
    next === undefined ? '' : ` The next step raises it to ${rangedText(next.rate, (rate) => rateText(rate, unit))}.`;
  const most =
    end.by.kind === 'io'
      ? ` ${bottleneckName(end.by, labelOf)} limits it to ${rateText(end.rate.value, unit)}.`
      : ' No limiting edge is known.';
  return `Its current limit: ${rangedText(now.rate, (rate) => rateText(rate, unit))}.${more}${most}`;
}

/** Names are whole in the drawing's titles. */
const LONGEST_NAME = 34;

function jobTable<Row>(caption: string, rows: readonly Row[], columns: readonly JobColumn<Row>[]): Markup {
  return renderTable<Row>({
    caption,
    rows,
    columns: columns.map(({ head, isName = false, text }) => ({
      head: capital(head),
      isNumber: !isName,
      // In narrow columns a rate with its interval would be as many lines as it has words.
      text: (row) => (isName ? shortened(text(row), LONGEST_NAME) : text(row).replaceAll(' ', '\u00a0')),
    })),
  });
}

/** The job that a campaign swept, as its watched runs saw it. */
export function renderDagRuns({ dag }: Pick<ReportData, 'dag'>): Markup | null {
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

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
import { dagHistoryFigure } from '../figures/dag-history.ts';
import { dagFigure, MOST_TASKS } from '../figures/draw-dag.ts';
import { html, type Markup, raw } from '../html.ts';
import { minute, renderHead, renderStory } from './answer.ts';
import { bullets, type PageSection, renderTable, section } from './render-table.ts';
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
export function renderDag(report: DagReport): string {
  const { job, explained, generatedAt } = report;
  const title = shortened(job.run.command ?? 'A dataflow job', LONGEST_TITLE);
  const seconds = formatSeconds(last(explained.runs).seconds);
  const watched = `watched by ${job.run.source} from ${minute(job.run.startedAt)} for ${seconds}`;
  const { labelOf } = job;
  const head = { kicker: `Dataflow job · ${watched}`, title, generatedAt };
  return renderSheet(
    { title, generatedAt, css: raw('') },
    html`${renderHead(head, renderStory(storyOf(explained, labelOf)))}<main>
${jobAndHistory(report)}${section(PARTS, costTables(explained))}${moreInstances(explained, labelOf)}${comparedRuns(explained, labelOf)}${section(
  CARE,
  [bullets([...last(explained.runs).cautions, ...explained.notes])],
)}</main>`,
  );
}

const PARTS = {
  id: 'parts',
  title: 'Tasks and edges',
  lead: 'Cost of each per record, and the rate of the whole job that it would allow by itself.',
};
const CARE = {
  id: 'care',
  title: 'Notes',
  lead: 'Limits of the method, and what happened while the job was watched.',
};

function storyOf(explained: ExplainedJobs, labelOf: LabelOf) {
  const { holder, summary, verdict, advice, rate } = last(explained.runs);
  const limit = holder === null ? summary.dominant : { kind: 'cpu' as const, id: holder.id };
  return [
    {
      question: 'What limits it?',
      short: limit === null ? 'no dominant one' : shortened(labelOf(limit.id, limit.kind), 40),
      sentence: verdict,
    },
    { question: 'What to change?', short: actionOf(explained), sentence: adviceWords(advice, labelOf) },
    {
      question: 'How fast is it?',
      short: rate === null ? '?' : rateText(rate, explained.unit),
      sentence: reachOf(explained, labelOf),
    },
  ];
}

function jobAndHistory({ job, explained }: DagReport): Markup {
  const text = {
    id: 'job',
    title: 'The job and its history',
    lead: 'A task that is busy nearly all the time limits those after it. An edge that is full while no task is busy is at its capacity.',
  };
  return section(text, [
    drawn(explained) ?? html`<p class="missing">The job has ${job.vertices.length} tasks, too many to draw.</p>`,
    job.judge.periods.length > 0 ? html`<div class="wide">${dagHistoryFigure(job)}</div>` : null,
  ]);
}

function moreInstances(explained: ExplainedJobs, labelOf: LabelOf): Markup | null {
  const { steps, size, unit } = explained;
  if (steps.length === 0) return null;
  const text = {
    id: 'scale',
    title: 'More instances',
    lead: `In each step the limiting task gets enough instances for another task to limit as much. Whole job: ${amountText(size ?? 0, unit)}.`,
  };
  return section(text, [
    jobTable('Steps: instances of the tasks that get more', steps, stepColumns(explained, labelOf)),
    ...targetWords(explained, labelOf).map((sentence) => html`<p>${sentence}</p>`),
  ]);
}

function comparedRuns(explained: ExplainedJobs, labelOf: LabelOf): Markup | null {
  if (explained.runs.length < 2) return null;
  const text = {
    id: 'runs',
    title: 'Runs',
    lead: 'Measured rates, and the rates predicted from the first run alone.',
  };
  return section(text, [runsTable(explained, labelOf)]);
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

function jobTable<Row>(caption: string, rows: readonly Row[], columns: readonly JobColumn<Row>[]): Markup | null {
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

/** Null for too many tasks. */
function drawn(explained: ExplainedJobs): Markup | null {
  return explained.tasks.length > MOST_TASKS ? null : html`<div class="job">${dagFigure(explained)}</div>`;
}

function runsTable(explained: ExplainedJobs, labelOf: LabelOf): Markup | null {
  return jobTable('Runs of this job', explained.runs, runColumns(explained, labelOf));
}

function costTables(explained: ExplainedJobs): readonly (Markup | null)[] {
  return [
    jobTable('Tasks', explained.tasks, taskColumns(explained)),
    jobTable('Edges', explained.edges, edgeColumns(explained)),
  ];
}

/** The job that a campaign swept, as its watched runs saw it. */
export const dagSection: PageSection = {
  id: 'dag',
  name: 'The job',
  title: 'Which task or channel limits the job',
  lead: 'The job was watched while it ran. It is limited by a task that is busy nearly all the time, or by a channel that is full while no task is busy. The figures show the last run; limits are from all runs.',
  content: ({ dag }) => {
    if (dag === null) return null;
    if ('problem' in dag) return [html`<p class="missing">${dag.problem}</p>`];
    const { explained } = dag;
    const { tasks, edges, runs } = explained;
    const labelOf: LabelOf = (id, kind) => (kind === 'cpu' ? tasks : edges).find((one) => one.id === id)?.label ?? id;
    const { verdict, advice } = last(runs);
    return [
      bullets([verdict, adviceWords(advice, labelOf), ...crossingWords(edges)]),
      drawn(explained),
      runsTable(explained, labelOf),
      ...costTables(explained),
    ];
  },
};

import {
  adviceWords,
  amountText,
  bottleneckName,
  type ExplainedJobs,
  type LabelOf,
  type Ranged,
  rangedText,
  rateText,
} from '../../analysis/dag/index.ts';
import { at, formatBytes, formatSeconds, last, shortened, trimNumber } from '../../base/index.ts';
import { dagFigure, dagHistoryFigure, MOST_TASKS } from '../figures/index.ts';
import { html, type Markup } from '../html.ts';
import type { DagReport } from '../render-dag.ts';
import { stamp } from './answer.ts';
import { section } from './section.ts';
import { type PageColumn, tableOf } from './table.ts';

/** The job drawn, its history, what each task and edge does, how it scales. */
export function dagPage({ job, explained, generatedAt, title }: DagReport & { readonly title: string }): Markup {
  const run = last(explained.runs);
  const labelOf: LabelOf = (id, kind) => job.labelOf(id, kind);
  const { periods } = job.judge;
  return html`<header>
<p class="kicker">Dataflow job · watched by ${job.run.source} from ${stamp(job.run.startedAt)} for ${formatSeconds(run.seconds)} · ${stamp(generatedAt)}</p>
<h1>${title}</h1>
<dl class="story">
<div><dt>What limits it?</dt><dd class="value">${run.summary.dominant === null ? 'no dominant one' : shortened(labelOf(run.summary.dominant.id, run.summary.dominant.kind), 40)}</dd><dd class="say"><p class="first">${run.verdict}</p></dd></div>
<div><dt>What to change?</dt><dd class="value">${actionOf(explained)}</dd><dd class="say"><p>${adviceWords(run.advice, labelOf)}</p></dd></div>
<div><dt>How fast is it?</dt><dd class="value">${run.rate === null ? '?' : rateText(run.rate, explained.unit)}</dd><dd class="say"><p>${reachOf(explained, labelOf)}</p></dd></div>
</dl></header>
<main>
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
  content: [tasksTable(explained), edgesTable(explained)],
})}${
  explained.steps.length === 0
    ? null
    : section({
        id: 'scale',
        title: 'More instances',
        lead: `In each step the limiting task gets enough instances for another task to limit as much. Whole job: ${amountText(explained.size ?? 0, explained.unit)}.`,
        content: [stepsTable(explained, labelOf), targetLine(explained, labelOf)],
      })
}${
  explained.runs.length < 2
    ? null
    : section({
        id: 'runs',
        title: 'Runs',
        lead: 'Measured rates, and the rates predicted from the first run alone.',
        content: [runsTable(explained, labelOf)],
      })
}${section({
  id: 'care',
  title: 'Notes',
  lead: 'Limits of the method, and what happened while the job was watched.',
  content: [html`<ul class="rest">${[...run.cautions, ...explained.notes].map((text) => html`<li>${text}</li>`)}</ul>`],
})}</main>`;
}

function actionOf({ runs }: ExplainedJobs): string {
  const { advice } = last(runs);
  if (advice.action === 'scale-out') return `${advice.instances.now} → ${advice.instances.level}`;
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
const LONGEST_NAME = 30;

type Task = ExplainedJobs['tasks'][number];
type Edge = ExplainedJobs['edges'][number];
type SetUp = ExplainedJobs['steps'][number];
type Run = ExplainedJobs['runs'][number];

const share = <Row>(head: string, value: (row: Row) => number | null): PageColumn<Row> => ({
  ...{ head, unit: '%', decimals: 0 },
  value: (row) => {
    const found = value(row);
    return found === null ? null : found * 100;
  },
});

export function tasksTable({ tasks, unit }: ExplainedJobs): Markup {
  return tableOf<Task>({
    caption: 'Tasks',
    rows: tasks,
    columns: [
      { head: 'Task', text: ({ label }) => shortened(label, LONGEST_NAME) },
      { head: 'Instances', value: ({ instances }) => instances, decimals: 0 },
      share('Works', ({ busy }) => busy),
      share('Waits', ({ busy }) => (busy === null ? null : 1 - busy)),
      share('Busiest', ({ busy, imbalance }) => (busy === null ? null : busy + (imbalance ?? 0))),
      ...(tasks.some(({ cpu }) => cpu !== null)
        ? [share<Task>('On a CPU', ({ cpu }) => cpu), share<Task>('Disk', ({ disk }) => disk)]
        : []),
      share('Bottleneck', (row) => row.share),
      {
        head: `CPU per ${unit === 'bytes' ? 'MB' : 'record'}`,
        text: ({ busyS }) => (busyS === null ? '–' : formatSeconds(busyS.value * (unit === 'bytes' ? 1e6 : 1))),
      },
      { head: 'Limits the job to', text: ({ limit }) => rateCell(limit, unit) },
    ],
  });
}

/** Both ends of an edge, each as far as there is room. */
function endsOf(label: string): string {
  return label
    .split(' → ')
    .map((end) => shortened(end, LONGEST_NAME / 2))
    .join(' → ');
}

export function edgesTable({ edges, unit }: ExplainedJobs): Markup {
  return tableOf<Edge>({
    caption: 'Edges',
    rows: edges,
    columns: [
      { head: 'Edge', text: ({ label }) => endsOf(label) },
      share('Full', ({ full }) => full),
      share('Bottleneck', (row) => row.share),
      { head: 'Carries', text: ({ bytesPerS }) => (bytesPerS === null ? '?' : `${formatBytes(bytesPerS)}/s`) },
      {
        head: 'Limits the job to',
        text: ({ limit, basis }) => `${rateCell(limit, unit)}${basis === 'link' ? ', by its link' : ''}`,
      },
      ...(edges.some(({ crossingBw }) => crossingBw !== null)
        ? [
            {
              head: 'Crossover below',
              unit: '% of the link',
              text: ({ crossingBw }: Edge) => rangedText(crossingBw, trimNumber),
            },
          ]
        : []),
    ],
  });
}

function stepsTable({ steps, tasks, unit, tellsMachines }: ExplainedJobs, labelOf: LabelOf): Markup {
  return tableOf<SetUp>({
    caption: 'Steps: instances of the tasks that get more',
    rows: steps,
    columns: [
      { head: 'More of', text: ({ raised }) => (raised === null ? 'current' : labelOf(raised, 'cpu')) },
      ...tasks.flatMap(({ label }, place): PageColumn<SetUp>[] => {
        const value = ({ instances }: SetUp): number | null => instances[place] ?? null;
        const changes = steps.some((step) => value(step) !== value(at(steps, 0)));
        return changes ? [{ head: shortened(label, 20), decimals: 0, value }] : [];
      }),
      ...(tellsMachines ? [{ head: 'Machines', value: ({ machines }: SetUp) => machines, decimals: 0 }] : []),
      { head: 'Rate', text: ({ rate }) => rateCell(rate, unit) },
      { head: 'Whole job', text: ({ seconds }) => formatSeconds(seconds) },
      ...(steps.some(({ price }) => price !== null)
        ? [{ head: 'Price', decimals: 2, value: ({ price }: SetUp) => price }]
        : []),
      { head: 'Then limits', text: ({ by }) => bottleneckName(by, labelOf) },
    ],
  });
}

function targetLine({ target, tasks, unit, tellsMachines }: ExplainedJobs, labelOf: LabelOf): Markup | null {
  if (target === null) return null;
  const { setUp, endsAt, rate } = target;
  const counts = tasks.map(({ label }, place) => `${setUp.instances[place]} of '${label}'`).join(', ');
  return endsAt === null
    ? html`<p>For ${rateText(rate, unit)}: ${counts}${tellsMachines ? `, on ${setUp.machines} machines` : ''}.</p>`
    : html`<p>${rateText(rate, unit)} cannot be reached: the edge ${labelOf(endsAt, 'io')} ends it at ${rangedText(setUp.rate, (value) => rateText(value, unit))}.</p>`;
}

export function runsTable({ runs, unit }: ExplainedJobs, labelOf: LabelOf): Markup {
  return tableOf<Run>({
    caption: 'Runs of this job',
    rows: runs,
    columns: [
      { head: 'Run', text: ({ folder }) => folder },
      { head: 'Instances', text: ({ instances }) => instances.join(' ') },
      { head: 'Bandwidth', unit: '%', text: ({ bw }) => (bw === null ? '?' : trimNumber(bw)) },
      { head: 'Rate', text: ({ rate }) => (rate === null ? '?' : rateText(rate, unit)) },
      {
        head: 'From the first',
        text: ({ predicted }) => (predicted === null ? '–' : rateCell(predicted, unit)),
      },
      {
        head: 'Limited by',
        text: ({ summary: { dominant } }) =>
          dominant === null ? 'no dominant one' : shortened(bottleneckName(dominant, labelOf), LONGEST_NAME),
      },
      share('Of the time', ({ summary: { dominant } }) => dominant?.share ?? null),
    ],
  });
}

/** A rate with its interval on one line: in narrow columns it would be as many as it has words. */
function rateCell(rate: Ranged | null, unit: ExplainedJobs['unit']): string {
  return rangedText(rate, (value) => rateText(value, unit)).replaceAll(' ', '\u00a0');
}

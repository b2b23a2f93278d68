import { lastStep } from '../../analysis/sources/runs/summarise.ts';
import { ascending, at } from '../../base/lists.ts';
import { groupAlike } from '../../base/text.ts';
import { endsText, sizeText, underSize } from '../../base/units.ts';
import type { ReportData } from '../content/build-report.ts';
import type { PathData } from '../content/path-content.ts';
import type { Why, WhyRun } from '../content/why-content.ts';
import { pathFigure, timelineFigure } from '../figures/draw-lanes.ts';
import { attributionFigure, componentsFigure, gathered, type Profile } from '../figures/draw-parts.ts';
import { type PartInks, shadedInks } from '../figures/inks.ts';
import { fixed, formatPercent, NONE, number, phaseTitle, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { bullets, folded, grid, key, type PageColumn, type PageSection, renderTable } from './render-table.ts';

/** Where the time went, by the Grade10 method, and on which chain of work and messages the end hung. */
export const whySection: PageSection = {
  id: 'why',
  name: 'Why',
  title: ({ headings }) => headings.why,
  lead: ({ why }) =>
    why === null
      ? 'The hosts were not sampled, but every run recorded its phases.'
      : `Every run recorded its phases and the resource usage of its hosts. The Grade10 method (Hegeman's thesis, chapter 4) attributes this usage to phases and finds bottlenecks. Sending and receiving needs CPU time too, so a ${why.noun} with mostly communication may still be CPU-bound. The model of the program is '${why.model}'.`,
  content: ({ why, path, costliest }, { parts }) => {
    const followed = path && pathPart(path, parts);
    if (why === null) return followed && [ranked(costliest), followed];
    return [
      ranked(costliest),
      // Those that are not among the costliest already.
      bullets(sentencesOf(why.findings).filter((one) => !sentencesOf(costliest).includes(one))),
      ...composition(why, {
        inks: parts,
        words: {
          title: `what limits a ${why.noun}`,
          note: 'Mean over ranks; time with several bottlenecks is split evenly. Pale bars are forecasts.',
          legendTitle: 'Limited by',
          caption: `shares of a ${why.noun}, mean over ranks, and the largest saving`,
        },
        columns: [{ head: 'Largest saving', text: (row) => row.helps }],
      }),
      takeovers(why),
      followed,
      ...why.runs.map((run) => pictures(run, why, parts)),
      why.warnings.length === 0 ? null : folded('Problems of the traces', bullets(groupAlike(why.warnings))),
    ];
  },
};

function sentencesOf(said: readonly { readonly sentence: string }[]): readonly string[] {
  return said.map(({ sentence }) => sentence);
}

/** What costs most by all analyses, the most first; null where one alone says something. */
function ranked(costliest: ReportData['costliest']): Markup | null {
  if (costliest.length === 0) return null;
  return html`<h3>What costs most, by all analyses</h3>
<ol class="issues">${costliest.map(({ by, sentence }) => html`<li>${sentence} <span class="small">(${by})</span></li>`)}</ol>\n`;
}

/** A row per node count, a column per scale. */
function takeovers({ takeovers: all }: Why): Markup | null {
  if (all.every(({ above, below, fitted }) => above === null && below === null && fitted === null)) return null;
  const words = (one: Why['takeovers'][number] | undefined): string => {
    if (one === undefined) return NONE;
    const { above, below, fitted } = one;
    const fit = fitted === null ? 'none (forecast)' : `fits: ${formatPercent(fitted)}`;
    if (above === null && below === null) return `not measured (${fit})`;
    if (above === null) return `below ${formatPercent(below)} (${fit})`;
    return below === null
      ? `above ${formatPercent(above)} (${fit})`
      : `${formatPercent(above)} to ${formatPercent(below)} (${fit})`;
  };
  const scales = ascending(all.map(({ scale }) => scale));
  return renderTable({
    caption: 'Bandwidth (share of the line rate) below which the network costs more time than the processors',
    rows: ascending(all.map(({ nodes }) => nodes)),
    columns: [
      { ...key.nodes, value: (nodes) => nodes },
      ...scales.map((scale) => ({
        head: scale === 0 ? 'Bandwidth' : `Scale ${scale}`,
        text: (nodes: number) => words(all.find((one) => one.scale === scale && one.nodes === nodes)),
      })),
    ],
  });
}

/** One run: what would help, its bottleneck reports from the top down, and how its resources were used. */
function pictures(run: WhyRun, { components, noun }: Why, inks: PartInks): Markup {
  const types = [...new Set(run.attributions.flatMap(({ used }) => used.map(({ type }) => lastStep(type))))];
  const labels = new Map(components.map(({ name, label }) => [name, label]));
  const [top, ...deeper] = run.reports.map(
    (report) => html`<div class="wide">${timelineFigure(report, { inks, labels })}</div>\n`,
  );
  const drill = deeper.reduceRight<Markup | null>(
    (inner, figure, index) =>
      html`<details class="drill"><summary>Within it: ${phaseTitle(at(run.reports, index + 1).path)}</summary>${figure}${inner}</details>\n`,
    null,
  );
  return html`<h3>${number(run.nodes)} nodes${sizeText(run.scale, ', ', number)}, ${formatPercent(run.bw)} bandwidth: ${seconds(run.seconds)} per ${noun}</h3>
<p class="small">Each line is what one change alone would save: they overlap, so they do not add up.</p>
<ol class="issues">${run.issues.map((issue) => html`<li>${issue}</li>`)}</ol>
${top ?? null}${drill}${folded('Usage of its resources', grid(run.attributions.map((one) => attributionFigure(one, types))))}`;
}

/** What the meanings of keys are called beside a path. */
const LABELS: readonly (readonly [name: string, label: string])[] = [
  ['cpu', 'work'],
  ['network', 'waiting for messages'],
  ['waiting', 'waiting for all ranks'],
  ['unexplained', 'between phases'],
];

/** What the wall clock waited for: the critical path of one search drawn, and what paths are made of over nodes and bandwidths. */
function pathPart(data: PathData, inks: PartInks): Markup {
  const { hops, doubtful } = data.doubtful;
  const path = gathered(data, {
    name: 'rest',
    label: 'parts below 1 % each',
    meaning: 'unexplained',
    isExchange: false,
  });
  return html`<h3 id="path">What the wall clock waited for: the critical path</h3>
<p class="lead">Of all chains of work and messages this is the one that the end of a ${data.noun} hung on: in an exchange it goes over to the rank that everybody waited for. Its parts add up to the time of the ${data.noun}.${doubtful > 0 ? ` ${doubtful} of ${hops} rank switches are uncertain: the ranks arrived closer together than the clocks can resolve.` : ''}</p>
${bullets(data.findings.map(({ sentence }) => sentence))}
${data.picture === null ? null : html`<div class="wide">${pathFigure(data.picture, { noun: data.noun, inks, labels: new Map(LABELS) })}</div>`}
${composition(path, {
  inks: shadedInks(path.components, inks),
  words: {
    title: `composition of the critical path of a ${data.noun}`,
    note: 'The critical path, mean of each run. Transfer is time in which the rank slept for messages; work is what it did during communication. Pale bars are forecasts.',
    legendTitle: 'On the path',
    caption: `parts of the critical path of a ${data.noun}, and the least time for the bytes of its transfers at the link's rate`,
  },
  columns: [
    {
      head: 'Least for bytes',
      unit: '%',
      decimals: 0,
      value: (row) => (row.seconds > 0 ? (row.onLink / row.seconds) * 100 : null),
    },
    { head: 'Rank switches', value: (row) => row.hops, decimals: 1 },
  ],
})}`;
}

interface CompositionOptions<Row> {
  readonly inks: Pick<PartInks, 'of'>;
  /** Of the bars, and the caption of the table of runs. */
  readonly words: Readonly<Record<'title' | 'note' | 'legendTitle' | 'caption', string>>;
  /** Of that table, behind the shares. */
  readonly columns: readonly PageColumn<Row>[];
}

/**
 * What times are made of: bars over nodes at the highest and the lowest bandwidth, every run, what is forecast. The largest scale is
 * open, and the others are folded.
 */
function composition<Row extends Profile['rows'][number]>(
  profile: Omit<Profile, 'rows'> & { readonly rows: readonly Row[] },
  { inks, words: { caption, ...words }, columns }: CompositionOptions<Row>,
): readonly (Markup | null)[] {
  const { rows, components, noun } = profile;
  const bandwidths = ascending(rows.map(({ bw }) => bw)).reverse();
  const shown = bandwidths.filter((_, index) => index === 0 || index === bandwidths.length - 1);
  const [main = 0, ...others] = ascending(rows.map(({ scale }) => scale)).reverse();
  const figures = (scale: number) => grid(shown.map((bw) => componentsFigure(profile, { scale, bw, inks, words })));
  const runs = (scale: number): Markup | null =>
    renderTable<Row>({
      caption: underSize(scale, caption),
      rows: rows.filter((row) => row.scale === scale),
      columns: [
        ...[key.nodes, key.bw, { head: `One ${noun}`, value: (row: Row) => row.seconds, show: seconds }],
        ...components.map(
          ({ label }, index): PageColumn<Row> => ({
            ...{ head: label, unit: '%', decimals: 0 },
            value: ({ parts, seconds: whole }) => (whole > 0 ? (at(parts, index) / whole) * 100 : null),
          }),
        ),
        ...columns,
      ],
    });
  return [
    figures(main),
    folded(`Every run${sizeText(main, ' of ')}`, runs(main)),
    ...others.map((scale) => folded(`The same for scale ${scale}`, figures(scale), runs(scale))),
    forecasts(profile),
  ];
}

function forecasts({ forecasts: rows, components, noun }: Omit<Profile, 'rows'>): Markup | null {
  const show = (value: number | null): string => fixed(value === null ? null : value * 1e3, 1);
  return renderTable({
    caption: `Forecast of each component per ${noun} (with 90 % intervals of redrawn runs), ms`,
    rows,
    columns: [
      ...[key.scale, key.nodes, key.bw],
      ...components.map(({ name, label }) => ({
        head: label,
        text: (row: (typeof rows)[number]) => {
          const { value = null, low = null, high = null } = row.components.find((one) => one.name === name) ?? {};
          return `${show(value)} (${endsText({ low, high }, show, show(null))})`;
        },
      })),
    ],
  });
}

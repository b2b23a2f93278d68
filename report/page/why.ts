import { lastStep } from '../../analysis/index.ts';
import { ascending, at, groupAlike, sizeText, underSize } from '../../base/index.ts';
import type { ReportData, Why, WhyRun } from '../data.ts';
import { attributionFigure, componentsFigure, type PartInks, timelineFigure } from '../figures/index.ts';
import { fixed, number, percent, phaseTitle, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { pathPart } from './path.ts';
import { grid, section } from './section.ts';
import { estimateColumns, folded, key, shareColumns, tableOf } from './table.ts';

const PATH_ALONE = 'The hosts were not sampled, but every run recorded its phases.';

/** Where the time went, by the Grade10 method; null for campaigns that were not sampled. */
export function why({ why: data, path, headings, costliest }: ReportData, inks: PartInks): Markup | null {
  const followed = path === null ? null : pathPart(path, inks);
  if (data === null) {
    return (
      followed && section({ id: 'why', title: headings.why, lead: PATH_ALONE, content: [ranked(costliest), followed] })
    );
  }
  const scales = ascending(data.rows.map(({ scale }) => scale)).reverse();
  const [main = 0, ...otherScales] = scales;
  const bandwidths = ascending(data.rows.map(({ bw }) => bw)).reverse();
  const shown = bandwidths.filter((_, index) => index === 0 || index === bandwidths.length - 1);
  const words = {
    title: `what limits a ${data.noun}`,
    note: 'Mean over ranks; time with several bottlenecks is split evenly. Pale bars are forecasts.',
    legendTitle: 'Limited by',
  };
  const figures = (scale: number): Markup | null =>
    grid(shown.map((bw) => componentsFigure(data, { scale, bw, inks, words })));
  return section({
    id: 'why',
    title: headings.why,
    lead: `Every run recorded its phases and the resource usage of its hosts. The Grade10 method (Hegeman's thesis, chapter 4) attributes this usage to phases and finds bottlenecks. Sending and receiving needs CPU time too, so a ${data.noun} with mostly communication may still be CPU-bound. The model of the program is '${data.model}'.`,
    content: [
      ranked(costliest),
      besides(data.findings, costliest),
      figures(main),
      folded(`Every run${sizeText(main, ' of ')}`, settings(data, main)),
      ...otherScales.map((scale) => folded(`The same for scale ${scale}`, figures(scale), settings(data, scale))),
      takeovers(data),
      forecasts(data),
      followed,
      ...data.runs.map((run) => pictures(run, data, inks)),
      data.warnings.length === 0
        ? null
        : folded(
            'Problems of the traces',
            html`<ul class="rest">${groupAlike(data.warnings).map((warning) => html`<li>${warning}</li>`)}</ul>\n`,
          ),
    ],
  });
}

/** Findings that are not among the costliest already. */
function besides(findings: Why['findings'], costliest: ReportData['costliest']): Markup | null {
  const left = findings.filter(({ sentence }) => !costliest.some((one) => one.sentence === sentence));
  return left.length === 0
    ? null
    : html`<ul class="rest">${left.map(({ sentence }) => html`<li>${sentence}</li>`)}</ul>\n`;
}

/** What costs most by all analyses, the most first; null where one alone says something. */
function ranked(costliest: ReportData['costliest']): Markup | null {
  if (costliest.length === 0) return null;
  return html`<h3>What costs most, by all analyses</h3>
<ol class="issues">${costliest.map(({ by, sentence }) => html`<li>${sentence} <span class="small">(${by})</span></li>`)}</ol>\n`;
}

function settings({ rows, components, noun }: Why, scale: number): Markup {
  return tableOf({
    caption: underSize(scale, `shares of a ${noun}, mean over ranks, and the largest saving`),
    rows: rows.filter((row) => row.scale === scale),
    columns: [
      key.nodes,
      key.bw,
      { head: `One ${noun}`, value: (row) => row.seconds, show: seconds },
      ...shareColumns<Why['rows'][number]>(components),
      { head: 'Largest saving', text: (row) => row.helps },
    ],
  });
}

/** A row per node count, a column per scale. */
function takeovers({ takeovers: all }: Why): Markup | null {
  if (all.every(({ above, below, fitted }) => above === null && below === null && fitted === null)) return null;
  const words = (one: Why['takeovers'][number] | undefined): string => {
    if (one === undefined) return '–';
    const { above, below, fitted } = one;
    const fit = fitted === null ? 'none (forecast)' : `fits: ${percent(fitted)}`;
    if (above === null && below === null) return `not measured (${fit})`;
    if (above === null) return `below ${percent(below)} (${fit})`;
    return below === null ? `above ${percent(above)} (${fit})` : `${percent(above)} to ${percent(below)} (${fit})`;
  };
  const scales = ascending(all.map(({ scale }) => scale));
  return tableOf({
    caption: 'Bandwidth (share of the line rate) below which the network costs more time than the processors',
    rows: ascending(all.map(({ nodes }) => nodes)),
    columns: [
      { head: 'Nodes', value: (nodes) => nodes, decimals: 0, key: true },
      ...scales.map((scale) => ({
        head: scale === 0 ? 'Bandwidth' : `Scale ${scale}`,
        text: (nodes: number) => words(all.find((one) => one.scale === scale && one.nodes === nodes)),
      })),
    ],
  });
}

function forecasts({ forecasts: rows, components, noun }: Why): Markup | null {
  if (rows.length === 0) return null;
  return tableOf({
    caption: `Forecast of each component per ${noun} (with 90 % intervals of redrawn runs), ms`,
    rows,
    columns: [
      key.scale,
      key.nodes,
      key.bw,
      ...estimateColumns<Why['forecasts'][number]>(
        components,
        (row, name) => row.components.find((one) => one.name === name),
        (value) => fixed(value === null ? null : value * 1e3, 1),
      ),
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
  return html`<h3>${number(run.nodes)} nodes${sizeText(run.scale, ', ', number)}, ${percent(run.bw)} bandwidth: ${seconds(run.seconds)} per ${noun}</h3>
<p class="small">Each line is what one change alone would save: they overlap, so they do not add up.</p>
<ol class="issues">${run.issues.map((issue) => html`<li>${issue}</li>`)}</ol>
${top ?? null}${drill}${folded('Usage of its resources', grid(run.attributions.map((one) => attributionFigure(one, types))), sampling(run))}`;
}

function sampling({ sampling: rows }: WhyRun): Markup | null {
  if (rows.length === 0) return null;
  return tableOf({
    caption:
      'Error of samples when measurements are averaged to longer intervals, % of the mean (table 5.11 of the thesis)',
    rows,
    columns: [
      { head: 'Metric', text: ({ metric }) => metric },
      { head: 'Interval', value: ({ intervalSeconds }) => intervalSeconds, show: seconds },
      { head: 'Constant', unit: '%', value: ({ constantPercent }) => constantPercent, decimals: 1 },
      { head: 'Phase-aware', unit: '%', value: ({ phaseAwarePercent }) => phaseAwarePercent, decimals: 1 },
    ],
  });
}

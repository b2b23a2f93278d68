import { type PathBand, UNUSUAL_DEVIATIONS } from '../../analysis/profiles/questions/path-series.ts';
import { at, last } from '../../base/lists.ts';
import { printableLine, shortened } from '../../base/text.ts';
import { type PlottedSeries, seriesFigure } from '../figures/draw-series.ts';
import { number } from '../format.ts';
import { html, type Markup, raw } from '../html.ts';
import { renderSheet } from './sheet.ts';

/** Code paths of a run beside the runs before it. */
interface RegressionsPage {
  /** Key of the run. */
  readonly candidate: string;
  /** How many runs before each run are expected of it. */
  readonly window: number;
  /** What values are: samples, seconds, or `% of all samples`. */
  readonly unit: string;
  readonly bands: readonly PathBand[];
  /** ISO 8601. */
  readonly generatedAt: string;
}

/** Colours of the page's style. */
const INKS = {
  runs: { id: 'runs', colour: 'var(--accent)' },
  mean: { id: 'mean', colour: 'var(--use-0)' },
  candidate: { id: 'candidate', colour: 'var(--warn)' },
} as const;

/** A page with a plot of each code path over the runs, and the band in which it was expected (Lundberg and Rettig 2024, appendix B). */
export function renderRegressions(page: RegressionsPage): string {
  const { candidate, window, bands, generatedAt } = page;
  const title = `Code paths of ${printableLine(candidate)}`;
  const lead = `The band is ${UNUSUAL_DEVIATIONS} standard deviations around the mean of up to ${window} runs before each run.`;
  return renderSheet(
    { title, generatedAt, css: raw('') },
    html`<p class="kicker">Call-stack profiles</p><h1>${title}</h1><main>
<p class="lead">${lead}</p>
${bands.length === 0 ? html`<p class="missing">No code path lies outside its band.</p>` : null}
<div class="grid">${bands.map((band) => bandFigure(band, page))}</div></main>`,
  );
}

/** Longer names of code paths are no title. */
const LONGEST = 90;

function bandFigure({ codePath, points }: PathBand, { unit, candidate }: RegressionsPage): Markup {
  const end = last(points);
  // Runs are counted back from the candidate: their names may be long, and their times uneven.
  const at0 = points.length - 1;
  const dots = points.map(({ run, value }, place) => ({
    ...{ x: place - at0, y: value },
    tip: `${printableLine(run)}: ${number(value)} ${unit}`,
  }));
  const mean = points.flatMap(({ expected, std }, place) => {
    if (expected === null || std === null) return [];
    const reach = UNUSUAL_DEVIATIONS * std;
    return [{ x: place - at0, y: expected, low: expected - reach, high: expected + reach }];
  });
  const series: readonly PlottedSeries[] = [
    { ink: INKS.mean, label: 'mean', line: mean },
    { ink: INKS.runs, label: 'runs', dots: dots.slice(0, -1), line: dots.map(({ x, y }) => ({ x, y })) },
    { ink: INKS.candidate, label: 'candidate', dots: [at(dots, at0)], symbol: 'circle' },
  ];
  const expected =
    end.expected === null ? '' : ` ${number(end.expected)} ${unit} expected, ${number(end.value)} in the candidate.`;
  return seriesFigure({
    title: shortened(printableLine(codePath), LONGEST),
    note: `A dot per run, ${printableLine(candidate)} last.${expected}`,
    legendTitle: 'Value',
    legend: [{ label: `${UNUSUAL_DEVIATIONS} deviations`, shape: 'band', colour: INKS.mean.colour }],
    x: { label: 'Runs before the candidate, by time' },
    y: { label: `Value (${unit})`, values: mean.map(({ high }) => high) },
    series,
  });
}

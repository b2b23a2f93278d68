import { ascending, last } from '../../base/lists.ts';
import { endsText, sizeText, underSize } from '../../base/units.ts';
import { describeLargest } from '../../modeling/judge/baselines.ts';
import { sizesText } from '../answers/answer-causes.ts';
import type { ReportData } from '../content/build-report.ts';
import type { FitRow } from '../content/fits.ts';
import type { DominanceRow, ProjectionRow } from '../content/predictions.ts';
import { projectionFigures } from '../figures/draw-scaling.ts';
import { decimalsFor, fixed, formatPercent, NONE, number } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { folded, grid, key, type PageColumn, type PageSection, renderTable } from './render-table.ts';

/** Clusters that nobody has measured, and where communication takes over. */
export const projectionsSection: PageSection = {
  id: 'projections',
  name: 'Larger clusters',
  title: ({ headings }) => headings.projections,
  lead: 'Model predictions for larger clusters. The further from the measured (shaded) range, the less certain.',
  missing: 'There is no fitted model to predict with.',
  content: (report, inks) => {
    const pairs = pairsOf(report);
    // Models without bandwidth are the dashed line of the others; alone they are all there is.
    const aware = pairs.filter((pair) => pair.fit.usesBandwidth);
    const [main, ...others] = aware.length > 0 ? aware : pairs;
    const plain = aware.length > 0 ? pairs.filter((pair) => !pair.fit.usesBandwidth) : [];
    if (main === undefined) return null;
    const figures = (pair: Pair) => grid(projectionFigures(report, { ...pair, inks }));
    return [
      figures(main),
      targets(report, main),
      report.baselines && html`<p>${describeLargest(report.baselines)}</p>\n`,
      ...others.map((one) => folded(underSize(one.scale, `by ${one.fit.title}`), figures(one), targets(report, one))),
      plain.length === 0 ? null : folded('Models without bandwidth', ...plain.map((one) => targets(report, one))),
      dominance(report),
    ];
  },
};

interface Pair {
  readonly fit: FitRow;
  readonly scale: number;
}

/** Bandwidth-aware models first, the largest scale first. */
function pairsOf(report: ReportData): readonly Pair[] {
  return report.fits
    .flatMap((fit) => {
      const scales = report.projections.filter((row) => row.fit === fit.id).map((row) => row.scale);
      return [...new Set(scales)].map((scale) => ({ fit, scale }));
    })
    .sort((a, b) => Number(b.fit.usesBandwidth) - Number(a.fit.usesBandwidth) || b.scale - a.scale);
}

/** Time per node count and bandwidth, and why others have none; a long list of node counts is thinned to some sixteen. */
function targets(report: ReportData, { fit, scale }: Pair): Markup {
  const asked = report.projections.filter((row) => row.fit === fit.id && row.scale === scale);
  const rows = asked.filter(({ nodes }) => asked.some((row) => row.nodes === nodes && row.abstains === null));
  const silent = asked.filter(({ nodes }) => rows.every((row) => row.nodes !== nodes));
  const places = `${sizesText(ascending(silent.map((row) => row.nodes)))}${sizeText(scale, ' and ', number)}`;
  const without = html`<p class="missing" role="note">No prediction by ${fit.title} for ${places}: ${silent[0]?.abstains ?? ''}</p>\n`;
  if (rows.length === 0) return without;
  const bandwidths = ascending(rows.map((row) => row.bw));
  const nodes = ascending(rows.map((row) => row.nodes));
  const step = Math.ceil(nodes.length / 16);
  const shown = nodes.filter((_, index) => (nodes.length - 1 - index) % step === 0);
  const decimals = decimalsFor(rows.map((row) => row.ct));
  const find = (count: number, bw: number) => rows.find((row) => row.nodes === count && row.bw === bw);
  const full = last(bandwidths);
  const columns: readonly PageColumn<number>[] = [
    { ...key.nodes, value: (count) => count },
    ...bandwidths.map(
      (bw): PageColumn<number> => ({
        head: formatPercent(bw),
        value: (count) => answered(find(count, bw))?.ct ?? null,
        show: (ct) => fixed(ct, decimals),
      }),
    ),
    {
      head: `90 % interval at ${formatPercent(full)}`,
      unit: 's',
      text: (count) => {
        const interval = answered(find(count, full))?.interval;
        return interval?.low == null || interval.high === null
          ? NONE
          : endsText(interval, (value) => fixed(value, decimals));
      },
    },
    {
      ...{ head: `at ${formatPercent(full)}`, unit: 'GTEPS', isOptional: true },
      value: (count) => answered(find(count, full))?.gteps ?? null,
    },
  ];
  const caption = `Predicted completion time (s)${sizeText(scale)}: ${fit.title}`;
  return html`${renderTable({ caption, rows: shown, columns })}${silent.length === 0 ? null : without}`;
}

function answered(row: ProjectionRow | undefined): ProjectionRow | undefined {
  return row?.abstains === null ? row : undefined;
}

function dominance({ dominance: rows, fits }: ReportData): Markup | null {
  if (rows.length === 0) return null;
  const titles = new Map(fits.map((fit) => [fit.id, fit.title]));
  return html`<h3>Where communication dominates</h3>
<p>From this node count on, a model's communication time exceeds its parallel work. Communication is everything that grows with the ranks or slows with less bandwidth, including message software. Small measurement errors can shift this number a lot: see its interval.</p>
${renderTable({
  caption: 'Cluster size from which communication dominates',
  rows,
  columns: [
    { head: 'Model', text: (row) => titles.get(row.fit) ?? row.fit },
    key.scale,
    key.bw,
    {
      head: 'Crossover',
      unit: 'nodes',
      value: (row) => row.nodes,
      show: (nodes) => (nodes === null ? 'never' : number(nodes)),
    },
    { head: '90 % interval', unit: 'nodes', text: crossoverEnds },
    { head: 'First runnable size', unit: 'nodes', value: (row) => row.admissibleNodes, decimals: 0 },
  ],
})}`;
}

function crossoverEnds({ interval, within }: DominanceRow): string {
  return interval.low === null ? NONE : endsText(interval, number, `beyond ${number(within)}`);
}

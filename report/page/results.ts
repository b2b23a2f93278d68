import { ascending, at, groupBy } from '../../base/lists.ts';
import { underSize } from '../../base/units.ts';
import type { ReportData } from '../content/build-report.ts';
import type { DemandRow } from '../content/predictions.ts';
import type { CellRow, PointRow } from '../content/statistics.ts';
import { demandFigure } from '../figures/draw-checks.ts';
import { bandwidthFigure, scalesFigure, scalingFigures } from '../figures/draw-scaling.ts';
import { decimalsFor, fixed, formatPercent, NONE, number, plural, signedPercent } from '../format.ts';
import type { Markup } from '../html.ts';
import { folded, grid, key, type PageColumn, type PageSection, renderTable } from './render-table.ts';

/** Completion time over nodes: the largest scale open, the others folded. */
export const scalingSection: PageSection = {
  id: 'scaling',
  name: 'Nodes',
  title: ({ headings }) => headings.scaling,
  lead: 'The problem stays the same and the cluster grows. On logarithmic axes, perfect scaling is a straight line that falls one step per step; where a line becomes flat, more nodes no longer help.',
  missing: 'There is no finished cell to show.',
  content: (report, inks) => {
    const [main, ...others] = scalesOf(report);
    if (main === undefined) return null;
    return [
      grid([...scalingFigures(report, main, inks), scalesFigure(report)]),
      ...others.map((scale) => folded(`The same for scale ${scale}`, grid(scalingFigures(report, scale, inks)))),
      pivot(report, 'Mean completion time (s)', { read: (point) => point.meanCt }),
    ];
  },
};

/** What less bandwidth costs, and how much is needed. */
export const bandwidthSection: PageSection = {
  id: 'bandwidth',
  name: 'Bandwidth',
  title: ({ headings }) => headings.bandwidth,
  lead: 'The network was slowed down on purpose. The slowdown of a run shows how much of the link the program needs.',
  missing: 'Only one bandwidth was measured, so the effect of bandwidth is unknown. Measure more, such as 10..50/10.',
  content: (report, inks) => {
    const [main, ...others] = scalesOf(report);
    if (main === undefined || new Set(report.points.map((point) => point.bw)).size < 2) return null;
    const figures = (scale: number): Markup | null =>
      grid([bandwidthFigure(report, scale, inks), demandFigure(report, scale), demandTable(report, scale)]);
    return [
      figures(main),
      ...others.map((scale) => folded(`The same for scale ${scale}`, figures(scale))),
      pivot(report, 'Increment of completion time against full bandwidth (CTI)', {
        read: (point) => point.ctiPercent,
        show: signedPercent,
      }),
    ];
  },
};

/** All finished cells. */
export function renderCells({ cells, noun }: ReportData): Markup | null {
  if (cells.length === 0) return null;
  return folded(
    `All ${number(cells.length)} finished cells`,
    renderTable({
      caption: `Statistics of the timed ${plural(noun)} of each cell (role drift: the baseline again)`,
      rows: cells,
      columns: [
        key.nodes,
        { head: 'Ranks', value: ({ ranks }) => ranks, decimals: 0 },
        ...[key.scale, key.bw],
        { head: 'Rep', value: ({ rep }) => rep, decimals: 0 },
        { head: 'Role', text: ({ role }) => role },
        ...(cells.some(({ flags }) => flags.length > 0)
          ? [{ head: 'Flags', text: ({ flags }: CellRow) => flags.join(', ') || NONE }]
          : []),
        { head: `Timed ${plural(noun)}`, value: ({ count }) => count, decimals: 0 },
        { head: 'Mean', unit: 's', value: ({ meanCt }) => meanCt },
        { head: 'Median', unit: 's', value: ({ medianCt }) => medianCt },
        { head: 'Least', unit: 's', value: ({ minCt }) => minCt },
        { head: 'Most', unit: 's', value: ({ maxCt }) => maxCt },
        {
          ...{ head: 'Harmonic mean', unit: 'MTEPS' },
          value: ({ harmonicMeanTeps: teps }) => (teps === null ? null : teps / 1e6),
        },
      ],
    }),
  );
}

/** Scales with results, the largest first. */
function scalesOf(report: ReportData): readonly number[] {
  return ascending(report.points.map((point) => point.scale)).reverse();
}

interface Pivoted {
  readonly read: (point: PointRow) => number | null;
  /** Default: with the decimals of the smallest. */
  readonly show?: (value: number | null) => string;
}

/** One row per scale and node count, one column per bandwidth. */
function pivot({ points }: ReportData, caption: string, { read, show }: Pivoted): Markup | null {
  const decimals = decimalsFor(points.map(read));
  return renderTable<readonly PointRow[]>({
    caption,
    // Points come in the order of scale and nodes.
    rows: groupBy(points, (point) => `${point.scale} ${point.nodes}`),
    columns: [
      { ...key.scale, value: (group) => at(group, 0).scale },
      { ...key.nodes, value: (group) => at(group, 0).nodes },
      ...ascending(points.map((point) => point.bw)).map((bw) => ({
        head: formatPercent(bw),
        value: (group: readonly PointRow[]) => {
          const point = group.find((one) => one.bw === bw);
          return point === undefined ? null : read(point);
        },
        show: show ?? ((ct: number | null) => fixed(ct, decimals)),
      })),
    ],
  });
}

function demandTable(report: ReportData, scale: number): Markup | null {
  const demand = report.demand.filter((row) => row.scale === scale);
  return renderTable<readonly DemandRow[]>({
    caption: underSize(scale, 'bandwidth needed (% of line rate) per accepted increment'),
    rows: groupBy(demand, (row) => `${row.nodes} ${row.source}`),
    columns: [
      { ...key.nodes, value: (group) => at(group, 0).nodes },
      { head: 'Source', text: (group) => (at(group, 0).source === 'fit' ? 'model' : 'measured') },
      ...ascending(demand.map((row) => row.ctiPercent)).map((level): PageColumn<readonly DemandRow[]> => {
        const find = (group: readonly DemandRow[]) => group.find((row) => row.ctiPercent === level);
        return {
          ...{ head: `+${formatPercent(level)}`, decimals: 1 },
          value: (group) => find(group)?.bw ?? null,
          mark: (group) => (find(group)?.atMost ? '≤ ' : ''),
        };
      }),
    ],
  });
}

import { ascending, at, groupBy } from '../../base/lists.ts';
import { underSize } from '../../base/units.ts';
import type { ReportData } from '../content/build-report.ts';
import type { DemandRow } from '../content/predictions.ts';
import type { PointRow } from '../content/statistics.ts';
import { demandFigure } from '../figures/draw-checks.ts';
import { bandwidthFigure, scalesFigure, scalingFigures } from '../figures/draw-scaling.ts';
import type { Inks } from '../figures/inks.ts';
import { decimalsFor, fixed, formatPercent, number, plural, signedPercent } from '../format.ts';
import type { Markup } from '../html.ts';
import { folded, grid, key, missing, type PageColumn, renderTable, section } from './render-table.ts';

/** Completion time over nodes: the largest scale open, the others folded. */
export function renderScaling(report: ReportData, inks: Inks): Markup {
  const [main, ...others] = scalesOf(report);
  const content =
    main === undefined
      ? [missing(report, 'scaling')]
      : [
          grid([...scalingFigures(report, main, inks), scalesFigure(report)]),
          ...others.map((scale) => folded(`The same for scale ${scale}`, grid(scalingFigures(report, scale, inks)))),
          pivot(report, 'Mean completion time (s)', (point) => point.meanCt),
        ];
  return section({
    id: 'scaling',
    title: report.headings.scaling,
    lead: 'The problem stays the same and the cluster grows. On logarithmic axes, perfect scaling is a straight line that falls one step per step; where a line becomes flat, more nodes no longer help.',
    content,
  });
}

/** What less bandwidth costs, and how much is needed. */
export function renderBandwidth(report: ReportData, inks: Inks): Markup {
  const scales = scalesOf(report);
  const throttled = new Set(report.points.map((point) => point.bw)).size > 1;
  const [main, ...others] = scales;
  const figures = (scale: number) => [
    bandwidthFigure(report, scale, inks),
    demandFigure(report, scale),
    demandTable(report, scale),
  ];
  return section({
    id: 'bandwidth',
    title: report.headings.bandwidth,
    lead: 'The network was slowed down on purpose. The slowdown of a run shows how much of the link the program needs.',
    content:
      throttled && main !== undefined
        ? [
            grid(figures(main)),
            ...others.map((scale) => folded(`The same for scale ${scale}`, grid(figures(scale)))),
            pivot(
              report,
              'Increment of completion time against full bandwidth (CTI)',
              (point) => point.ctiPercent,
              signedPercent,
            ),
          ]
        : [missing(report, 'bandwidth')],
  });
}

/** All finished cells. */
export function renderCells(report: ReportData): Markup | null {
  if (report.cells.length === 0) return null;
  return folded(
    `All ${number(report.cells.length)} finished cells`,
    renderTable({
      caption: `Statistics of the timed ${plural(report.noun)} of each cell (role drift: the baseline again)`,
      rows: report.cells,
      columns: [
        key.nodes,
        { head: 'Ranks', value: (row) => row.ranks, decimals: 0 },
        key.scale,
        key.bw,
        { head: 'Rep', value: (row) => row.rep, decimals: 0 },
        { head: 'Role', text: (row) => row.role },
        { head: `Timed ${plural(report.noun)}`, value: (row) => row.count, decimals: 0 },
        { head: 'Mean', unit: 's', value: (row) => row.meanCt },
        { head: 'Median', unit: 's', value: (row) => row.medianCt },
        { head: 'Least', unit: 's', value: (row) => row.minCt },
        { head: 'Most', unit: 's', value: (row) => row.maxCt },
        {
          head: 'Harmonic mean',
          unit: 'MTEPS',
          value: (row) => (row.harmonicMeanTeps === null ? null : row.harmonicMeanTeps / 1e6),
        },
      ],
    }),
  );
}

/** Scales with results, the largest first. */
function scalesOf(report: ReportData): readonly number[] {
  return ascending(report.points.map((point) => point.scale)).reverse();
}

/** One row per scale and node count, one column per bandwidth. */
function pivot(
  report: ReportData,
  caption: string,
  read: (point: PointRow) => number | null,
  show?: (value: number | null) => string,
): Markup | null {
  const bandwidths = ascending(report.points.map((point) => point.bw));
  const decimals = decimalsFor(report.points.map(read));
  // Points come in the order of scale and nodes.
  const rows = groupBy(report.points, (point) => `${point.scale} ${point.nodes}`);
  const columns: readonly PageColumn<readonly PointRow[]>[] = [
    { ...key.scale, value: (group) => at(group, 0).scale },
    { head: 'Nodes', value: (group) => at(group, 0).nodes, decimals: 0, key: true },
    ...bandwidths.map((bw): PageColumn<readonly PointRow[]> => {
      const value = (group: readonly PointRow[]): number | null => {
        const point = group.find((one) => one.bw === bw);
        return point === undefined ? null : read(point);
      };
      return { head: formatPercent(bw), value, show: show ?? ((ct) => fixed(ct, decimals)) };
    }),
  ];
  return rows.length === 0 ? null : renderTable({ caption, rows, columns });
}

function demandTable(report: ReportData, scale: number): Markup | null {
  const demand = report.demand.filter((row) => row.scale === scale);
  if (demand.length === 0) return null;
  const levels = ascending(demand.map((row) => row.ctiPercent));
  const rows = groupBy(demand, (row) => `${row.nodes} ${row.source}`);
  return renderTable({
    caption: underSize(scale, 'bandwidth needed (% of line rate) per accepted increment'),
    rows,
    columns: [
      { head: 'Nodes', value: (group) => at(group, 0).nodes, decimals: 0, key: true },
      { head: 'Source', text: (group) => (at(group, 0).source === 'fit' ? 'model' : 'measured') },
      ...levels.map((level): PageColumn<readonly DemandRow[]> => {
        const find = (group: readonly DemandRow[]) => group.find((row) => row.ctiPercent === level);
        return {
          head: `+${formatPercent(level)}`,
          decimals: 1,
          value: (group) => find(group)?.bw ?? null,
          mark: (group) => (find(group)?.atMost ? '≤ ' : ''),
        };
      }),
    ],
  });
}

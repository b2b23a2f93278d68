import type { BottleneckReport, Stretch } from '../../analysis/pictures/bottleneck-report.ts';
import { percent, phaseTitle, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { type Box, type Lane, lanesFigure } from './draw-lanes.ts';
import type { PartInks } from './part-inks.ts';

/** Subphases beyond this many are left out, and that is said. */
const MOST = 40;

/** The bottleneck report of one phase (figure 4.11 of the thesis): three groups of plots over one axis of time. */
export function timelineFigure(
  report: BottleneckReport,
  { inks, labels }: { readonly inks: PartInks; readonly labels: ReadonlyMap<string, string> },
): Markup {
  const title = phaseTitle(report.path);
  const outline = { from: 0, to: report.seconds };
  const boxes = (stretches: readonly Stretch[]): readonly Box[] =>
    stretches.flatMap(({ from, to, groups }) =>
      groups.map((group, index) => {
        const [low, high] = [1 - (index + 1) / groups.length, 1 - index / groups.length];
        return { from, to, low, high, fill: inks.of(group) };
      }),
    );
  const resources = report.resources.map(
    ({ label, group, percent: share, stretches }, index): Lane => ({
      ...{ heading: index === 0 ? 'By resource' : undefined, name: label, outline },
      note: percent(Math.round(share)),
      boxes: stretches
        .filter((one) => one.share > 0)
        .map(({ from, to, share: high }) => ({ from, to, high, fill: inks.of(group) })),
    }),
  );
  const subphases = report.subphases.slice(0, MOST).map(
    ({ name, from, to, stretches }, index): Lane => ({
      ...{ heading: index === 0 ? 'By subphase' : undefined, name: phaseTitle(name) },
      ...{ outline: { from, to }, boxes: boxes(stretches) },
    }),
  );
  const groups = [...new Set(report.resources.map(({ group }) => group))];
  const hidden = report.subphases.length - subphases.length;
  return lanesFigure({
    title: `${title}: ${seconds(report.seconds)}`,
    note: `Coloured: bottlenecked. Several colours in one row are simultaneous bottlenecks. By resource, the height is the share of ranks.${hidden > 0 ? ` ${hidden} further subphases are not drawn.` : ''}`,
    legendTitle: 'Limited by',
    legend: groups.map((group) => ({
      ...{ label: labels.get(group) ?? group, shape: 'band', colour: inks.of(group), solid: true },
    })),
    seconds: report.seconds,
    lanes: [{ heading: 'Overview', name: title, outline, boxes: boxes(report.overview) }, ...resources, ...subphases],
  });
}

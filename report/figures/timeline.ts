import type { BottleneckReport, Stretch } from '../../analysis/index.ts';
import { percent, phaseTitle, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { figure } from './figure.ts';
import type { PartInks } from './parts.ts';
import { drawing, round, type TimeScale, timeAxis, timeScale } from './svg.ts';

const WIDTH = 1080;
const [LEFT, RIGHT] = [190, WIDTH - 64];
const ROW = { height: 15, gap: 5 };
const HEAD = 26;
/** Subphases beyond this many are left out, and that is said. */
const MOST = 40;

/** The bottleneck report of one phase (figure 4.11 of the thesis): three groups of plots over one axis of time. */
export function timelineFigure(
  report: BottleneckReport,
  { inks, labels }: { readonly inks: PartInks; readonly labels: ReadonlyMap<string, string> },
): Markup {
  const scale = timeScale(report.seconds, { left: LEFT, right: RIGHT });
  const title = phaseTitle(report.path);
  const subphases = report.subphases.slice(0, MOST);
  const rows: Markup[] = [];
  let top = 4;
  const heading = (text: string): void => {
    rows.push(html`<text x="0" y="${top + 16}" fill="currentColor" font-weight="600">${text}</text>`);
    top += HEAD;
  };
  const row = (draw: (y: number) => Markup): void => {
    rows.push(draw(top));
    top += ROW.height + ROW.gap;
  };
  heading('Overview');
  row((y) => band(scale, { y, from: 0, to: report.seconds, stretches: report.overview, inks, name: title }));
  heading('By resource');
  for (const resource of report.resources) {
    const ink = inks.of(resource.group);
    row(
      (y) =>
        html`${nameOf(resource.label, y)}${outline(scale, { y, from: 0, to: report.seconds })}${resource.stretches.map(
          ({ from, to, share }) =>
            share > 0
              ? html`<rect x="${scale.x(from)}" y="${round(y + ROW.height * (1 - share))}" width="${round(scale.x(to) - scale.x(from))}" height="${round(ROW.height * share)}" fill="${ink}"/>`
              : null,
        )}<text x="${RIGHT + 6}" y="${y + 12}" fill="currentColor">${percent(Math.round(resource.percent))}</text>`,
    );
  }
  heading('By subphase');
  for (const subphase of subphases) {
    row((y) => band(scale, { y, ...subphase, inks, name: phaseTitle(subphase.name) }));
  }
  const groups = [...new Set(report.resources.map(({ group }) => group))];
  const hidden = report.subphases.length - subphases.length;
  return figure({
    scrolls: true,
    title: `${title}: ${seconds(report.seconds)}`,
    note: `Coloured: bottlenecked. Several colours in one row are simultaneous bottlenecks. By resource, the height is the share of ranks.${hidden > 0 ? ` ${hidden} further subphases are not drawn.` : ''}`,
    legendTitle: 'Limited by',
    legend: groups.map((group) => ({
      label: labels.get(group) ?? group,
      shape: 'band' as const,
      colour: inks.of(group),
      solid: true,
    })),
    drawing: drawing({ width: WIDTH, height: top + 40, label: `Bottlenecks of ${title} over time` }, [
      timeAxis(scale, { top: 4, bottom: top }),
      ...rows,
    ]),
  });
}

function band(
  scale: TimeScale,
  {
    y,
    from,
    to,
    stretches,
    inks,
    name,
  }: {
    readonly y: number;
    readonly from: number;
    readonly to: number;
    readonly stretches: readonly Stretch[];
    readonly inks: PartInks;
    readonly name: string;
  },
): Markup {
  return html`${nameOf(name, y)}${outline(scale, { y, from, to })}${stretches.flatMap((stretch) => {
    const height = ROW.height / Math.max(1, stretch.groups.length);
    return stretch.groups.map(
      (group, index) =>
        html`<rect x="${scale.x(stretch.from)}" y="${round(y + index * height)}" width="${round(scale.x(stretch.to) - scale.x(stretch.from))}" height="${round(height)}" fill="${inks.of(group)}"/>`,
    );
  })}`;
}

function nameOf(name: string, y: number): Markup {
  return html`<text x="${LEFT - 10}" y="${y + 12}" text-anchor="end" fill="currentColor">${name.length > 28 ? `${name.slice(0, 27)}…` : name}</text>`;
}

/** The start and end of a phase. */
function outline(
  { x }: TimeScale,
  { y, from, to }: { readonly y: number; readonly from: number; readonly to: number },
): Markup {
  return html`<rect x="${x(from)}" y="${y}" width="${round(Math.max(0.5, x(to) - x(from)))}" height="${ROW.height}" fill="var(--page)" stroke="currentColor" stroke-opacity=".45" stroke-width=".8"/>`;
}

import { ascending } from '../../base/lists.ts';
import { endsText, sizeText, underSize } from '../../base/units.ts';
import { componentsFigure, type Profile } from '../figures/components.ts';
import type { PartInks } from '../figures/inks.ts';
import { fixed, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { folded, grid, key, type PageColumn, renderTable, shareColumns } from './render-table.ts';

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
export function composition<Row extends Profile['rows'][number]>(
  profile: Omit<Profile, 'rows'> & { readonly rows: readonly Row[] },
  { inks, words: { caption, ...words }, columns }: CompositionOptions<Row>,
): readonly (Markup | null)[] {
  const { rows, components, noun } = profile;
  const bandwidths = ascending(rows.map(({ bw }) => bw)).reverse();
  const shown = bandwidths.filter((_, index) => index === 0 || index === bandwidths.length - 1);
  const [main = 0, ...others] = ascending(rows.map(({ scale }) => scale)).reverse();
  const figures = (scale: number) => grid(shown.map((bw) => componentsFigure(profile, { scale, bw, inks, words })));
  const runs = (scale: number): Markup =>
    renderTable<Row>({
      caption: underSize(scale, caption),
      rows: rows.filter((row) => row.scale === scale),
      columns: [
        ...[key.nodes, key.bw, { head: `One ${noun}`, value: (row: Row) => row.seconds, show: seconds }],
        ...shareColumns<Row>(components),
        ...columns,
      ],
    });
  return [
    figures(main),
    folded(`Every run${sizeText(main, ' of ')}`, runs(main)),
    ...others.map((scale) => folded(`The same for scale ${scale}`, figures(scale), runs(scale))),
    profile.forecasts.length === 0 ? null : forecasts(profile),
  ];
}

function forecasts({ forecasts: rows, components, noun }: Omit<Profile, 'rows'>): Markup {
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

import { at, last } from '../../base/lists.ts';
import { endsText, sizeText } from '../../base/units.ts';
import { formula } from '../../modeling/forms/form.ts';
import { models } from '../../modeling/forms/models.ts';
import type { FittedEquation, RowsData } from '../content/build-rows.ts';
import {
  curveFigure,
  DOTS,
  projectionFigure,
  type RowsInks,
  rowsBandwidthFigure,
  rowsDemandFigure,
  scalesOf,
  scatterFigure,
  strongScaling,
} from '../figures/draw-rows.ts';
import { formatPercent, list, NONE, number, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { renderHead } from './answer.ts';
import { folded, grid, key, type PageColumn, renderTable, section } from './render-table.ts';

/** Figures 2 to 8 and Tables I to V of the paper, of other rows. */
export function renderRows(data: RowsData, inks: RowsInks): Markup {
  const { title, generatedAt, sources, rows, ranksPerNode, scale } = data;
  const head = renderHead(
    { kicker: 'Models of measured rows', title, generatedAt },
    html`<p>Figures 2 to 8 and Tables I to V of Medya et al., “Predictive Modeling and Scalability Analysis for Large Graph Analytics”, redrawn.</p>
<p class="small">${number(rows)} rows of ${list(sources)}. x is the number of ranks, ${number(ranksPerNode)} per node. Where a figure shows one scale it is ${number(scale)}. Intervals hold 90 %.</p>\n`,
  );
  return html`${head}
<main>
${measuredSection(data, inks)}${modelsSection(data, inks)}${baseSection(data, inks)}${refinedSection(data, inks)}${projectionsSection(data, inks)}</main>`;
}

function measuredSection(data: RowsData, inks: RowsInks): Markup {
  const { cells, missing } = data;
  const full = cells.filter(({ bw }) => bw === 100);
  return section({ id: 'measured', title: 'Measured times', lead: DOTS }, [
    full.length === 0
      ? lacking('Figure 2', 'Needs rows at 100 % bandwidth.')
      : grid((['linear', 'log'] as const).map((type) => strongScaling(full, type, inks))),
    grid([rowsBandwidthFigure(data, inks), data.demands.length === 0 ? null : rowsDemandFigure(data, inks)]),
    data.demands.length === 0 ? lacking('Figure 3 (b)', missing.demands) : null,
  ]);
}

/** The models, and what Eq 3 and Eq 5 say of slower links. */
function modelsSection(data: RowsData, inks: RowsInks): Markup {
  const { fits, missing, cells, scale } = data;
  const [throttled] = fits.throttled;
  const bw = throttled === undefined ? '' : ` at ${formatPercent(at(throttled.bw, 0))}`;
  const others = scalesOf(fits.eq5.map(({ scales }) => ({ scale: at(scales, 0) }))).filter((one) => one !== scale);
  const curves = (one: number): Markup =>
    curveFigure(
      fits.eq5.filter(({ scales }) => scales.includes(one)),
      { cells, scale: one, inks },
    );
  const hasCurves = fits.eq5.some(({ scales }) => scales.includes(scale));
  return section(
    { id: 'models', title: 'Models', lead: 'What each equation varies, and what Eq 3 and Eq 5 make of slower links.' },
    [
      renderTable({ caption: 'Table I: the models', rows: MODELS, columns: modelColumns(data) }),
      grid([
        throttled === undefined
          ? null
          : scatterFigure(`Figure 4 (a): Eq 3${bw}`, { fits: fits.throttled, cells, by: 'scale', inks }),
        hasCurves ? curves(scale) : null,
      ]),
      throttled === undefined ? lacking('Figure 4 (a)', missing.throttled) : null,
      hasCurves ? null : lacking('Figure 4 (b)', missing.eq5),
      others.length === 0 ? null : folded('Eq 5 at other scales', grid(others.map(curves))),
      equationTable('Eq 3 on a slower link', fits.throttled),
      fits.eq5.length === 0
        ? null
        : folded('Eq 5: constants', equationTable('Eq 5 per scale and node count', fits.eq5)),
    ],
  );
}

/** Eq 2 and Eq 3: full bandwidth. */
function baseSection({ fits, missing, cells }: RowsData, inks: RowsInks): Markup {
  const largest = fits.eq2.at(-1);
  const size = largest === undefined ? '' : sizeText(at(largest.scales, 0));
  return section({ id: 'base', title: 'Base models, at 100 % bandwidth', lead: SCATTER }, [
    equationTable('Table II: Eq 2 per scale, and Eq 3', [...fits.eq2, ...fits.eq3]),
    grid([
      largest === undefined
        ? null
        : scatterFigure(`Figure 5 (a): Eq 2${size}`, { fits: [largest], cells, by: 'nodes', inks }),
      fits.eq3.length === 0 ? null : scatterFigure('Figure 5 (b): Eq 3', { fits: fits.eq3, cells, by: 'scale', inks }),
    ]),
    fits.eq2.length === 0 ? lacking('Table II and Figure 5 (a)', missing.eq2) : null,
    fits.eq3.length === 0 ? lacking('Figure 5 (b)', missing.eq3) : null,
  ]);
}

/** Eq 6 and Eq 7: with bandwidth. */
function refinedSection({ fits, missing, cells, scale }: RowsData, inks: RowsInks): Markup {
  const one = fits.eq6.find(({ scales }) => scales.includes(scale));
  const widest = fits.eq7.slice(-1);
  return section({ id: 'refined', title: 'Refined models, with bandwidth', lead: SCATTER }, [
    equationTable('Table III: Eq 6 per scale', fits.eq6),
    equationTable('Table IV: Eq 7 per range of scales', fits.eq7),
    grid([
      one === undefined
        ? null
        : scatterFigure(`Figure 6 (a): Eq 6${sizeText(scale)}`, { fits: [one], cells, by: 'nodes', inks }),
      widest.length === 0 ? null : scatterFigure('Figure 6 (b): Eq 7', { fits: widest, cells, by: 'scale', inks }),
    ]),
    one === undefined ? lacking('Table III and Figure 6 (a)', missing.eq6) : null,
    widest.length === 0 ? lacking('Table IV and Figure 6 (b)', missing.eq7) : null,
  ]);
}

const PAIRS = [
  { figure: 'Figure 7', ideal: 'eq2', refined: 'eq6', names: 'Eq 2 and Eq 6' },
  { figure: 'Figure 8', ideal: 'eq3', refined: 'eq7', names: 'Eq 3 and Eq 7' },
] as const;

function projectionsSection(data: RowsData, inks: RowsInks): Markup {
  const { projections, dominance, missing, scale } = data;
  const lead =
    'Bands: 90 % intervals. “Ideal” knows no bandwidth; the others are the refined model on links of so much of the measured one.';
  const figures = PAIRS.map(({ figure, ideal, refined, names }) => {
    const own = projections.filter(({ model }) => model === ideal || model === refined);
    const lost = [ideal, refined].flatMap((model) => (own.some((one) => one.model === model) ? [] : [missing[model]]));
    if (own.length === 0) return lacking(figure, lost[0]);
    const title = `${names}${sizeText(scale)}`;
    return html`${grid([
      own.some(({ gteps }) => gteps !== null)
        ? projectionFigure(`${figure} (a): GTEPS by ${title}`, { own, ideal, inks, of: 'gteps' })
        : null,
      projectionFigure(`${figure} (b): time by ${title}`, { own, ideal, inks, of: 'ct' }),
    ])}${lost.map((why) => lacking(`The rest of ${figure}`, why))}`;
  });
  return section({ id: 'projections', title: 'Larger clusters', lead }, [
    ...figures,
    renderTable<RowsData['dominance'][number]>({
      caption: `Table V: nodes from which communication dominates${sizeText(scale)}`,
      rows: dominance,
      columns: [
        { head: 'Model', text: ({ model }) => nameOf(model) },
        { head: 'Bandwidth', unit: '%', value: ({ bw }) => bw, decimals: 0 },
        { head: 'Nodes', value: ({ nodes }) => nodes.value, decimals: 1 },
        { head: 'Interval', text: ({ nodes }) => endsText(nodes, (count) => count.toFixed(1)), isNumber: true },
        { head: 'Next that can run', value: ({ admissibleNodes }) => admissibleNodes.value, decimals: 0 },
        { head: 'Interval', text: ({ admissibleNodes }) => endsText(admissibleNodes, String), isNumber: true },
      ],
    }),
    dominance.length === 0 ? lacking('Table V', missing.projections) : null,
    projections.length === 0 ? null : folded('Projections in numbers', projectionTable(projections)),
  ]);
}

function projectionTable(projections: RowsData['projections']): Markup | null {
  return renderTable<RowsData['projections'][number]>({
    caption: 'Projections',
    rows: projections,
    columns: [
      { head: 'Model', text: ({ model }) => nameOf(model) },
      ...[key.nodes, key.bw],
      { head: 'CT', text: ({ ct }) => seconds(ct.value), isNumber: true },
      { head: 'Interval', text: ({ ct }) => endsText(ct, seconds), isNumber: true },
      { head: 'GTEPS', value: ({ gteps }) => gteps?.value ?? null },
    ],
  });
}

const SCATTER = 'On the diagonal a prediction is what was measured.';

function lacking(what: string, why = 'Needs other rows.'): Markup {
  return html`<p class="missing" role="note">${what}: ${why}</p>\n`;
}

const MODELS = [
  { model: 'eq2', varies: 'n', fixed: 'bw, D', trains: 'CT, n' },
  { model: 'eq3', varies: 'n, D', fixed: 'bw', trains: 'CT, n, D' },
  { model: 'eq5', varies: 'bw, α', fixed: 'n, D', trains: 'CT, bw' },
  { model: 'eq6', varies: 'n, bw, α', fixed: 'D', trains: 'CT, n, bw' },
  { model: 'eq7', varies: 'n, D, bw, α', fixed: NONE, trains: 'CT, n, D, bw' },
] as const;

function modelColumns({ fits }: RowsData): PageColumn<(typeof MODELS)[number]>[] {
  return [
    { head: 'Model', text: ({ model }) => nameOf(model) },
    { head: 'CT =', text: ({ model }) => formula(models[model]).replace('CT = ', '') },
    { head: 'Varies', text: ({ varies }) => varies },
    { head: 'Fixed', text: ({ fixed }) => fixed },
    { head: 'Predicts', text: () => 'CT' },
    { head: 'Trained on', text: ({ trains }) => trains },
    { head: 'Rows', unit: 'at most', value: ({ model }) => Math.max(0, ...fits[model].map(({ rows }) => rows)) },
  ];
}

/** Constants, with intervals, and how well they describe their rows. */
function equationTable(caption: string, rows: readonly FittedEquation[]): Markup | null {
  const names = [...new Set(rows.flatMap(({ constants }) => Object.keys(constants)))];
  return renderTable<FittedEquation>({
    caption,
    rows,
    columns: [
      { head: 'Model', text: ({ model }) => nameOf(model) },
      { head: 'Scale', text: ({ scales }) => spread(scales), isNumber: true },
      { head: 'Nodes', text: ({ nodes }) => spread(nodes), isNumber: true },
      { head: 'Bandwidth', unit: '%', text: ({ bw }) => spread(bw), isNumber: true },
      ...names.flatMap((name): PageColumn<FittedEquation>[] => [
        { head: name === 'alpha' ? 'α' : name, value: ({ constants }) => constants[name]?.value ?? null },
        {
          head: 'Interval',
          text: ({ constants }) => {
            const one = constants[name];
            return one === undefined ? NONE : endsText(one, number);
          },
          isNumber: true,
        },
      ]),
      { head: 'R²', value: ({ r2 }) => r2, decimals: 4 },
      { head: 'MSE', unit: 's²', value: ({ mse }) => mse },
      { head: 'Rows', value: ({ rows: count }) => count, decimals: 0 },
    ],
  });
}

/** The ends of several values. */
function spread(values: readonly number[]): string {
  return values.length < 3 ? values.join(', ') : `${at(values, 0)} to ${last(values)}`;
}

/** `eq2` -> Eq 2. */
function nameOf(model: string): string {
  return model.replace(/^eq/, 'Eq ');
}

import { ascending } from '../../base/lists.ts';
import { endsText } from '../../base/units.ts';
import { describeSkill } from '../../modeling/judge/baselines.ts';
import type { ReportData } from '../content/build-report.ts';
import type { FitRow } from '../content/fits.ts';
import { checkFigures } from '../figures/draw-checks.ts';
import type { Inks } from '../figures/inks.ts';
import { list, number, signedPercent } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { folded, grid, hasSizes, key, missing, type PageSection, renderTable } from './render-table.ts';

/** The fitted formulas and how far they can be trusted. */
export const modelsSection: PageSection = {
  id: 'models',
  name: 'Models',
  title: ({ headings }) => headings.models,
  lead: 'A model is a short formula whose parameters were fitted to the measurements. A good fit is easy; the real test is to predict cluster sizes that were left out of the training.',
  content: (report, inks) => [
    ...(report.fits.length === 0
      ? [
          missing(
            report,
            'models',
            'No model could be fitted to these cells: most need two node counts, or two bandwidths.',
          ),
        ]
      : [fits(report), formulas(report), constants(report)]),
    comparison(report),
    html`<h3>Predicted, then compared</h3>\n`,
    ...check(report, inks),
  ],
};

function fits({ fits: rows, campaign }: ReportData): Markup | null {
  const names = [...new Set(rows.flatMap((fit) => Object.keys(fit.coefficients)))];
  return renderTable({
    caption: 'Fitted models',
    rows,
    columns: [
      { head: 'Model', text: (fit) => fit.title },
      ...(hasSizes(campaign)
        ? [{ head: 'Scale', text: (fit: FitRow) => (fit.scale === null ? 'all' : number(fit.scale)) }]
        : []),
      ...names.map((name) => ({ head: name, value: (fit: FitRow) => fit.coefficients[name] ?? null, show: number })),
      { head: 'α', value: (fit) => fit.alpha, decimals: 3 },
      ...(rows.some((fit) => fit.alphaAtBound !== undefined)
        ? [{ head: 'α at bound', text: (fit: FitRow) => fit.alphaAtBound ?? 'no' }]
        : []),
      { head: 'R²', value: (fit) => fit.r2, decimals: 3 },
      { head: 'MSE', unit: 's²', value: (fit) => fit.mse, show: number },
      { head: 'Rows', value: (fit) => fit.rows, decimals: 0 },
      {
        ...{ head: 'R²', unit: 'cross-validated', decimals: 3, isOptional: true },
        value: (fit) => fit.crossValidation?.r2 ?? null,
      },
      {
        ...{ head: 'Median error', unit: '%, cross-validated', decimals: 1, isOptional: true },
        value: (fit) => fit.crossValidation?.medianErrorPercent ?? null,
      },
    ],
  });
}

/** The constants of each model that stands by itself, with how sure they are. */
function constants({ fits: rows }: ReportData): Markup | null {
  const all = rows.flatMap((fit) => fit.constants.map((one) => ({ ...one, fit })));
  if (all.length === 0) return null;
  return folded(
    'Uncertainty of the parameters',
    renderTable({
      caption: 'Parameters of the fitted models with 90 % intervals',
      rows: all,
      columns: [
        { head: 'Model', text: ({ fit }) => fit.title },
        { head: 'Scale', text: ({ fit }) => (fit.scale === null ? 'all' : number(fit.scale)) },
        { head: 'Constant', text: ({ name }) => name },
        { head: 'Value', value: ({ value }) => value, show: number },
        { head: 'From', value: ({ low }) => low, show: number },
        { head: 'To', value: ({ high }) => high, show: number },
      ],
    }),
  );
}

/** The forms that competed, the one that is used first of all marked. */
function comparison({ comparison: made }: ReportData): Markup | null {
  if (made === null) return null;
  const left = made.leftOutNodes.length > 0;
  return html`<h3>Which form fits this program</h3>
<p>${made.sentence}</p>
${renderTable({
  caption: left
    ? `Candidate models fitted by relative errors, tested on ${list(made.leftOutNodes)} nodes, which were left out`
    : 'Candidate models fitted by relative errors',
  rows: made.candidates,
  columns: [
    { head: 'Form', text: (row) => (row.chosen ? `${row.title} (chosen)` : row.title) },
    { head: 'Median error', unit: '%', value: (row) => row.medianErrorPercent, decimals: 1 },
    { head: 'BIC', value: (row) => row.bic, decimals: 0 },
    { head: 'Formula', text: (row) => row.formula },
    { head: 'Careful', text: (row) => row.warning ?? '' },
  ],
})}`;
}

function formulas({ fits: rows, campaign }: ReportData): Markup {
  const once = [...new Map(rows.map((fit) => [fit.model, fit])).values()];
  const ranks = [...new Set(rows.map((fit) => fit.ranksPerNode))];
  const bases = [...new Set(rows.filter((fit) => /\bD\b/.test(fit.formula)).map((fit) => fit.baseScale))];
  const size = bases.length === 0 || !hasSizes(campaign) ? '' : ` D: problem size, 2^(scale − ${list(bases)}).`;
  return html`<ul class="formulas">${once.map((fit) => html`<li><span>${fit.title}</span> <code>${fit.formula}</code></li>`)}</ul>
<p class="small">x: number of ranks, ${list(ranks)} per node.${size} bw: available bandwidth in percent.</p>
`;
}

const UNTESTED =
  'Nothing was left out of the training, which needs at least three node counts: the largest is held out.';

function check(report: ReportData, inks: Inks): readonly (Markup | null)[] {
  const held = (report.check?.rows ?? []).filter((row) => row.set === 'heldOut');
  if (report.check === null || held.length === 0) return [missing(report, 'check', UNTESTED)];
  const kept = ascending(held.map((row) => row.nodes));
  const { skill, medianErrorPercent } = report.answers?.trust ?? { skill: null, medianErrorPercent: null };
  const against = skill === null || medianErrorPercent === null ? null : ` ${describeSkill(skill, medianErrorPercent)}`;
  return [
    html`<p>Trained on ${list(report.check.trainedOn)} nodes, then asked for ${list(kept)} nodes.${against}</p>\n`,
    grid(checkFigures(report, inks)),
    folded(
      `All ${number(held.length)} predictions for node counts that were held out`,
      renderTable({
        caption: 'Predictions for node counts that were not used for training',
        rows: held,
        columns: [
          { head: 'Model', text: (row) => row.model },
          key.nodes,
          key.scale,
          key.bw,
          { head: 'Predicted', unit: 's', value: (row) => row.predicted },
          {
            head: '90 % interval',
            unit: 's',
            text: ({ interval }) => (interval === null ? '' : endsText(interval, number, '∞')),
          },
          { head: 'Measured', unit: 's', value: (row) => row.measured },
          { head: 'Error', unit: '%', value: (row) => row.errorPercent, show: signedPercent },
        ],
      }),
    ),
  ];
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../base/paths.ts';
import { html, type Markup, raw } from '../html.ts';
import { section } from '../page/render-table.ts';
import type { PlanData } from './plan-data.ts';

/** The planner of a page: hidden until its script runs, so that a page without scripts has none. */
export function renderPlanner(plan: PlanData): Markup {
  const { start, bandwidths, scales, nodes } = plan;
  const range = (name: string, label: string, [least, most, value]: readonly [number, number, number]): Markup =>
    html`<label>${label} <output name="${name}-text"></output><input type="range" name="${name}" min="${least}" max="${most}" step="1" value="${value}"></label>`;
  const given = (name: string, label: string, value = ''): Markup =>
    html`<label>${label}<input type="number" name="${name}" min="0" step="any" inputmode="decimal" value="${value}" placeholder="none"></label>`;
  const scaleAt = Math.max(0, scales.indexOf(start.scale));
  const content = html`<form class="plan" autocomplete="off">
${range('nodes', 'Nodes', [0, nodes.length - 1, nodes.indexOf(start.nodes)])}
${bandwidths && range('bw', 'Bandwidth', [...bandwidths, start.bw])}
${scales.length < 2 ? null : range('scale', 'Scale', [0, scales.length - 1, scaleAt])}
${given('deadline', 'Deadline, seconds')}
${given('price', 'Price of a node for an hour', start.price === null ? '' : String(start.price))}
${given('linkPrice', 'Price of its link for an hour')}
${given('runs', plan.noun === 'search' ? 'Searches to pay for' : 'Runs to pay for', '1')}
</form>
<dl class="told" aria-live="polite"></dl>
<p class="doubt" role="note" hidden></p>
<figure><figcaption><strong></strong><span></span></figcaption><div class="chart"></div></figure>
<p class="small">The same by the command: <code></code></p>
<script type="application/json">${raw(JSON.stringify(plan).replaceAll('<', '\\u003c'))}</script>
`;
  const text = { id: 'planner', title: 'Plan a cluster', lead: LEAD };
  return raw(section(text, [content]).text.replace('<section ', '<section hidden '));
}

const LEAD =
  'Choose a cluster: the numbers are what the model says of it, with 90 % intervals. The address of this page keeps your settings.';

/** What the page runs: planner.ts, as launch/bundle.mjs makes it for browsers. */
export function readPlannerScript(): string {
  return readFileSync(join(projectRoot(), 'dist', 'program', 'planner.js'), 'utf8');
}

export const plannerStyle: Markup = raw(
  '.plan{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(250px,100%),1fr));gap:14px 28px;margin:14px 0 18px;align-items:end}' +
    '.plan label{display:block;font-size:.84rem;color:var(--soft)}.plan output{float:right;color:var(--ink);font-weight:650;font-variant-numeric:tabular-nums}' +
    '.plan input{display:block;width:100%;margin:6px 0 0;accent-color:var(--accent)}' +
    '.plan input[type=number]{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:5px 9px}' +
    '.told{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(150px,100%),1fr));gap:14px 24px;margin:0 0 16px}' +
    '.told>div{border-top:2px solid var(--accent);padding-top:8px}.told dt{font-size:.84rem;color:var(--soft)}.told dd{margin:0}' +
    '.told .value{font-size:1.4rem;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums}.told .ends{font-size:.84rem;color:var(--soft)}' +
    '#planner .doubt{color:var(--warn)}#planner svg .band{fill:var(--accent);opacity:.16}#planner svg .line{fill:none;stroke:var(--accent);stroke-width:2}' +
    '#planner svg .axis{stroke:var(--line)}#planner svg text{fill:var(--soft);font-size:12px}#planner svg .chosen{stroke:var(--accent);stroke-width:2;fill:var(--accent)}' +
    '#planner svg .measured{fill:var(--card);stroke:var(--ink);stroke-width:1.5}#planner svg .limit{stroke:var(--warn);stroke-dasharray:5 4}' +
    '#planner figure{margin-bottom:12px}#planner code span{white-space:nowrap}@media (max-width:640px){#planner .plan label{display:grid;grid-template-columns:1fr 1fr;gap:0 12px}#planner .plan input[type=range]{grid-column:1/3}}',
);

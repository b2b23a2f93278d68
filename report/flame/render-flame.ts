import type { FlameAnswer, OwnShare } from '../../analysis/profiles/flame/flame-of.ts';
import { printableLine } from '../../base/text.ts';
import { fixed } from '../format.ts';
import { html, type Markup, raw } from '../html.ts';
import { type PageColumn, renderTable } from '../page/render-table.ts';
import { renderSheet } from '../page/sheet.ts';
import { flameDrawing, flameFigure, flameStyle } from './flame-figure.ts';
import { flameScript } from './flame-script.ts';

export interface FlamePage extends Omit<FlameAnswer, 'tree' | 'before'> {
  /** ISO 8601. */
  readonly generatedAt: string;
}

/** So many code paths are in the table. */
const ROWS = 20;

/** A flame graph as a page of its own, with search and zoom where scripts run. */
export function renderFlame(page: FlamePage): string {
  const { against, layout, functions, unit, generatedAt } = page;
  const title = titleOf(page);
  const css = html`${flameStyle}${TOOLS}`;
  const note =
    against === null
      ? 'Callers are above their callees; width is the share of the profile. Point at a box for its numbers.'
      : `Widths are shares of this profile; colours show the change since ${printableLine(against)}. Point at a box for both.`;
  return renderSheet(
    { title, generatedAt, css, script: flameScript },
    html`<p class="kicker">Call-stack profile</p><h1>${title}</h1><main>
<div class="wide-flame">${flameFigure(layout, { title: 'Samples by call path', note, unit })}</div>
${renderTable({ caption: captionOf(against, functions.length), columns: columnsOf(against), rows: functions.slice(0, ROWS) })}</main>`,
  );
}

/** The drawing alone, 1200 pixels wide, as a file that browsers and image viewers show. */
export function renderFlameSvg(page: FlamePage): string {
  const label = titleOf(page);
  const { text } = flameDrawing(page.layout, { label, unit: page.unit, width: '1200' });
  const style = html`<style>${flameStyle}</style>`.text;
  return text.replace(/^<svg [^>]*>/, (start) => `${start}<title>${html`${label}`.text}</title>${style}`);
}

function titleOf({ key, against }: FlamePage): string {
  return against === null ? printableLine(key) : `${printableLine(key)} compared with ${printableLine(against)}`;
}

function captionOf(against: string | null, count: number): string {
  const shown = count > ROWS ? `the first ${ROWS} of ${count} functions` : 'by function';
  return against === null ? `Own shares, ${shown}` : `Changes of own shares, ${shown}`;
}

function columnsOf(against: string | null): readonly PageColumn<OwnShare>[] {
  const name = { head: 'Function', text: (row: OwnShare) => printableLine(row.name) };
  const own = { head: 'Own', unit: '%', decimals: 2, value: (row: OwnShare) => 100 * row.ownShare };
  if (against === null) return [name, own];
  return [
    name,
    { head: 'Before', unit: '%', decimals: 2, value: ({ before }) => (before === null ? null : 100 * before) },
    { ...own, head: 'Here' },
    {
      head: 'Change',
      unit: 'points',
      show: (value) => `${value !== null && value > 0 ? '+' : ''}${fixed(value, 2)}`,
      value: ({ ownShare, before }) => (before === null ? null : 100 * (ownShare - before)),
    },
  ];
}

const TOOLS: Markup = raw(
  '.tools{display:flex;flex-wrap:wrap;align-items:center;gap:8px 14px;margin:4px 0 12px;font-size:.88rem}' +
    '.tools input,.tools button{font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:6px;padding:4px 9px}' +
    '.tools output{color:var(--soft)}.f{cursor:pointer}.f.dim{opacity:.25}.f:hover>rect{stroke:var(--ink);stroke-width:2}' +
    '.wide-flame{margin:0 0 18px}.sheet:has(.wide-flame){max-width:1400px}td:first-child{white-space:normal;overflow-wrap:anywhere}',
);

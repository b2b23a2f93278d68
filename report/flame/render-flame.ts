import type { FlameAnswer, OwnShare } from '../../analysis/profiles/flame/flame-of.ts';
import { printableLine } from '../../base/text.ts';
import { fixed } from '../format.ts';
import { html, type Markup, raw } from '../html.ts';
import { type PageColumn, renderTable } from '../page/render-table.ts';
import { renderSheet } from '../page/sheet.ts';
import { flameDrawing, flameFigure, flameStyle } from './flame-figure.ts';

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

/** Search and zoom for a flame graph where scripts run. Its controls are made here: a page without scripts has none. */
const flameScript = `
const flame = document.querySelector('svg.flame');
const boxes = [...flame.querySelectorAll('.f')].map((element) => ({
  element,
  from: Number(element.dataset.from),
  share: Number(element.dataset.share),
  name: element.querySelector('title').textContent.split('\\n')[0].toLowerCase(),
  text: element.querySelector('text'),
}));
const bar = document.createElement('form');
bar.className = 'tools';
bar.innerHTML = '<label>Search <input type="search" autocomplete="off" spellcheck="false"></label>'
  + '<button type="button" hidden>Whole profile</button><output></output>';
const [field, whole, found] = [bar.querySelector('input'), bar.querySelector('button'), bar.querySelector('output')];
flame.closest('.chart').before(bar);
let [left, width] = [0, 1];

function place() {
  const pixels = flame.clientWidth;
  for (const { element, from, share, text } of boxes) {
    const begin = Math.max(0, (from - left) / width);
    const end = Math.min(1, (from + share - left) / width);
    element.style.display = end - begin > 1e-7 ? '' : 'none';
    element.setAttribute('x', 100 * begin + '%');
    element.setAttribute('width', 100 * Math.max(0, end - begin) + '%');
    text.style.display = (end - begin) * pixels < 26 ? 'none' : 'inline';
  }
  whole.hidden = width === 1;
}

function search() {
  const wanted = field.value.trim().toLowerCase();
  const hits = wanted === '' ? [] : boxes.filter(({ name }) => name.includes(wanted));
  for (const { element, name } of boxes) element.classList.toggle('dim', wanted !== '' && !name.includes(wanted));
  let [sum, until] = [0, 0];
  for (const { from, share } of hits.sort((a, b) => a.from - b.from || b.share - a.share)) {
    sum += Math.max(0, from + share - Math.max(from, until));
    until = Math.max(until, from + share);
  }
  found.textContent = wanted === '' ? '' : hits.length + (hits.length === 1 ? ' box, ' : ' boxes, ') + (100 * sum).toFixed(1) + ' % together';
}

function zoom(to) {
  [left, width] = to ? [to.from, to.share] : [0, 1];
  place();
}

flame.addEventListener('click', (event) => {
  const element = event.target.closest('.f');
  zoom(boxes.find((box) => box.element === element));
});
whole.addEventListener('click', () => zoom());
field.addEventListener('input', search);
bar.addEventListener('submit', (event) => event.preventDefault());
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  field.value = '';
  search();
  zoom();
});
addEventListener('resize', place);
place();
`;

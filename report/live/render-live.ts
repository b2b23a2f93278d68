import { nodesText } from '../../base/units.ts';
import { cellName } from '../../experiments/cell-name.ts';
import { leftText, provedText, standingText } from '../../experiments/store/event-text.ts';
import type {
  Configuration,
  ConfigurationState,
  LiveCell,
  LiveState,
  NewsLine,
} from '../../experiments/store/live-state.ts';
import { NONE, seconds } from '../format.ts';
import { html, type Markup, palette, raw } from '../html.ts';
import { renderSheet, servedPolicy } from '../page/sheet.ts';
import { hostTable, type NamedUse } from './draw-use.ts';

/** What the live page shows at a moment. */
export interface LiveView {
  readonly state: LiveState;
  readonly use: NamedUse | null;
  /** Where the report is: a link, or a command for later; null while there is none. */
  readonly report: { readonly href: string } | { readonly command: string } | null;
}

/** A part of the page that is sent anew as a whole, by the id of its element. */
type LivePart = readonly [id: string, content: string];

/** The parts of the page as they stand, and its title. */
export function liveParts(view: LiveView): { readonly title: string; readonly parts: readonly LivePart[] } {
  const { state } = view;
  const { planned, done } = state.cells;
  const parts: readonly (readonly [string, Markup | null])[] = [
    ['summary', html`${standingText(state)}.`],
    ['progress', progress(state)],
    ['now', facts(view)],
    ['grid', liveGrid(state)],
    ['hosts', hostTable(view.use)],
    ['news', newsList(state.news)],
  ];
  return {
    title: planned === 0 ? state.name : `${done}/${planned} ${state.name}`,
    parts: parts.map(([id, part]) => [id, part?.text ?? '']),
  };
}

const INKS = palette(
  '--done:#2b7a4b;--running:#1d5fb8;--flagged:#a86400;--failed:#b3261e',
  '--done:#6fd199;--running:#86b4ff;--flagged:#ffc266;--failed:#ff9a90',
);
const STATE_INKS = ['done', 'running', 'flagged', 'failed'].map(
  (state) =>
    `td.state.${state}{border-left-color:var(--${state});background:color-mix(in srgb,var(--${state}) 9%,var(--card))}.key-${state}{fill:var(--${state})}`,
);
const css: Markup = raw(`${INKS}${STATE_INKS.join('')}
.bar{display:block;width:100%;height:14px;border-radius:7px;background:var(--line);margin:6px 0}
.bar .done{fill:var(--done)}.bar .running{fill:var(--running)}.bar .failed{fill:var(--failed)}
section{margin-top:30px}.live{margin:0 0 10px}
.live td,.live th[scope=row]{border-top:1px solid var(--line)}.live th[scope=row]{color:var(--ink)}
.live small{display:block;color:var(--soft);font-size:.78rem;font-weight:400}
td.state{border-left:4px solid var(--line);white-space:nowrap;font-variant-numeric:tabular-nums}td.state small{white-space:normal}
.live td,.live th{min-width:0!important}.use td,.use th{vertical-align:middle}.use td>div{display:flex;flex-wrap:wrap;align-items:center;gap:0 12px}
.key-waiting{fill:var(--line)}
.spark{display:block;flex:none;width:clamp(76px,11vw,140px);height:26px;color:var(--running)}.spark path{fill:none;stroke:currentColor;stroke-width:1.5;vector-effect:non-scaling-stroke}
.news{list-style:none;margin:.4em 0;padding:0;font-size:.92rem}.news li{display:flex;gap:12px;padding:4px 0;border-top:1px solid var(--line)}
.news time{flex:none;color:var(--soft);font-variant-numeric:tabular-nums}.news p{margin:0;max-width:none;overflow-wrap:anywhere}
.news .warning p{color:var(--warn)}.news .failed p{color:var(--failed)}
#summary{font-size:1.3rem;font-weight:650;margin:0}#lost{color:var(--warn);font-weight:600}
#now .facts{grid-template-columns:repeat(auto-fill,minmax(min(480px,100%),1fr))}.facts dd small{display:block;color:var(--soft)}
`);

/** Keeps the live page as the server has it: parts come whole, by their ids. Times are shown by the reader's clock. */
const SCRIPT = `
const lost = document.getElementById('lost');
const pad = (value) => String(value).padStart(2, '0');

function lasting(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? hours + ' h ' + pad(minutes) + ' min'
    : minutes > 0 ? minutes + ' min ' + pad(seconds % 60) + ' s' : seconds + ' s';
}

function showTimes() {
  for (const time of document.querySelectorAll('time[data-show]')) {
    const at = new Date(time.dateTime);
    const seconds = Math.round((at - Date.now()) / 1000);
    const { show } = time.dataset;
    const text = show === 'clock' ? at.toLocaleTimeString()
      : show === 'since' ? lasting(Math.max(0, -seconds)) : seconds > 0 ? lasting(seconds) : 'a moment';
    if (time.textContent !== text) time.textContent = text;
  }
}

const source = new EventSource('events' + location.search);
source.onopen = () => { lost.hidden = true; };
source.onerror = () => { lost.hidden = false; };
source.onmessage = ({ data }) => {
  const { title, parts } = JSON.parse(data);
  document.title = title;
  for (const [id, part] of parts) document.getElementById(id).innerHTML = part;
  showTimes();
};
source.addEventListener('end', () => source.close());
showTimes();
setInterval(showTimes, 1000);
`;

const SHEET = {
  css,
  script: SCRIPT,
  footer: html`The page follows the sweep by itself where scripts run; without, load it again. Times without a zone are those of your clock.`,
} as const;

/** What a browser may do on the page, for the head of the answer too. */
export const LIVE_POLICY = servedPolicy({ ...SHEET, title: '', generatedAt: '' });

/** The whole page, as it stands without its script. */
export function renderLive(view: LiveView): string {
  const { title, parts } = liveParts(view);
  const part = new Map(parts.map(([id, content]) => [id, raw(content)]));
  const of = (id: string): Markup => part.get(id) ?? raw('');
  return renderSheet(
    { ...SHEET, title, generatedAt: view.state.at ?? '' },
    html`<header><p class="kicker">Live view of a sweep</p><h1>${view.state.name}</h1></header>
<main>
<p id="lost" role="alert" hidden>The connection to predict is lost: what follows may be old. Trying again ...</p>
<p id="summary" role="status">${of('summary')}</p>
<div id="progress">${of('progress')}</div>
<div id="now">${of('now')}</div>
<section><h2>Configurations</h2>
<div class="table live" role="group" aria-label="Configurations" tabindex="0"><table id="grid">${of('grid')}</table></div>
</section>
<section><h2>Hosts</h2><div id="hosts">${of('hosts')}</div></section>
<section><h2>Notes and retries</h2><div id="news">${of('news')}</div></section>
</main>`,
    LIVE_POLICY,
  );
}

function progress(state: LiveState): Markup {
  const { planned, done, failed, unmeasured } = state.cells;
  const bad = failed + unmeasured;
  const share = (count: number): number => (planned === 0 ? 0 : Math.round((count / planned) * 1e4) / 100);
  const [good, wrong, now] = [share(done - failed), share(bad), share(state.running.length)];
  const bar = html`<svg class="bar" role="img" aria-label="${standingText(state)}"><rect class="done" width="${good}%" height="100%"/><rect class="failed" x="${good}%" width="${wrong}%" height="100%"/><rect class="running" x="${good + wrong}%" width="${now}%" height="100%"/></svg>`;
  if (state.reason !== null) return html`${bar}<p class="small">${state.reason}</p>`;
  if (state.sweep !== 'running') return bar;
  const { secondsLeft, endsAt } = state;
  if (secondsLeft === null || endsAt === null)
    return html`${bar}<p class="small">When it ends is known after the first cell.</p>`;
  return html`${bar}<p class="small">About <time datetime="${endsAt}" data-show="left">${leftText(secondsLeft)}</time> left, until ${clock(endsAt)}.</p>`;
}

/** So many parallel runs are named. */
const NAMED = 3;

function facts({ state, report }: LiveView): Markup {
  const { running, last, next } = state;
  const more = running.length - NAMED;
  const rows: readonly (readonly [string, Markup])[] = [
    ...running.slice(0, NAMED).map((cell) => ['Now', runningCell(cell)] as const),
    ...(more > 0 ? [['', html`and ${more} more in parallel`] as const] : []),
    ...(last === null ? [] : [['Last', lastCell(last)] as const]),
    ...(next === null ? [] : [['Next', html`${cellName(next)}`] as const]),
    ...(report === null ? [] : [['Report', reportFact(report)] as const]),
  ];
  if (rows.length === 0) return raw('');
  return html`<dl class="facts">${rows.map(([term, fact]) => html`<div><dt>${term}</dt><dd>${fact}</dd></div>\n`)}</dl>`;
}

function runningCell({ cell, at, level }: LiveCell): Markup {
  const proof = level === null ? 'Its links are being set and probed, or its program is loading.' : provedText(level);
  return html`${cellName(cell)}, for <time datetime="${at}" data-show="since">some time</time><small>${proof}</small>`;
}

function lastCell({ cell, at, level }: LiveCell): Markup {
  const proof = level === null ? null : html`<small>${provedText(level)}</small>`;
  return html`${cellName(cell)}, ended at ${clock(at)}${proof}`;
}

function reportFact(report: NonNullable<LiveView['report']>): Markup {
  return 'href' in report
    ? html`<a href="${report.href}">answers, models and figures</a>, made when you open it`
    : html`<code>${report.command}</code>; this page's server ended with the sweep`;
}

function newsList(news: readonly NewsLine[]): Markup {
  if (news.length === 0) return html`<p class="missing">None so far.</p>`;
  return html`<ul class="news">${news.map(({ at, tone, text }) => html`<li class="${tone}">${clock(at)}<p>${text}</p></li>\n`)}</ul>`;
}

function clock(iso: string): Markup {
  return html`<time datetime="${iso}" data-show="clock">${iso.slice(11, 19)} UTC</time>`;
}

const STATES: readonly ConfigurationState[] = ['waiting', 'running', 'done', 'flagged', 'failed'];

/** What is inside of the table of configurations: a row for each size, a column for each bandwidth. */
function liveGrid({ bandwidths, rows }: Pick<LiveState, 'bandwidths' | 'rows'>): Markup {
  return html`<caption><span>Median time so far, and repetitions done of planned</span>
<ul class="legend" aria-label="Colours">${STATES.map((state) => html`<li><svg width="12" height="12" aria-hidden="true"><rect class="key-${state}" width="12" height="12" rx="2"/></svg>${state}</li>`)}</ul></caption>
<thead><tr><th scope="col">Size</th>${bandwidths.map((bw) => html`<th scope="col">${bw} %</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ nodes, scale, told, configurations }) =>
      html`<tr><th scope="row">${nodesText(nodes)}${small(scale, told)}</th>${configurations.map(cellOf)}</tr>\n`,
  )}</tbody>`;
}

function small(scale: number, told: string): Markup | null {
  const parts = [...(scale === 0 ? [] : [`scale ${scale}`]), ...(told === '' ? [] : [told])];
  return parts.length === 0 ? null : html`<small>${parts.join(', ')}</small>`;
}

function cellOf(one: Configuration | null): Markup {
  if (one === null) return html`<td class="none">${NONE}</td>`;
  const { state, medianS, done, planned } = one;
  return html`<td class="state ${state}">${medianS === null ? NONE : seconds(medianS)}<small>${done} of ${planned}${wordOf(one)}</small></td>`;
}

/** The colour in words, where the counts do not say it. */
function wordOf({ state, failed }: Configuration): string {
  if (state === 'failed') return `, ${failed} failed`;
  return state === 'running' || state === 'flagged' ? `, ${state}` : '';
}

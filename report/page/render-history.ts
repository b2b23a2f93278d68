import { at } from '../../base/lists.ts';
import { capital } from '../../base/text.ts';
import { endsText } from '../../base/units.ts';
import type { SkippedCampaign } from '../../experiments/store/find-campaigns.ts';
import { FEWEST_VALUES } from '../../modeling/judge/change-points.ts';
import type { History, HistoryPoint, HistorySeries } from '../../modeling/questions/campaign-history.ts';
import { formatChange } from '../answers/gate-answer.ts';
import { changeSentence, changeText, FIGURE_WORDS, seriesText, steadySentence } from '../answers/history-words.ts';
import { historyFigure } from '../figures/draw-history.ts';
import { type Inks, inksFor } from '../figures/inks.ts';
import { NONE } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { joined, renderHead, renderStory } from './answer.ts';
import { bullets, folded, grid, renderTable, section } from './render-table.ts';
import { renderSheet } from './sheet.ts';

interface HistoryPage extends History {
  readonly title: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly skipped: readonly SkippedCampaign[];
}

/** More campaigns get a figure over the whole width. */
const MANY = 40;
const WIDE = { width: 1000, height: 320 };
/** Figures of a page: those with changes first. */
const MOST_FIGURES = 13;

/** The page of a history: what changed, each configuration over time, every campaign. */
export function renderHistory(page: HistoryPage): string {
  const inks = inksFor({ bw: page.series.map(({ bw }) => bw), nodes: [] });
  const [first, ...others] = page.series;
  if (first === undefined) throw new RangeError('a history has a configuration');
  return renderSheet(
    { ...page, css: inks.css },
    html`${headOf(page)}
<main>
${section(
  { id: 'time', title: 'Over time', lead: 'The colour is that of the bandwidth. Vertical lines mark change points.' },
  figuresOf(page, inks),
)}${section({ id: 'campaigns', title: 'Every campaign', lead: 'Changes are to the campaign before.' }, [
  tableOf(first, page),
  ...others.map((one) => folded(nameOf(one, page), tableOf(one, page) ?? html``)),
])}</main>`,
  );
}

function headOf(page: HistoryPage): Markup {
  const { series, campaigns, figure, warnings, skipped } = page;
  const first = at(series, 0);
  const changed = series.filter(({ changes }) => changes.length > 0);
  const change = first.changes.at(-1);
  const alone = {
    question: `Did it change? ${capital(nameOf(first, page))}`,
    short: joined(change === undefined ? 'no change' : changeText(change, figure)),
    sentence: joined(change === undefined ? steadySentence(first, FEWEST_VALUES) : changeSentence(change, page)),
    detail: change === undefined ? null : joined(detailOf(first, page)),
  };
  const all = {
    question: 'How many configurations changed?',
    short: `${changed.length} of ${series.length}`,
    sentence:
      changed.length === 0
        ? 'None changed beyond noise.'
        : `Last changes: ${changed
            .slice(0, NAMED)
            .map((one) => lastOf(one, page))
            .join('; ')}${changed.length > NAMED ? '; and others' : ''}.`,
  };
  const careful = [...warnings, ...skipped.map(({ name, reason }) => `Skipped ${name}: ${reason}`)];
  return renderHead(
    { ...page, kicker: `History · ${campaigns} campaigns` },
    renderStory(series.length === 1 ? [alone] : [alone, all]),
    careful.length === 0
      ? null
      : html`<aside class="warnings" aria-label="Warnings"><strong>Read with care</strong>${bullets(careful)}</aside>\n`,
  );
}

const NAMED = 6;

function nameOf(series: HistorySeries, page: History): string {
  return joined(seriesText(series, page));
}

function lastOf(series: HistorySeries, page: History): string {
  const change = at(series.changes, series.changes.length - 1);
  return joined(`${seriesText(series, page)}: ${changeText(change, page.figure)} since ${change.campaign}`);
}

/** What was before its last change. */
function detailOf({ changes, noisePercent }: HistorySeries, page: History): string {
  const before = changes.slice(0, -1).map((change) => changeSentence(change, page));
  const noise = noisePercent === null ? [] : [`Campaigns scatter by ${noisePercent.toFixed(1)} % around their levels.`];
  return [...(before.length === 0 ? [] : [`Before: ${before.join(' ')}`]), ...noise].join(' ');
}

function figuresOf(page: HistoryPage, inks: Inks): readonly (Markup | null)[] {
  const [first, ...others] = page.series;
  const changed = others.filter(({ changes }) => changes.length > 0);
  const chosen = [...changed, ...others.filter((one) => !changed.includes(one))].slice(0, MOST_FIGURES - 1);
  const shown = [...(first ? [first] : []), ...others.filter((one) => chosen.includes(one))];
  const isWide = shown.some(({ points }) => points.length > MANY);
  const figures = shown.map((one) =>
    historyFigure(one, page, { ink: inks.bw(one.bw), ...(isWide ? { size: WIDE } : {}) }),
  );
  const left = page.series.length - shown.length;
  return [
    ...(isWide ? figures.map((one) => html`<div class="wide">${one}</div>\n`) : [grid(figures)]),
    left === 0 ? null : html`<p class="small">Not drawn: ${left} configurations more, whose tables are below.</p>\n`,
  ];
}

function tableOf(series: HistorySeries, page: History): Markup | null {
  const { figure } = page;
  const { head, show } = FIGURE_WORDS[figure];
  const markOf = new Map(series.changes.map((change) => [change.index, changeText(change, figure)]));
  return renderTable<HistoryPoint & { readonly index: number }>({
    caption: nameOf(series, page),
    rows: series.points.map((point, index) => ({ ...point, index })),
    columns: [
      { head: 'Measured (UTC)', text: ({ at: when }) => when.slice(0, 16).replace('T', ' ') },
      { head: 'Campaign', text: ({ campaign }) => campaign },
      {
        head: capital(head),
        text: ({ value }) => show(value),
        isNumber: true,
      },
      {
        head: '90 % interval',
        text: ({ low, high }) => (low === null || high === null ? NONE : endsText({ low, high }, show)),
      },
      { head: 'Change', text: ({ ratio }) => (ratio === null ? NONE : formatChange(ratio)), isNumber: true },
      { head: 'From here on', text: ({ index }) => markOf.get(index) ?? '' },
    ],
  });
}

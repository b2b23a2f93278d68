import { nodesText } from '../../base/units.ts';
import type { Configuration, ConfigurationState, LiveState } from '../../experiments/store/live-state.ts';
import { NONE, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';

const STATES: readonly ConfigurationState[] = ['waiting', 'running', 'done', 'flagged', 'failed'];

/** What is inside of the table of configurations: a row for each size, a column for each bandwidth. */
export function liveGrid({ bandwidths, rows }: Pick<LiveState, 'bandwidths' | 'rows'>): Markup {
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

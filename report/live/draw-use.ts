import { at } from '../../base/lists.ts';
import { formatRate, formatSeconds } from '../../base/units.ts';
import type { CellUse, HostUse } from '../../experiments/store/host-use.ts';
import { round } from '../figures/figure.ts';
import { html, type Markup } from '../html.ts';

/** What hosts used in the last run, with the name of its cell. */
export interface NamedUse extends CellUse {
  readonly name: string;
}

/** So many hosts are drawn: the page is sent again after each run. */
const MOST_HOSTS = 40;
const SIZE = { width: 140, height: 26 } as const;

/** CPU and network of each host at the end of the last run, as small lines of one scale each. */
export function hostTable(use: NamedUse | null): Markup {
  if (use === null) {
    return html`<p class="missing">What hosts used is read when a run ends, so that nothing disturbs it: it stands here after the next one.</p>`;
  }
  const { hosts } = use;
  const shown = hosts.slice(0, MOST_HOSTS);
  const cpu = Math.max(100, mostOf(hosts.flatMap(({ cpuPercent }) => cpuPercent)));
  const net = mostOf(hosts.flatMap(({ outBps, inBps }) => [...outBps, ...inBps]));
  const drawn = (values: readonly number[], most: number, show: (value: number) => string): Markup =>
    html`<td><div>${line(values, most)}<small>${meanText(values, show)}</small></div></td>`;
  const row = ({ host, cpuPercent, outBps, inBps }: HostUse): Markup =>
    html`<tr><th scope="row">${host}</th>${drawn(cpuPercent, cpu, percent)}${drawn(outBps, net, formatRate)}${drawn(inBps, net, formatRate)}</tr>\n`;
  const head = (name: string, most: string): Markup =>
    html`<th scope="col">${name}<small>mean; line up to ${most}</small></th>`;
  const time = html`<time datetime="${use.endedAt}" data-show="clock">${use.endedAt.slice(11, 19)} UTC</time>`;
  const more = hosts.length - shown.length;
  return html`<p class="lead">The last ${lengthText(use.seconds)} of the run that ended at ${time}: ${use.name}. Hosts are read when a run ends.</p>
<div class="table live use" role="group" aria-label="CPU and network of hosts" tabindex="0"><table>
<thead><tr><th scope="col">Host</th>${head('CPU', percent(cpu))}${head('Sent', formatRate(net))}${head('Received', formatRate(net))}</tr></thead>
<tbody>${shown.map(row)}</tbody></table></div>${more > 0 ? html`<p class="small">${more} more hosts are not drawn.</p>` : null}`;
}

/** Whole seconds, where there are any. */
function lengthText(time: number): string {
  return formatSeconds(time < 1 ? time : Math.round(time));
}

/** Of the cores that a host may use. */
function percent(share: number): string {
  return `${Math.round(share)} %`;
}

function mostOf(values: readonly number[]): number {
  return values.reduce((most, value) => (value > most ? value : most), 0);
}

function meanText(values: readonly number[], show: (mean: number) => string): string {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 ? 'not read' : show(known.reduce((sum, value) => sum + value, 0) / known.length);
}

/** From 0 to `most`; points that were not read are passed over. */
function line(values: readonly number[], most: number): Markup {
  const { width, height } = SIZE;
  const known = values.flatMap((value, index) => (Number.isNaN(value) ? [] : [index]));
  const path = known.map((index, place) => {
    const x = round((index / Math.max(values.length - 1, 1)) * width);
    const y = round(height - 1 - (at(values, index) / Math.max(most, 1e-9)) * (height - 2));
    return `${place === 0 ? 'M' : 'L'}${x} ${y}`;
  });
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><path d="${path.join('')}"/></svg>`;
}

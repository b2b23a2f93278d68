import type { ReportData } from '../data.ts';
import { number, percent, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { section } from './section.ts';
import { key, table } from './table.ts';

const RESOURCES: Readonly<Record<string, string>> = {
  cpu: 'the processors',
  'bytes-in': 'the link (receiving)',
  'bytes-out': 'the link (sending)',
  'barrier-wait': 'the slowest rank',
};

type Row = ReportData['why'][number];

/** Where the time of a search went, by the Grade10 method; null for programs without phases. */
export function why({ why: rows }: ReportData): Markup | null {
  if (rows.length === 0) return null;
  const named = (one: Row['bottleneck']): string =>
    one === null ? 'none' : `${RESOURCES[one.name] ?? one.name} (${percent(Math.round(one.percent))})`;
  return section({
    id: 'why',
    title: 'Where the time of a search goes',
    lead: 'Each level of a search expands the frontier to its neighbours, computes, folds the results back and waits for all. The last columns say what held the searches up, and how much of their time would be saved at most without it.',
    content: [
      html`<p>${sentence(rows)}</p>\n`,
      table({
        caption: `Shares of a search of scale ${rows[0]?.scale ?? ''}, mean over ranks (%), and what held it up`,
        rows,
        columns: [
          key.nodes,
          key.bw,
          { head: 'Search', value: (row) => row.searchSeconds, show: seconds },
          { head: 'Expand', unit: '%', value: (row) => row.expandPercent, decimals: 0 },
          { head: 'Compute', unit: '%', value: (row) => row.computePercent, decimals: 0 },
          { head: 'Fold', unit: '%', value: (row) => row.foldPercent, decimals: 0 },
          { head: 'Wait', unit: '%', value: (row) => row.synchronisePercent, decimals: 0 },
          { head: 'Held up most by', text: (row) => named(row.bottleneck) },
          {
            head: 'Most uneven',
            text: (row) =>
              row.imbalance === null ? 'none' : `${row.imbalance.name} (${percent(Math.round(row.imbalance.percent))})`,
          },
        ],
      }),
    ],
  });
}

function sentence(rows: readonly Row[]): string {
  const full = rows.filter((row) => row.bw === 100);
  const [smallest, largest] = [full[0], full.at(-1)];
  if (!smallest || !largest || smallest === largest) return 'Only one cluster size was measured at full bandwidth.';
  const share = ({ computePercent }: Row): string => percent(Math.round(computePercent));
  const reason = largest.bottleneck
    ? (RESOURCES[largest.bottleneck.name] ?? largest.bottleneck.name)
    : 'nothing that was measured';
  return `At full bandwidth computing takes ${share(smallest)} of a search on ${number(smallest.nodes)} nodes and ${share(largest)} on ${number(largest.nodes)}, where ${reason} held it up most.`;
}

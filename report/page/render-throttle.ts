import { formatRate } from '../../base/units.ts';
import type { ReportData } from '../data.ts';
import { NONE } from '../format.ts';
import type { Markup } from '../html.ts';
import { key, tableOf } from './render-table.ts';
import { missing, section } from './section.ts';

/** Why the bandwidths can be believed. */
export function throttle(report: ReportData): Markup {
  return section({
    id: 'throttle',
    title: report.headings.throttle,
    lead: 'Two checks of each bandwidth: TCP probes measure the achievable rate. The counters of the network interfaces show how much of the limit the runs used on average. No share may be above 100 %.',
    content: [
      report.throttle.length === 0
        ? missing(report, 'throttle')
        : tableOf({
            caption: 'Set rate, what the probes got, and what the runs used',
            rows: report.throttle,
            columns: [
              key.bw,
              {
                head: 'Set rate',
                unit: 'per host',
                value: (row) => row.setBps,
                show: (rate) => (rate === null ? NONE : formatRate(rate)),
              },
              { head: 'Probe, least', unit: '% of set rate', value: (row) => row.probeMinPercent, decimals: 1 },
              { head: 'Probe, most', unit: '% of set rate', value: (row) => row.probeMaxPercent, decimals: 1 },
              { head: 'Runs, mean', unit: '% of set rate', value: (row) => row.meanAveragePercent, decimals: 1 },
              {
                head: 'Runs, busiest host',
                unit: '% of set rate',
                value: (row) => row.maxAveragePercent,
                decimals: 1,
              },
              { head: 'Cells', value: (row) => row.cells, decimals: 0 },
            ],
          }),
    ],
  });
}

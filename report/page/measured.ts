import { formatBytes, formatRate } from '../../base/units.ts';
import type { ReportData } from '../content/build-report.ts';
import { list, NONE, number, plural, seconds, signedPercent, sweep } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { folded, hasSizes, key, missing, renderTable, section } from './render-table.ts';

/** What was run, where, and how steady the machines were. */
export function renderMeasured(report: ReportData): Markup {
  return section({
    id: 'measured',
    title: 'What was measured, and where',
    lead: `Each cell is one run of the workload at one cluster size, problem size and network bandwidth; it times several ${plural(report.noun)}.`,
    content: [facts(report), failures(report), drift(report)],
  });
}

function facts({ campaign, noun }: ReportData): Markup {
  const { sweep: swept, cells } = campaign;
  const rows: readonly (readonly [string, string])[] = [
    ['Cluster', `${campaign.cluster}, ${number(campaign.hosts)} host${campaign.hosts === 1 ? '' : 's'}`],
    [
      'Per host',
      [
        range(campaign.cores, number, 'cores'),
        ...(campaign.cpuQuotaCores === null ? [] : [`limited to ${range(campaign.cpuQuotaCores, number, 'cores')}`]),
        range(campaign.memoryBytes, formatBytes, 'memory'),
      ].join(', '),
    ],
    ['Kernel', campaign.kernels.length === 0 ? NONE : list(campaign.kernels)],
    ['Line rate', formatRate(campaign.lineRateBps)],
    [
      'Launcher',
      `${campaign.launcher}, ${number(campaign.ranksPerNode)} rank${campaign.ranksPerNode === 1 ? '' : 's'} per node`,
    ],
    ['Workload', campaign.workload],
    ['Nodes', sweep(swept.nodes)],
    ...(hasSizes(campaign)
      ? [['Scales', `${sweep(swept.scales)} (log2 of the size; of a graph, of its edges / 16)`] as const]
      : []),
    ['Bandwidths', sweep(swept.bw, '\u202f% of the line rate')],
    ['Repetitions', `${number(swept.reps)} per cell, ${number(swept.roots)} ${plural(noun)} each`],
    [
      'Cells',
      `${number(cells.done)} of ${number(cells.planned)} done${cells.failed > 0 ? `, ${number(cells.failed)} failed` : ''}`,
    ],
    ['Run time', seconds(campaign.totalSeconds)],
  ];
  return html`<dl class="facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
`;
}

function range(
  values: { readonly min: number; readonly max: number } | null,
  format: (value: number) => string,
  what: string,
): string {
  if (values === null) return `${what} unknown`;
  const { min, max } = values;
  return `${min === max ? format(min) : `${format(min)} to ${format(max)}`} ${what}`;
}

function failures({ failures: rows }: ReportData): Markup | null {
  if (rows.length === 0) return null;
  return renderTable({
    caption: 'Failed cells (excluded from all figures)',
    rows,
    columns: [
      key.nodes,
      key.scale,
      key.bw,
      { head: 'Repetition', value: (row) => row.rep, decimals: 0 },
      { head: 'Reason', text: (row) => row.reason },
    ],
  });
}

function drift(report: ReportData): Markup {
  if (report.drift.length === 0) return missing(report, 'drift');
  const worst = Math.max(...report.drift.map((row) => Math.abs(row.percent)));
  return folded(
    `Drift: the baseline, run again at the end of its group, differed by at most ${number(worst)} %`,
    renderTable({
      caption: 'Median completion time at full bandwidth, at the start and at the end of each group',
      rows: report.drift,
      columns: [
        key.nodes,
        key.scale,
        { head: 'Start', unit: 's', value: (row) => row.startCt },
        { head: 'End', unit: 's', value: (row) => row.endCt },
        { head: 'Change', unit: '%', value: (row) => row.percent, show: signedPercent },
        {
          head: 'Usual among repetitions',
          unit: '%',
          value: (row) => row.usualPercent,
          show: (value) => `up to ${signedPercent(value)}`,
        },
        { head: 'Cells measured later', value: (row) => row.later, decimals: 0 },
      ],
    }),
  );
}

/** Why the bandwidths can be believed. */
export function renderThrottle(report: ReportData): Markup {
  return section({
    id: 'throttle',
    title: report.headings.throttle,
    lead: 'Two checks of each bandwidth: TCP probes measure the achievable rate. The counters of the network interfaces show how much of the limit the runs used on average. No share may be above 100 %.',
    content: [
      report.throttle.length === 0
        ? missing(report, 'throttle')
        : renderTable({
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

import { formatBytes, formatRate } from '../../base/units.ts';
import type { ReportData } from '../content/build-report.ts';
import { list, NONE, number, plural, seconds, signedPercent, sweep } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { folded, hasSizes, key, missing, type PageColumn, type PageSection, renderTable } from './render-table.ts';
import { renderCells } from './results.ts';

/** What was run, where, and how steady the machines were. */
export const measuredSection: PageSection = {
  id: 'measured',
  name: 'What was measured',
  title: 'What was measured, and where',
  lead: ({ noun }) =>
    `Each cell is one run of the workload at one cluster size, problem size and network bandwidth; it times several ${plural(noun)}.`,
  content: (report) => [facts(report), failures(report), drift(report)],
};

/** Why the bandwidths can be believed. */
export const throttleSection: PageSection = {
  id: 'throttle',
  name: 'Throttle proof',
  title: ({ headings }) => headings.throttle,
  lead: 'Two checks of each bandwidth: TCP probes measure the achievable rate. The counters of the network interfaces show how much of the limit the runs used on average. No share may be above 100 %.',
  missing: 'No cell ran below full bandwidth, so nothing was throttled.',
  content: ({ throttle: rows }) => {
    if (rows.length === 0) return null;
    const share = (head: string, value: (row: (typeof rows)[number]) => number | null) => ({
      ...{ head, unit: '% of set rate', value, decimals: 1 },
    });
    const columns: readonly PageColumn<(typeof rows)[number]>[] = [
      key.bw,
      { head: 'Set rate', unit: 'per host', value: ({ setBps }) => setBps, show: rate },
      share('Probe, least', (row) => row.probeMinPercent),
      share('Probe, most', (row) => row.probeMaxPercent),
      {
        head: 'Small message beside it',
        unit: 'ms there and back',
        value: ({ roundTripMs }) => roundTripMs,
        decimals: 1,
      },
      share('Runs, mean', (row) => row.meanAveragePercent),
      share('Runs, busiest host', (row) => row.maxAveragePercent),
      { head: 'Cells', value: ({ cells }) => cells, decimals: 0 },
    ];
    return [renderTable({ caption: 'Set rate, what the probes got, and what the runs used', rows, columns })];
  },
  appendix: renderCells,
};

function rate(bps: number | null): string {
  return bps === null ? NONE : formatRate(bps);
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
    ...(campaign.rules === null ? [] : [['Rules', campaign.rules] as const]),
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
  if (report.drift.length === 0) return missing(report, 'drift', 'The baseline was not repeated, so drift is unknown.');
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

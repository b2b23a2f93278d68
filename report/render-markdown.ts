import { ascending, at, groupBy } from '../base/lists.ts';
import { capital, printableLine } from '../base/text.ts';
import { endsText } from '../base/units.ts';
import { answerLines } from './answers/answers-schema.ts';
import type { ReportData } from './content/build-report.ts';
import type { PointRow } from './content/statistics.ts';
import { formatPercent, number, plural, seconds } from './format.ts';

/** A report as GitHub Flavored Markdown, for mail and wikis: the answers, what to be careful about, and all measured times. */
export function renderReportMarkdown(data: ReportData): string {
  const { title, campaign, answers, warnings, points, noun } = data;
  const lines = answers === null ? [] : answerLines(answers);
  const command = answers?.next.command ?? null;
  const parts = [
    `# ${plain(title)}`,
    ...(campaign.emulation === null ? [] : [`*${plain(campaign.emulation)}*`]),
    ...lines.map(({ question, short, sentence, detail }) => {
      return `**${plain(question)}** ${capital(plain(short))}. ${plain(sentence)}${detail === null ? '' : ` ${plain(detail)}`}`;
    }),
    ...(command === null ? [] : [`    ${printableLine(command)}`]),
    ...(warnings.length === 0
      ? []
      : ['## Read with care', warnings.map((one) => `- ${plain(one.sentence)}`).join('\n')]),
    ...(points.length === 0
      ? []
      : [`## Measured times of ${plain(plural(noun))}: means with 90 % intervals`, tableOf(points)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** A row per scale and node count, a column per bandwidth: the mean and its 90 % interval, where that is known. */
function tableOf(points: readonly PointRow[]): string {
  const levels = ascending(points.map(({ bw }) => bw));
  const hasSizes = points.some(({ scale }) => scale > 0);
  const heads = [...(hasSizes ? ['scale'] : []), 'nodes', ...levels.map(formatPercent)];
  const rows = groupBy(points, ({ scale, nodes }) => `${scale} ${nodes}`).map((own) => {
    const { scale, nodes } = at(own, 0);
    const times = levels.map((bw) => {
      const point = own.find((one) => one.bw === bw);
      if (point === undefined) return '';
      return `${seconds(point.meanCt)}${point.interval === null ? '' : ` (${endsText(point.interval, seconds)})`}`;
    });
    return [...(hasSizes ? [number(scale)] : []), number(nodes), ...times];
  });
  const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [lineOf(heads), lineOf(heads.map(() => '--:')), ...rows.map(lineOf)].join('\n');
}

/** Text whatever is in it: names of others are no Markdown. */
function plain(text: string): string {
  return printableLine(text).replace(/[\\`*_{}[\]<>|#~@]/g, '\\$&');
}

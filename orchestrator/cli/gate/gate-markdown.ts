import { groupAlike, printableLine } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import type { CellPlace, CommonCell } from '../../../modeling/questions/compare-campaigns.ts';
import {
  type ComparedCampaigns,
  cellVerdict,
  formatChange,
  type GateAnswer,
  levelText,
  meanSentence,
  placeText,
  seesSentence,
} from '../../../report/answers/gate-answer.ts';

/** A comparison as GitHub Flavored Markdown for a pull request: what needs a look on top, the other configurations folded. */
export function renderMarkdown({ dir, against, comparison, gate }: ComparedCampaigns): string {
  const { cells, mean, failed, warnings, level } = comparison;
  const needsLook = (cell: CommonCell): boolean => {
    const verdict = gate === null ? 'allowed' : cellVerdict(cell, gate);
    return cell.differs !== null || verdict === 'slower' || (verdict === 'undecided' && gate?.strict === true);
  };
  const [shown, others] = [cells.filter(needsLook), cells.filter((cell) => !needsLook(cell))];
  const parts = [
    `### ${gate === null ? 'Times' : headingOf(gate, failed)}: ${code(dir)} against ${code(against)}`,
    gate === null
      ? `On average (geometric) ${cells.length} configurations changed by ${formatChange(mean.value)}.`
      : gateText(gate),
    ...(failed.length > 0 ? [`Failed: ${failed.map((place) => code(placeText(place))).join(', ')}.`] : []),
    ...(shown.length > 0 ? [tableOf(shown, { gate, level })] : []),
    ...(others.length > 0
      ? [
          `<details><summary>${others.length} without a clear change</summary>`,
          tableOf(others, { gate, level }),
          '</details>',
        ]
      : []),
    ...groupAlike(warnings).map((warning) => `> ${code(warning)}`),
  ];
  return `${parts.join('\n\n')}\n`;
}

function headingOf({ passed, above, mean }: GateAnswer, failed: readonly CellPlace[]): string {
  if (passed) return 'Not slower than allowed';
  if (above.length > 0 || mean.verdict === 'slower') return 'Slower than allowed';
  return failed.length > 0 ? 'Failed' : 'Undecided';
}

function gateText(gate: GateAnswer): string {
  return `**${meanSentence(gate)}** ${seesSentence(gate)}`;
}

function tableOf(
  cells: readonly CommonCell[],
  { gate, level }: { readonly gate: GateAnswer | null; readonly level: number },
): string {
  const lines = cells.map((cell) => {
    const { low, high } = cell.ratio;
    const interval = low === null || high === null ? '?' : `${formatChange(low)} to ${formatChange(high)}`;
    const words = [
      code(placeText(cell)),
      formatSeconds(cell.against),
      formatSeconds(cell.seconds),
      formatChange(cell.ratio.value),
    ];
    return `| ${[...words, interval, saidOf(cell, gate)].join(' | ')} |`;
  });
  return [
    `| configuration | before | now | change | ${levelText(level)} | |`,
    '|---|--:|--:|--:|---|---|',
    ...lines,
  ].join('\n');
}

function saidOf(cell: CommonCell, gate: GateAnswer | null): string {
  const verdict = gate === null ? 'allowed' : cellVerdict(cell, gate);
  if (gate !== null && verdict === 'slower') return `**slower by more than ${gate.limitPercent} %**`;
  return [cell.differs, verdict === 'undecided' ? verdict : null].filter((word) => word !== null).join(', ');
}

/** Names as code: nothing in them is Markdown, a mention or HTML. In a table a bar is escaped there too. */
function code(text: string): string {
  const line = printableLine(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const edge = longest > 0 ? ' ' : '';
  return `${fence}${edge}${line}${edge}${fence}`;
}

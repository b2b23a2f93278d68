import { join, resolve } from 'node:path';
import { badInput, PredictError } from '../../base/errors.ts';
import { shortened } from '../../base/text.ts';
import { endsText } from '../../base/units.ts';
import { openCampaignsBelow } from '../../experiments/store/find-campaigns.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import { FEWEST_VALUES } from '../../modeling/judge/change-points.ts';
import {
  buildHistory,
  FIGURES,
  type FigureName,
  type History,
  type HistoryPoint,
  type HistorySeries,
} from '../../modeling/questions/campaign-history.ts';
import { formatChange, levelText } from '../../report/answers/gate-answer.ts';
import {
  changeSentence,
  changeText,
  FIGURE_WORDS,
  historyTitle,
  isSlowerThan,
  seriesText,
  steadySentence,
} from '../../report/answers/history-words.ts';
import { renderHistory } from '../../report/page/render-history.ts';
import { parseLimit } from './compare-command.ts';
import { given, type Optional, type Switches } from './flags.ts';
import { parseBandwidths, parseCounts, parseScales } from './parse-question.ts';
import { type Answer, left, note, noteAlike, print, printExactly, printTable, right } from './print.ts';

type HistoryFlags = Optional<'nodes' | 'scale' | 'bw' | 'program' | 'out' | 'failAbove'> &
  Switches & { readonly figure: string };

/** A figure of all campaigns below a folder over time; with --fail-above an error (`tooSlow`) where the last change is a larger slowdown. */
export async function historyCommand(folder: string, flags: HistoryFlags): Promise<Answer> {
  const { program, out = join(folder, 'history.html') } = flags;
  const figure = parseFigure(flags.figure);
  const limitPercent = given(flags.failAbove, parseLimit);
  const asked = {
    ...{ figure, program },
    nodes: given(flags.nodes, (text) => parseCounts(text, '--nodes')),
    scale: given(flags.scale, parseScales),
    bw: given(flags.bw, (text) => parseBandwidths(text)),
  };
  const { campaigns, skipped } = await openCampaignsBelow(folder);
  for (const { name, reason } of skipped) note(`predict: skipped ${name}: ${reason}`);
  if (campaigns.length < 2) {
    const found = campaigns.length === 0 ? 'no campaign' : `one campaign, ${campaigns[0]?.name}`;
    throw badInput(
      `${folder} has ${found}: a history needs at least 2, and change points ${FEWEST_VALUES}. Give the folder above your campaigns.`,
    );
  }
  const history = buildHistory(campaigns, asked);
  const title = historyTitle(history);
  const path = out === '-' ? out : resolve(out);
  await writeFileWhole(path, renderHistory({ ...history, skipped, title, generatedAt: new Date().toISOString() }));
  const say = (): void => {
    noteAlike(history.warnings);
    printHistory(history);
    printExactly(`Report: ${path}`);
  };
  const after = (): void => {
    if (limitPercent === undefined) return;
    const slower = history.series.filter((series) => isSlowerThan(series, figure, limitPercent));
    const [first] = slower;
    const change = first?.changes.at(-1);
    if (first === undefined || change === undefined) return;
    const more = slower.length === 1 ? '' : ` (and ${slower.length - 1} more)`;
    throw new PredictError(
      `${seriesText(first, history)}${more} is ${changeText(change, figure)} since ${change.campaign}, more than ${limitPercent} %: ${path} shows where.`,
      { kind: 'tooSlow' },
    );
  };
  return { json: { folder, ...history, skipped, report: path }, say, after };
}

function parseFigure(text: string): FigureName {
  const found = FIGURES.find((name) => name === text);
  if (found !== undefined) return found;
  throw badInput(`--figure: '${shortened(text)}' is not one of ${FIGURES.join(', ')}.`);
}

/** The first configuration campaign by campaign, of the others what changed last. */
function printHistory(history: History): void {
  const [first, ...others] = history.series;
  if (first === undefined) return;
  print(`${historyTitle(history)}: ${seriesText(first, history)}`);
  printPoints(first, history);
  for (const change of first.changes) print(changeSentence(change, history));
  if (first.changes.length === 0) print(steadySentence(first, FEWEST_VALUES));
  const changed = others.filter(({ changes }) => changes.length > 0);
  if (changed.length > 0) {
    print('\nLast changes of other configurations:');
    printTable(changed, [
      left('configuration', (series) => seriesText(series, history)),
      left('from here on', (series) => changeText(lastOf(series), history.figure)),
      left('since', (series) => lastOf(series).campaign),
      right('campaigns', ({ points }) => points.length),
    ]);
  }
  const steady = others.length - changed.length;
  if (steady > 0)
    print(`${steady} other ${steady === 1 ? 'configuration has' : 'configurations have'} no change beyond noise.`);
}

function lastOf({ changes }: HistorySeries): HistorySeries['changes'][number] {
  const change = changes.at(-1);
  if (change === undefined) throw new RangeError('this configuration has no change');
  return change;
}

/** Lengths of a date, and of a date with its minute, in ISO form. */
const [DATE, MINUTE] = [10, 16];

function printPoints({ points, changes }: HistorySeries, { figure, level }: History): void {
  const { head, show } = FIGURE_WORDS[figure];
  const marks = new Map(changes.map((change) => [change.index, change]));
  const rows = points.map((point, index) => ({ ...point, index }));
  const isDaily = new Set(points.map(({ at }) => at.slice(0, DATE))).size === points.length;
  type Row = HistoryPoint & { readonly index: number };
  printTable<Row>(rows, [
    left('date (UTC)', ({ at }) => at.slice(0, isDaily ? DATE : MINUTE).replace('T', ' ')),
    left('campaign', ({ campaign }) => campaign),
    right(head, ({ value }) => show(value)),
    left(levelText(level), (point) => (point.low === null ? '' : endsText(point, show))),
    right('change', ({ ratio }) => (ratio === null ? '' : formatChange(ratio))),
    left('from here on', ({ index }) => {
      const change = marks.get(index);
      return change === undefined ? '' : changeText(change, figure);
    }),
  ]);
}

import { parseNumber } from '../../base/bounds.ts';
import { badInput, PredictError } from '../../base/errors.ts';
import { joinWords } from '../../base/text.ts';
import { endsText, formatSeconds, threeDigits } from '../../base/units.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import {
  type CampaignComparison,
  type CellPlace,
  type CommonCell,
  compareCampaigns,
} from '../../modeling/questions/compare-campaigns.ts';
import {
  type ComparedCampaigns,
  decideGate,
  formatChange,
  type GateAnswer,
  levelText,
  meanSentence,
  placeText,
  seesSentence,
} from '../../report/answers/gate-answer.ts';
import { programAnswers } from './each-program.ts';
import { given, type Optional, refuseFlags, spelled } from './flags.ts';
import { renderJunit } from './gate/gate-junit.ts';
import { renderMarkdown } from './gate/gate-markdown.ts';
import type { ModelFlags } from './parse-question.ts';
import {
  type Answer,
  cellColumns,
  left,
  noteAlike,
  print,
  printCareful,
  printFailed,
  printTable,
  right,
} from './print.ts';

interface CompareFlags extends ModelFlags, Optional<'against' | 'failAbove' | 'junit' | 'markdown'> {
  readonly strict?: boolean;
}

/** What changed from an older campaign to another; of one campaign its models, an older name of `model --rank`. */
export async function compareCommand(
  dir: string | undefined,
  other: string | undefined,
  flags: CompareFlags,
): Promise<Answer> {
  const against = other ?? flags.against;
  if (flags.failAbove === undefined)
    refuseFlags(flags, ['strict', 'junit'], 'is about --fail-above: give that limit too.');
  if (against !== undefined) return await compareAgainst(requireCampaign(dir, flags), { ...flags, against });
  refuseFlags(flags, ['failAbove', 'markdown'], 'is about a comparison with another campaign: name that one too.');
  return await (await import('./rank-models.ts')).rankModels(dir, flags);
}

const FOR_MODELS = [
  ...(['data', 'ranksPerNode', 'baseScale', 'atNodes', 'trainNodes', 'ranksRule'] as const),
  ...(['errors', 'scale', 'bw'] as const),
] as const;

/** What picks rows or models means nothing between two campaigns. */
function requireCampaign(dir: string | undefined, flags: CompareFlags): string {
  const others = FOR_MODELS.filter((name) => flags[name] !== undefined).map(spelled);
  if (others.length > 0)
    throw badInput(`Two campaigns are compared by what they measured: leave out ${joinWords(others)}.`);
  if (dir === undefined) throw badInput('Two campaigns are compared: name the folder of the first.');
  return dir;
}

/** Cell by cell; with --fail-above an error (`tooSlow`) where it got slower by more than that. */
async function compareAgainst(dir: string, flags: CompareFlags & { readonly against: string }): Promise<Answer> {
  const { against, program, strict = false, junit, markdown } = flags;
  const limitPercent = given(flags.failAbove, parseLimit);
  const level = typeof flags.interval === 'string' ? parseNumber(flags.interval, '--interval') : 0.9;
  const [here, there] = [await openCampaign(dir), await openCampaign(against)];
  const comparison = compareCampaigns(here, there, { level, program, limitPercent });
  const { gate: found, ...rest } = comparison;
  const gate = found && decideGate(found, { failed: rest.failed, strict });
  const compared: ComparedCampaigns = { dir, against, comparison, gate };
  const answers = flags.json ? await programAnswers(here, program) : {};
  const after = async (): Promise<void> => {
    if (limitPercent !== undefined && gate === null) throw notKnown(dir, against, comparison);
    if (markdown !== undefined) await writeFileWhole(markdown, renderMarkdown(compared));
    if (gate === null) return;
    if (junit !== undefined) await writeFileWhole(junit, renderJunit(compared, gate));
    if (!gate.passed) throw tooSlow(compared, gate);
  };
  const json = { dir, against, ...rest, ...(gate ? { gate } : {}), ...answers };
  return { json, say: () => printComparison(compared), after };
}

function printGate(gate: GateAnswer): void {
  const { limitPercent, mean, undecided } = gate;
  print(meanSentence(gate));
  print(seesSentence(gate));
  const more = 'measure more repetitions (sweep --reps, --precision)';
  if (undecided.length > 0) {
    printCareful(`${undecided.length} may be slower by more than ${limitPercent} %: ${listed(undecided)}; ${more}.`);
  } else if (mean.verdict === 'undecided') printCareful(`The mean is not known well enough: ${more}.`);
}

/** `10%` or `10`. */
export function parseLimit(text: string): number {
  return parseNumber(text.trim().replace(/%$/, ''), '--fail-above');
}

function printComparison({ dir, against, comparison, gate }: ComparedCampaigns): void {
  const { cells, mean, level, onlyHere, onlyAgainst, failed, warnings } = comparison;
  noteAlike(warnings);
  const interval = levelText(level);
  print(`Times in ${dir} against ${against}; a ratio above 1 is slower.`);
  printTable(cells, [
    ...(cells.some(({ program }) => program !== '') ? [left<CommonCell>('program', ({ program }) => program)] : []),
    ...cellColumns(cells, (cell) => cell),
    right('time', ({ seconds }) => formatSeconds(seconds)),
    right('against', (cell) => formatSeconds(cell.against)),
    right('ratio', ({ ratio }) => threeDigits(ratio.value)),
    left(interval, ({ ratio }) => endsText(ratio, threeDigits)),
    left('', ({ differs }) => differs ?? ''),
  ]);
  const changed = cells.filter(({ differs }) => differs !== null).length;
  print(
    `${changed} of ${cells.length} ${cells.length === 1 ? 'cell differs' : 'cells differ'} beyond scatter; on average (geometric) they take ${threeDigits(mean.value)} times as long (${interval} ${endsText(mean, threeDigits)}).`,
  );
  if (onlyHere + onlyAgainst > 0) {
    print(`Measured in one of them alone: ${onlyHere} in ${dir}, ${onlyAgainst} in ${against}.`);
  }
  for (const cell of failed) printFailed(`Failed in ${dir}: ${placeText(cell)}.`);
  if (gate !== null) printGate(gate);
}

function notKnown(dir: string, against: string, { cells }: CampaignComparison): PredictError {
  const unknown = cells.filter(({ ratio }) => ratio.low === null).length;
  const what = unknown === 0 ? 'repetitions' : `${unknown} of ${cells.length} cells`;
  return badInput(
    `--fail-above: how far ${what} of ${dir} and ${against} scatter is not known, so no limit can be checked: sweep with --reps 3.`,
  );
}

/** What is slower, what failed, and with --strict what is undecided. */
function tooSlow({ dir, against, comparison: { failed } }: ComparedCampaigns, gate: GateAnswer): PredictError {
  const { above, undecided, limitPercent, mean, strict } = gate;
  const limit = `slower by more than ${limitPercent} %`;
  const parts = [
    mean.verdict === 'slower' ? `the mean is ${limit} (${formatChange(mean.value)})` : '',
    above.length > 0 ? `${above.length} ${above.length === 1 ? 'is' : 'are'} ${limit}: ${listed(above)}` : '',
    failed.length > 0 ? `${failed.length} failed: ${listed(failed)}` : '',
    strict && mean.verdict === 'undecided' ? `the mean may be ${limit}` : '',
    strict && undecided.length > 0 ? `${undecided.length} may be ${limit}: ${listed(undecided)}` : '',
  ];
  const said = parts.filter((part) => part !== '').join(', and ');
  return new PredictError(`Since ${against}, of the cells of ${dir} ${said}.`, { kind: 'tooSlow' });
}

/** What one sentence lists. */
const LISTED = 4;

function listed(cells: readonly (CellPlace & Partial<Pick<CommonCell, 'ratio'>>)[]): string {
  const more = cells.length - LISTED;
  const texts = cells.slice(0, LISTED).map((cell) => {
    return `${placeText(cell)}${cell.ratio ? ` (${threeDigits(cell.ratio.value)}, ${endsText(cell.ratio, threeDigits)})` : ''}`;
  });
  return `${texts.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

import { badInput, formatSeconds, nodesText, PredictError, parseNumber, sizeText } from '../../base/index.ts';
import { openCampaign } from '../../experiments/index.ts';
import { type CampaignComparison, type CellPlace, type CommonCell, compareCampaigns } from '../../modeling/index.ts';
import { given } from './flags.ts';
import {
  ends,
  left,
  noteAlike,
  print,
  printCareful,
  printFailed,
  printJson,
  printTable,
  right,
  scaleColumn,
} from './print.ts';

interface Flags {
  readonly against: string;
  readonly failAbove?: string | undefined;
  readonly interval?: string | true | undefined;
  readonly program?: string | undefined;
  readonly json?: boolean;
}

/** What changed since another campaign, cell by cell; with --fail-above an error (`tooSlow`) where some got slower by more than that. */
export async function compareAgainst(dir: string, flags: Flags): Promise<void> {
  const limit = given(flags.failAbove, parseLimit);
  const level = typeof flags.interval === 'string' ? parseNumber(flags.interval, '--interval') : 0.9;
  const found = await compareCampaigns(await openCampaign(dir), await openCampaign(flags.against), {
    ...{ level, program: flags.program },
  });
  const gate = limit === undefined ? null : gateOf(found, limit);
  if (flags.json) {
    printJson({ dir, against: flags.against, ...found, ...(gate ? { gate } : {}) });
  } else printComparison(dir, flags.against, found);
  if (!gate) return;
  const { undecided, limitPercent } = gate;
  if (undecided.length > 0 && !flags.json) {
    printCareful(
      `Of ${undecided.length} more it is not known whether they are slower by more than ${limitPercent} %: ${listed(undecided)}; visit them again (sweep --reps, --precision).`,
    );
  }
  refuseSlower(dir, flags.against, { found, gate });
}

/** `10%` or `10`. */
function parseLimit(text: string): number {
  return parseNumber(text.trim().replace(/%$/, ''), '--fail-above');
}

/** What a limit says of cells: `above` lie beyond it with their whole interval, `undecided` by their ratio alone. */
interface Gate {
  readonly limitPercent: number;
  readonly above: readonly CommonCell[];
  readonly undecided: readonly CommonCell[];
  readonly passed: boolean;
}

function gateOf({ cells, failed }: CampaignComparison, limitPercent: number): Gate {
  const most = 1 + limitPercent / 100;
  const above = cells.filter(({ ratio: { low } }) => low !== null && low > most);
  const undecided = cells.filter(({ ratio: { value, low } }) => value > most && !(low !== null && low > most));
  return { limitPercent, above, undecided, passed: above.length === 0 && failed.length === 0 };
}

function printComparison(dir: string, against: string, found: CampaignComparison): void {
  const { cells, mean, level, onlyHere, onlyAgainst, failed, warnings } = found;
  noteAlike(warnings);
  const interval = `${Number((level * 100).toPrecision(4))} % interval`;
  print(`Times in ${dir} against ${against}; a ratio above 1 is slower.`);
  printTable(cells, [
    ...(cells.some(({ program }) => program !== '') ? [left<CommonCell>('program', ({ program }) => program)] : []),
    right('nodes', ({ nodes }) => nodes),
    ...scaleColumn(cells, ({ scale }) => scale),
    right('bw %', ({ bw }) => bw),
    right('time', ({ seconds }) => formatSeconds(seconds)),
    right('against', (cell) => formatSeconds(cell.against)),
    right('ratio', ({ ratio }) => trimmed(ratio.value)),
    left(interval, ({ ratio }) => ends(ratio, trimmed)),
    left('', ({ differs }) => differs ?? ''),
  ]);
  const changed = cells.filter(({ differs }) => differs !== null).length;
  print(
    `${changed} of ${cells.length} ${cells.length === 1 ? 'cell differs' : 'cells differ'} beyond scatter; on average (geometric) they take ${trimmed(mean.value)} times as long (${interval} ${ends(mean, trimmed)}).`,
  );
  if (onlyHere + onlyAgainst > 0) {
    print(`Measured in one of them alone: ${onlyHere} in ${dir}, ${onlyAgainst} in ${against}.`);
  }
  for (const cell of failed) printFailed(`Failed in ${dir}: ${placeText(cell)}.`);
}

/** Errors: `badInput` where intervals are not known, `tooSlow` where cells are slower, or failed in the campaign alone. */
function refuseSlower(
  dir: string,
  against: string,
  { found: { cells, failed }, gate }: { readonly found: CampaignComparison; readonly gate: Gate },
): void {
  const unknown = cells.filter(({ ratio }) => ratio.low === null).length;
  if (unknown > 0) {
    throw badInput(
      `--fail-above: how far ${unknown} of ${cells.length} cells of ${dir} and ${against} scatter is not known, so nothing can be said of them: sweep with --reps 3.`,
    );
  }
  if (gate.passed) return;
  const { above, limitPercent } = gate;
  const slow = `${count(above)} slower by more than ${limitPercent} %: ${listed(above)}`;
  const lost = `${failed.length} failed: ${listed(failed)}`;
  const parts = [...(above.length > 0 ? [slow] : []), ...(failed.length > 0 ? [lost] : [])];
  throw new PredictError(`Since ${against}, of the cells of ${dir} ${parts.join(', and ')}.`, { kind: 'tooSlow' });
}

function count({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'is' : 'are'}`;
}

/** What one sentence lists. */
const LISTED = 4;

function listed(cells: readonly (CellPlace & Partial<Pick<CommonCell, 'ratio'>>)[]): string {
  const more = cells.length - LISTED;
  const texts = cells.slice(0, LISTED).map((cell) => {
    return `${placeText(cell)}${cell.ratio ? ` (${trimmed(cell.ratio.value)}, ${ends(cell.ratio, trimmed)})` : ''}`;
  });
  return `${texts.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function placeText({ program, nodes, scale, bw }: CellPlace): string {
  return `${program === '' ? '' : `${program}, `}${nodesText(nodes)}${sizeText(scale)}, ${bw} %`;
}

/** Three digits. */
function trimmed(value: number): string {
  return value < 1000 ? value.toPrecision(3) : value.toFixed(0);
}

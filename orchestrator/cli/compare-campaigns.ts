import { badInput, formatSeconds, PredictError, parseNumber } from '../../base/index.ts';
import { type CampaignComparison, type CellPlace, type CommonCell, compareCampaigns } from '../../modeling/index.ts';
import { given } from './flags.ts';
import { ends, left, noteAlike, print, printJson, printTable, right } from './print.ts';

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
  const found = await compareCampaigns(dir, flags.against, { level, program: flags.program });
  const above = limit === undefined ? [] : slowerThan(found, limit);
  if (flags.json) {
    const gate = limit === undefined ? {} : { gate: { limitPercent: limit, above, passed: passes(found, above) } };
    printJson({ dir, against: flags.against, ...found, ...gate });
  } else printComparison(dir, flags.against, found);
  if (limit !== undefined) refuseSlower({ dir, against: flags.against, limit, found, above });
}

/** `10%` or `10`. */
function parseLimit(text: string): number {
  return parseNumber(text.trim().replace(/\s*%$/, ''), '--fail-above');
}

/** Cells that are slower by more than the limit, whole interval and all. */
function slowerThan({ cells }: CampaignComparison, limitPercent: number): readonly CommonCell[] {
  return cells.filter(({ ratio }) => ratio.low !== null && ratio.low > 1 + limitPercent / 100);
}

function passes({ failed }: CampaignComparison, above: readonly CommonCell[]): boolean {
  return above.length === 0 && failed.length === 0;
}

function printComparison(dir: string, against: string, found: CampaignComparison): void {
  const { cells, mean, level, onlyHere, onlyAgainst, failed, warnings } = found;
  noteAlike(warnings);
  const interval = `${Number((level * 100).toPrecision(4))} % interval`;
  print(`Times in ${dir} against ${against}; a ratio above 1 is slower.`);
  printTable(cells, [
    ...(cells.some(({ program }) => program !== '') ? [left<CommonCell>('program', ({ program }) => program)] : []),
    right('nodes', ({ nodes }) => nodes),
    ...(cells.some(({ scale }) => scale > 0) ? [right<CommonCell>('scale', ({ scale }) => scale)] : []),
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
  for (const cell of failed) print(`Failed in ${dir}: ${placeText(cell)}.`);
}

/** Errors: `badInput` where intervals are not known, `tooSlow` where cells are slower, or failed in the campaign alone. */
function refuseSlower(result: {
  readonly dir: string;
  readonly against: string;
  readonly limit: number;
  readonly found: CampaignComparison;
  readonly above: readonly CommonCell[];
}): void {
  const { dir, against, limit, found, above } = result;
  const unknown = found.cells.filter(({ ratio }) => ratio.low === null).length;
  if (unknown > 0) {
    throw badInput(
      `--fail-above: how far ${unknown} of ${found.cells.length} cells of ${dir} and ${against} scatter is not known, so nothing can be said of them: sweep with --reps 3.`,
    );
  }
  if (passes(found, above)) return;
  const slow = above.map((cell) => `${placeText(cell)} (${trimmed(cell.ratio.value)}, ${ends(cell.ratio, trimmed)})`);
  const parts = [
    ...(slow.length > 0 ? [`slower than in ${against} by more than ${limit} %: ${listed(slow)}`] : []),
    ...(found.failed.length > 0 ? [`failed, where ${against} has times: ${listed(found.failed.map(placeText))}`] : []),
  ];
  const count = above.length + found.failed.length;
  throw new PredictError(`${count} of the common cells in ${dir} ${count === 1 ? 'is' : 'are'} ${parts.join('; ')}.`, {
    kind: 'tooSlow',
  });
}

/** What one sentence lists. */
const LISTED = 4;

function listed(texts: readonly string[]): string {
  const more = texts.length - LISTED;
  return texts.slice(0, LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function placeText({ program, nodes, scale, bw }: CellPlace): string {
  const size = scale > 0 ? `, scale ${scale}` : '';
  return `${program === '' ? '' : `${program}, `}${nodes} node${nodes === 1 ? '' : 's'}${size}, ${bw} %`;
}

/** Three digits. */
function trimmed(value: number): string {
  return value < 1000 ? value.toPrecision(3) : value.toFixed(0);
}

import { badInput, formatSeconds, nodesText, PredictError, parseNumber, sizeText } from '../../base/index.ts';
import { openCampaign } from '../../experiments/index.ts';
import {
  type CampaignComparison,
  type CellPlace,
  type CommonCell,
  compareCampaigns,
  type Gate,
} from '../../modeling/index.ts';
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
  readonly strict?: boolean | undefined;
  readonly interval?: string | true | undefined;
  readonly program?: string | undefined;
  readonly json?: boolean;
}

/** What changed since another campaign, cell by cell; with --fail-above an error (`tooSlow`) where it got slower by more than that. */
export async function compareAgainst(dir: string, flags: Flags): Promise<void> {
  const { against, program, strict = false } = flags;
  const limitPercent = given(flags.failAbove, parseLimit);
  if (strict && limitPercent === undefined) throw badInput('--strict is about --fail-above: give that limit too.');
  const level = typeof flags.interval === 'string' ? parseNumber(flags.interval, '--interval') : 0.9;
  const [here, there] = [await openCampaign(dir), await openCampaign(against)];
  const { gate: found, ...compared } = compareCampaigns(here, there, { level, program, limitPercent });
  const failed = found === null ? [] : compared.failed;
  const gate = found && { ...found, strict, passed: passes(found, failed, strict) };
  if (flags.json) printJson({ dir, against, ...compared, ...(gate ? { gate } : {}) });
  else printComparison(dir, against, compared);
  if (limitPercent === undefined) return;
  if (gate === null) throw notKnown(dir, against, compared);
  if (!flags.json) printGate(gate);
  if (!gate.passed) throw tooSlow(dir, against, { failed, gate });
}

type Judged = Gate<CommonCell> & { readonly strict: boolean; readonly passed: boolean };

/** `strict`: what may be too slow does not pass either. */
function passes(gate: Gate<CommonCell>, failed: readonly CellPlace[], strict: boolean): boolean {
  const isSlow = gate.mean.slower || gate.above.length > 0 || failed.length > 0;
  return !isSlow && !(strict && (gate.meanUndecided || gate.undecided.length > 0));
}

function printGate({ limitPercent, mean, seesPercent, undecided, meanUndecided }: Judged): void {
  print(
    `A mean slowdown of ${seesPercent.toFixed(1)} % or more would exceed the limit of ${limitPercent} % with 95 % confidence; it is ${percentText(mean.value)} (95 % interval ${percentText(mean.low)} to ${percentText(mean.high)}).`,
  );
  if (meanUndecided)
    printCareful(`The mean may be above or below the limit: visit cells again (sweep --reps, --precision).`);
  if (undecided.length > 0) {
    printCareful(
      `Of ${undecided.length} more it is not known whether they are slower by more than ${limitPercent} %: ${listed(undecided)}; visit them again (sweep --reps, --precision).`,
    );
  }
}

/** A ratio as what it is above 1: `+9.8 %`. */
function percentText(ratio: number): string {
  const percent = (ratio - 1) * 100;
  return `${percent < 0 ? '-' : '+'}${Math.abs(percent).toFixed(1)} %`;
}

/** `10%` or `10`. */
function parseLimit(text: string): number {
  return parseNumber(text.trim().replace(/%$/, ''), '--fail-above');
}

type Compared = Omit<CampaignComparison, 'gate'>;

function printComparison(dir: string, against: string, found: Compared): void {
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

function notKnown(dir: string, against: string, { cells }: Compared): PredictError {
  const unknown = cells.filter(({ ratio }) => ratio.low === null).length;
  return badInput(
    `--fail-above: how far ${unknown} of ${cells.length} cells of ${dir} and ${against} scatter is not known, so nothing can be said of them: sweep with --reps 3.`,
  );
}

/** What is slower, what failed, and with --strict what is undecided. */
function tooSlow(
  dir: string,
  against: string,
  { failed, gate }: { readonly failed: readonly CellPlace[]; readonly gate: Judged },
): PredictError {
  const { above, undecided, limitPercent, mean, strict, meanUndecided } = gate;
  const limit = `slower by more than ${limitPercent} %`;
  const parts = [
    mean.slower ? `the mean is ${limit} (${percentText(mean.value)})` : '',
    above.length > 0 ? `${count(above)} ${limit}: ${listed(above)}` : '',
    failed.length > 0 ? `${failed.length} failed: ${listed(failed)}` : '',
    strict && meanUndecided ? `the mean may be ${limit}` : '',
    strict && undecided.length > 0 ? `${undecided.length} may be ${limit}: ${listed(undecided)}` : '',
  ];
  const said = parts.filter((part) => part !== '').join(', and ');
  return new PredictError(`Since ${against}, of the cells of ${dir} ${said}.`, { kind: 'tooSlow' });
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

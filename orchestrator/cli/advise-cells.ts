import { parseCount, parseNumber, parseSeconds } from '../../base/bounds.ts';
import { badInput } from '../../base/errors.ts';
import { endsText, formatSeconds, nodesText, sizeText } from '../../base/units.ts';
import { type Narrower, narrower } from '../../modeling/answers/narrower.ts';
import { chooseAndFit } from '../../modeling/questions/choose-and-fit.ts';
import type { Measurements } from '../../modeling/questions/measurements.ts';
import { chooseNextCells } from '../../modeling/questions/next-cells.ts';
import type { Target } from '../../modeling/rows.ts';
import { suggestSweep } from '../../report/answers/next.ts';
import { given, parseTarget } from './flags.ts';
import {
  bootstrapOptions,
  type ModelCommandFlags,
  openSource,
  parseBandwidths,
  parseNodes,
  parseQuestion,
  parseScales,
} from './parse-question.ts';
import { type Answer, cellColumns, print, printExactly, printTable, right } from './print.ts';

/** Which cells to measure next so that the interval of a projection shrinks most. */
export async function adviseCells(dir: string | undefined, flags: ModelCommandFlags): Promise<Answer> {
  if (flags.target === undefined || flags.budget === undefined)
    throw badInput('--target and --budget say together what to measure next: give both.');
  const bootstrap = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const chosen = await chooseAndFit(source, parseQuestion(flags, { projecting: true }));
  const { solved, comparison, form, options } = chosen;
  const target = parseTarget(flags.target, solved.fit.trainedOn.scales);
  const advice = chooseNextCells(source, solved, {
    ...bootstrap,
    target,
    budgetNodeHours: parseNumber(flags.budget, '--budget'),
    nodes: given(flags.nodes, (text) => parseNodes(text, source.isAdmissible)),
    scales: given(flags.scale, parseScales),
    bw: given(flags.bw, (text) => parseBandwidths(text)),
    roots: given(flags.roots, (text) => parseCount(text, '--roots')),
    overheadS: parseSeconds(flags.overhead ?? '10s', '--overhead'),
  });
  const asked = { model: comparison ? ('auto' as const) : form, cells: solved.cells, options };
  const expected = narrower(asked, target, { ...bootstrap, isAdmissible: source.isAdmissible });
  return { json: { ...advice, narrower: expected }, say: () => printAdvice(advice, { target, source, dir, expected }) };
}

function printNarrower({ twice, larger }: Narrower): void {
  const more =
    larger === null ? '' : `; with ${nodesText(larger.nodes)} measured as well, ${endsText(larger.ct, formatSeconds)}`;
  print(`With each run made twice it would be ${endsText(twice, formatSeconds)}${more}.`);
}

function printAdvice(
  { before, after, nodeHours, cells, roots }: ReturnType<typeof chooseNextCells>,
  {
    target,
    source,
    dir,
    expected,
  }: {
    readonly target: Target;
    readonly source: Measurements;
    readonly dir: string | undefined;
    readonly expected: Narrower;
  },
): void {
  const where = `${nodesText(target.nodes)} at ${target.bw} % bandwidth${sizeText(target.scale)}`;
  print(`On ${where}: ${formatSeconds(before.value ?? 0)} today (${endsText(before, formatSeconds)}).`);
  printNarrower(expected);
  if (cells.length === 0) {
    print('No cell fits into the budget: raise --budget.');
    return;
  }
  print(
    `These ${cells.length} cells, ${nodeHours.toPrecision(3)} node-hours, should narrow it to ${endsText(after, formatSeconds)}:`,
  );
  printTable(cells, [
    ...cellColumns(cells, (cell) => cell),
    right('rep', ({ rep }) => rep),
    right('node-hours', (cell) => cell.nodeHours.toPrecision(3)),
    right('standard error left', (cell) => `${(cell.standardErrorLeft * 100).toFixed(0)} %`),
  ]);
  const { campaign } = source;
  const planned = { planned: campaign?.campaign ?? null, records: campaign?.records ?? [] };
  printExactly(suggestSweep(cells, { ...planned, dir: dir ?? null, roots }));
}

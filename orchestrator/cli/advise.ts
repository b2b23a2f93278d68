import { formatSeconds, nodesText, parseCount, parseNumber, parseSeconds, sizeText } from '../../base/index.ts';
import { chooseAndFit, nextCells } from '../../modeling/index.ts';
import { sweepCommand } from '../../report/index.ts';
import { given } from './flags.ts';
import {
  bootstrapOptions,
  type ModelFlags,
  openSource,
  parseBandwidths,
  parseNodes,
  parseQuestion,
  parseScales,
} from './parse-question.ts';
import { parseTarget } from './parse-target.ts';
import { ends, print, printExactly, printJson, printTable, right, scaleColumn } from './print.ts';

interface AdviseFlags extends ModelFlags {
  readonly target: string;
  readonly budget: string;
  readonly nodes?: string;
  readonly roots?: string;
  readonly overhead: string;
}

export async function adviseCommand(dir: string | undefined, flags: AdviseFlags): Promise<void> {
  const bootstrap = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const question = parseQuestion(flags, { projecting: true });
  const { solved } = await chooseAndFit(source, question);
  const target = parseTarget(flags.target, solved.fit.trainedOn.scales);
  const advice = nextCells(source, solved, {
    ...bootstrap,
    target,
    budgetNodeHours: parseNumber(flags.budget, '--budget'),
    nodes: given(flags.nodes, (text) => parseNodes(text, source.isAdmissible)),
    scales: given(flags.scale, parseScales),
    bw: given(flags.bw, (text) => parseBandwidths(text)),
    roots: given(flags.roots, (text) => parseCount(text, '--roots')),
    overheadS: parseSeconds(flags.overhead, '--overhead'),
  });
  if (flags.json) return printJson(advice);
  const { before, after, nodeHours, cells, roots } = advice;
  print(
    `On ${nodesText(target.nodes)} at ${target.bw} % bandwidth${sizeText(target.scale)}: ${formatSeconds(before.value ?? 0)} today (${ends(before, formatSeconds)}).`,
  );
  if (cells.length === 0) return print('No cell fits into the budget: raise --budget.');
  print(
    `These ${cells.length} cells, ${nodeHours.toPrecision(3)} node-hours, should narrow it to ${ends(after, formatSeconds)}:`,
  );
  printTable(cells, [
    right('nodes', ({ nodes }) => nodes),
    ...scaleColumn(cells, ({ scale }) => scale),
    right('bw %', ({ bw }) => bw),
    right('rep', ({ rep }) => rep),
    right('node-hours', (cell) => cell.nodeHours.toPrecision(3)),
    right('standard error left', (cell) => `${(cell.standardErrorLeft * 100).toFixed(0)} %`),
  ]);
  const { campaign } = source;
  const planned = { planned: campaign?.campaign ?? null, records: campaign?.records ?? [] };
  printExactly(sweepCommand(cells, { ...planned, dir: dir ?? null, roots }));
}

import {
  type CellPathSummary,
  goodRuns,
  IDLE,
  type PathCampaign,
  pathCampaign,
  type RunChoice,
  TRANSFER,
  type Way,
  WORK,
} from '../../../analysis/index.ts';
import { badInput, formatSeconds, groupBy, own } from '../../../base/index.ts';
import { openCampaign } from '../../../experiments/index.ts';
import { left, note, noteAlike, print, printJson, printTable, right, scaleColumn } from '../print.ts';
import { largestParts } from './print-divided.ts';

interface Options extends RunChoice {
  readonly by: Way;
  readonly level: number;
  readonly json: boolean | undefined;
}

/** The paths of every cell of a campaign in a line each, and what they say together. */
export async function pathsOfCampaign(dir: string, { by, level, json, ...choice }: Options): Promise<void> {
  const good = await goodRuns(await openCampaign(dir), choice);
  if (good.records.length === 0) throw badInput(`${dir} has no measured cell yet: run predict sweep first.`);
  const found = await pathCampaign(good, { level });
  if (found === null) {
    throw badInput(`No run in ${dir} has phases for a critical path: its program traces none.`);
  }
  const { cells, skipped, fits, components, takeovers, forecasts, findings } = found;
  const sentences = findings.map(({ sentence }) => sentence);
  const warnings = [...cells.flatMap((one) => one.warnings), ...skipped.map(({ reason }) => reason)];
  if (json) {
    return printJson({
      cells: cells.map((one) => ({
        ...one.cell,
        ...{ searches: one.searches, hops: one.hops, doubtfulHops: one.doubtfulHops, inference: one.inference },
        ...{ meanNs: one.meanNs, transfersNs: one.transfersNs, by: Object.fromEntries(one.divided[by]) },
        ...{ problems: one.problems, warnings: one.warnings },
      })),
      skipped: skipped.map(({ cell, reason }) => ({ id: cell.id, reason })),
      ...{ components, takeovers, forecasts, findings, sentences },
    });
  }
  print(`The critical path of a ${good.options.platform.noun}, mean of each cell:`);
  if (by === 'phase') printByPhase(cells);
  else printMost(cells, by);
  print('');
  for (const sentence of sentences) print(sentence);
  if (fits.kind === 'refused') note(`predict: no forecast: ${fits.reason}`);
  doubts(found);
  noteAlike(warnings);
}

/** Exchanges as `transfer + work`, shares in percent; a missing processor counts as work. */
function printByPhase(cells: readonly CellPathSummary[]): void {
  const kinds = cells[0]?.kinds ?? [];
  const percent = ({ meanNs }: CellPathSummary, key: string): number =>
    ((own(meanNs, key) ?? 0) / Math.max(1, meanNs.length ?? 0)) * 100;
  const text = (one: CellPathSummary, name: string, isExchange: boolean): string => {
    const [whole, idle] = [percent(one, name), percent(one, name + IDLE)];
    if (!isExchange || whole > 0) return `${(whole + idle).toFixed(0)} %`;
    return `${percent(one, name + TRANSFER).toFixed(0)} + ${(percent(one, name + WORK) + idle).toFixed(0)} %`;
  };
  print('(of communication: transfer + work)');
  printTable(cells, [
    ...scaleColumn(cells, ({ cell }) => cell.scale),
    ...settings,
    ...kinds.map(({ name, group }) => right<CellPathSummary>(name, (one) => text(one, name, group !== null))),
  ]);
}

const settings = [
  right<CellPathSummary>('nodes', ({ cell }) => cell.nodes),
  right<CellPathSummary>('bw %', ({ cell }) => cell.bw),
  right<CellPathSummary>('path', ({ meanNs }) => formatSeconds((meanNs.length ?? 0) / 1e9)),
  right<CellPathSummary>('switch', ({ hops, searches }) => (hops / searches).toFixed(1)),
];

function printMost(cells: readonly CellPathSummary[], by: Way): void {
  printTable(cells, [
    ...scaleColumn(cells, ({ cell }) => cell.scale),
    ...settings,
    left<CellPathSummary>('mostly on', (one) => largestParts(one.divided[by], own(one.meanNs, 'length') ?? 0)),
  ]);
}

/** What was strange, once for all cells. */
function doubts({ cells }: PathCampaign): void {
  const [hops, doubtful] = [0, 1].map((index) =>
    cells.reduce((sum, one) => sum + (index === 0 ? one.hops : one.doubtfulHops), 0),
  );
  if (doubtful) {
    note(
      `predict: ${doubtful} of ${hops} rank switches are uncertain: the ranks entered or sent closer together than the clocks can resolve.`,
    );
  }
  for (const same of groupBy(
    cells.flatMap((one) => one.problems),
    ({ kind }) => kind,
  )) {
    note(`predict: ${same[0]?.kind} (${same.reduce((sum, { count }) => sum + count, 0)}x)`);
  }
}

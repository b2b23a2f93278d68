import type { GoodRuns } from '../../../analysis/explain-campaign.ts';
import { type PathCampaign, pathCampaign } from '../../../analysis/path/across/path-campaign.ts';
import type { CellPathSummary } from '../../../analysis/path/path-summary.ts';
import { IDLE, TRANSFER, WORK } from '../../../analysis/path/run-graph.ts';
import type { Way } from '../../../analysis/path/run-paths.ts';
import { badInput } from '../../../base/errors.ts';
import { groupBy, own } from '../../../base/lists.ts';
import { formatSeconds } from '../../../base/units.ts';
import { type Column, cellColumns, left, note, noteAlike, print, printJson, printTable, right } from '../print.ts';
import { largestParts, noteDoubtful, time } from './print-path.ts';

interface Options {
  readonly by: Way;
  readonly level: number;
  /** Whether MPI calls were recorded, not phases by the program itself. */
  readonly isRecorded: boolean;
  readonly json: boolean | undefined;
}

/** The paths of every cell of a campaign in a line each, and what they say together. */
export async function pathsOfCampaign(good: GoodRuns, { by, level, isRecorded, json }: Options): Promise<void> {
  if (good.records.length === 0) throw badInput(`${good.dir} has no measured cell yet: run predict sweep first.`);
  const found = await pathCampaign(good, { level });
  if (found === null) {
    const lacks = isRecorded ? 'recorded MPI calls, which a critical path needs' : 'phases for a critical path';
    const advice = isRecorded ? '' : " Write 'trace: mpi' into the workload of an MPI program, and measure again.";
    throw badInput(`No run in ${good.dir} has ${lacks}.${advice}`);
  }
  if (json) printJson(asJson(found, { by, isRecorded }));
  else printCampaign(found, { by, isRecorded, noun: good.options.platform.noun });
}

function asJson(
  { cells, skipped, components, takeovers, forecasts, findings }: PathCampaign,
  { by, isRecorded }: Pick<Options, 'by' | 'isRecorded'>,
) {
  return {
    cells: cells.map((one) => ({
      ...one.cell,
      ...{ searches: one.searches, hops: one.hops, doubtfulHops: one.doubtfulHops, inference: one.inference },
      ...{ meanNs: one.meanNs, transfersNs: one.transfersNs, by: Object.fromEntries(one.divided[by]) },
      ...(isRecorded ? { part: one.part, causes: one.causes } : {}),
      ...{ problems: one.problems, warnings: one.warnings },
    })),
    skipped: skipped.map(({ cell, reason }) => ({ id: cell.id, reason })),
    ...{ components, takeovers, forecasts, findings, sentences: findings.map(({ sentence }) => sentence) },
  };
}

function printCampaign(
  { cells, skipped, parts, findings, fits, forecasts }: PathCampaign,
  { by, isRecorded, noun }: Pick<Options, 'by' | 'isRecorded'> & { readonly noun: string },
): void {
  print(`The critical path of a ${noun}, ${isRecorded ? parts.join('; ') : 'mean of each cell'}:`);
  const inColumns = by === 'phase' && !isRecorded;
  if (inColumns) print(`(of communication: transfer + work${outsidePhases(cells)})`);
  const lengthOf = ({ meanNs }: CellPathSummary): number => own(meanNs, 'length') ?? 0;
  printTable(cells, [
    ...cellColumns(cells, ({ cell }) => cell),
    right('path', (one) => time(lengthOf(one))),
    right('switch', ({ hops, searches }) => (isRecorded ? hops : (hops / searches).toFixed(1))),
    ...(inColumns
      ? phaseColumns(cells)
      : [
          left<CellPathSummary>(by === 'phase' ? 'mostly' : 'mostly on', (one) =>
            largestParts(one.divided[by], lengthOf(one)),
          ),
        ]),
  ]);
  print('');
  for (const { sentence } of findings) print(sentence);
  if (fits.kind === 'refused') note(`predict: no forecast: ${fits.reason}`);
  printForecasts(forecasts);
  noteDoubtful(cells, 'the ranks entered or sent');
  const problems = cells.flatMap((one) => one.problems);
  for (const same of groupBy(problems, ({ kind }) => kind)) {
    note(`predict: ${same[0]?.kind} (${same.reduce((sum, { count }) => sum + count, 0)}x)`);
  }
  noteAlike([...cells.flatMap((one) => one.warnings), ...skipped.map(({ reason }) => reason)]);
}

/** The path on clusters that were not measured, at each bandwidth, with its interval. */
function printForecasts(forecasts: PathCampaign['forecasts']): void {
  if (forecasts.length === 0) return;
  const levels = [...new Set(forecasts.map(({ bw }) => bw))];
  const seconds = (one: number | null): string => (one === null ? '-' : formatSeconds(one));
  print('\nForecast of the path, with intervals:');
  printTable(
    groupBy(forecasts, ({ nodes }) => String(nodes)),
    [
      right('nodes', ([one]) => one?.nodes ?? 0),
      ...levels.map((bw) =>
        right<PathCampaign['forecasts']>(`at ${bw} %`, (own) => {
          const found = own.find((one) => one.bw === bw);
          if (found === undefined) return '-';
          const { low, high } = found.interval;
          return `${seconds(found.lengthSeconds)} (${seconds(low)} to ${seconds(high)})`;
        }),
      ),
    ],
  );
}

/** Of a path, percent. */
function percentOf({ meanNs }: CellPathSummary, key: string): number {
  return ((own(meanNs, key) ?? 0) / Math.max(1, meanNs.length ?? 0)) * 100;
}

/** Communication as `transfer + work`, shares in percent; a missing processor counts as work. */
function phaseColumns(cells: readonly CellPathSummary[]): Column<CellPathSummary>[] {
  const kinds = cells[0]?.kinds ?? [];
  return kinds.map(({ name, group }) =>
    right(name, (one) => {
      const [whole, idle] = [percentOf(one, name), percentOf(one, name + IDLE)];
      if (group === null || whole > 0) return `${(whole + idle).toFixed(0)} %`;
      return `${percentOf(one, name + TRANSFER).toFixed(0)} + ${(percentOf(one, name + WORK) + idle).toFixed(0)} %`;
    }),
  );
}

/** What those columns leave out of some path at most: time before a rank's first phase, and between phases. */
function outsidePhases(cells: readonly CellPathSummary[]): string {
  const keys = (cells[0]?.kinds ?? []).flatMap(({ name }) => ['', IDLE, TRANSFER, WORK].map((part) => name + part));
  const most = Math.max(0, ...cells.map((one) => keys.reduce((rest, key) => rest - percentOf(one, key), 100)));
  return most < 0.5 ? '' : `; up to ${most.toFixed(0)} % is in no phase`;
}

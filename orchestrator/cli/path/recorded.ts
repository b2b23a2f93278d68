import {
  dividedRecorded,
  goodRuns,
  pathDifferences,
  pathSteps,
  type RecordedPath,
  type RunChoice,
  recordedCampaign,
  recordedPath,
  type Way,
} from '../../../analysis/index.ts';
import { badInput, formatSeconds, nodesText, sizeText } from '../../../base/index.ts';
import { openCampaign } from '../../../experiments/index.ts';
import { findCell } from '../grade10/find-cell.ts';
import { placeOf } from '../grade10/one-cell.ts';
import { left, note, noteAlike, print, printJson, printTable, right, scaleColumn } from '../print.ts';
import { sayActivities } from './activities.ts';
import type { PathFlags } from './flags.ts';
import { largestParts, printDifferences, printDivided } from './print-divided.ts';
import { problemNotes } from './problems.ts';

interface Options extends RunChoice {
  readonly by: Way;
  readonly level: number;
  readonly flags: PathFlags;
}

/** The paths of a campaign whose MPI calls were recorded, or of one of its runs; false for any other campaign. */
export async function pathsOfRecorded(dir: string, { level, by, flags, ...choice }: Options): Promise<boolean> {
  const good = await goodRuns(await openCampaign(dir), choice);
  const { workload } = good.campaign;
  if (!('trace' in workload) || workload.trace !== 'mpi') return false;
  if (flags.root !== undefined) {
    throw badInput(
      `--root selects a search of the bundled programs, but a run of ${dir} has one path (of MPI calls): leave it out.`,
    );
  }
  if (good.records.length === 0) throw badInput(`${dir} has no measured cell yet: run predict sweep first.`);
  if (flags.cell !== undefined) {
    const open = async (from: string, wanted: string): Promise<RecordedPath> => {
      const other = await goodRuns(await openCampaign(from), choice);
      return await recordedPath(other, findCell(other, wanted));
    };
    const before = flags.against === undefined ? null : await open(...placeOf(flags.against, dir));
    await oneRun(await recordedPath(good, findCell(good, flags.cell)), { before, by, flags });
    return true;
  }
  const found = await recordedCampaign(good, { level });
  if (found === null) throw badInput(`No run in ${dir} has recorded MPI calls, which a critical path needs.`);
  const { cells, skipped, fits, components, takeovers, forecasts, findings } = found;
  const sentences = findings.map(({ sentence }) => sentence);
  const problems = cells.flatMap((cell) => cell.problems);
  if (flags.json) {
    printJson({
      cells: cells.map((one) => ({
        ...{ ...one.cell, hops: one.path.hops, meanNs: one.meanNs, ranksNs: one.ranksNs },
        by: Object.fromEntries(dividedRecorded(one, by)),
      })),
      skipped: skipped.map(({ cell, reason }) => ({ id: cell.id, reason })),
      ...{ components, takeovers, forecasts, findings, sentences, problems },
    });
    return true;
  }
  print(`The critical path of a ${good.options.platform.noun}, from MPI_Init to MPI_Finalize:`);
  printTable(cells, [
    ...scaleColumn(cells, ({ cell }) => cell.scale),
    right('nodes', ({ cell }) => cell.nodes),
    right('bw %', ({ cell }) => cell.bw),
    right('path', ({ path }) => formatSeconds(path.lengthNs / 1e9)),
    right('switch', ({ path }) => path.hops),
    left(by === 'phase' ? 'mostly' : 'mostly on', (one) => largestParts(dividedRecorded(one, by), one.path.lengthNs)),
  ]);
  print('');
  for (const sentence of sentences) print(sentence);
  if (fits.kind === 'refused') note(`predict: no forecast: ${fits.reason}`);
  problemNotes(problems);
  noteAlike(skipped.map(({ reason }) => reason));
  return true;
}

async function oneRun(
  found: RecordedPath,
  { before, by, flags }: { readonly before: RecordedPath | null; readonly by: Way; readonly flags: PathFlags },
): Promise<void> {
  const { cell, activities, problems, window, path, meanNs, ranksNs, hostOf } = found;
  const { length: _, ...profileNs } = meanNs;
  const search = {
    ...{ root: 0, startNs: window.startNs, endNs: window.endNs, lengthNs: path.lengthNs, hops: path.hops },
    ...{ profileNs, ranksNs },
    path: flags.json
      ? [...pathSteps(activities, path)].map(({ worker, startNs, endNs, key }) => ({
          ...{ rank: Number(activities.workers[worker]), startNs, endNs, key },
        }))
      : [],
  };
  if (!flags.json) print(`${nodesText(cell.nodes)}${sizeText(cell.scale)}, ${cell.bw} % bandwidth.`);
  const parts = dividedRecorded(found, by);
  const differences = before && pathDifferences(before, found);
  const more = {
    ...{ cell, searches: [search], meanNs, by: Object.fromEntries(parts) },
    hosts: Array.from({ length: cell.ranks }, (__, rank) => hostOf(rank)),
    ...(before && differences ? { against: before.cell, differences } : {}),
  };
  await sayActivities({ activities, problems, originNs: 0n }, { flags, whole: window, more });
  if (flags.json) return;
  if (by !== 'phase') printDivided(parts, { by, lengthNs: path.lengthNs });
  if (differences) printDifferences(differences);
}

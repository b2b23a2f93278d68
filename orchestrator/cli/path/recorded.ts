import {
  pathAcross,
  pathSteps,
  type RecordedPath,
  type RunChoice,
  readGoodRuns,
  recordedPath,
  type Way,
} from '../../../analysis/index.ts';
import { badInput, formatSeconds } from '../../../base/index.ts';
import { findCell } from '../grade10/find-cell.ts';
import { left, note, print, printJson, printTable, right } from '../print.ts';
import { sayActivities } from './activities.ts';
import { type PathFlags, spelled } from './flags.ts';
import { problemNotes } from './problems.ts';

interface Options extends RunChoice {
  readonly by: Way;
  readonly level: number;
  readonly flags: PathFlags;
}

/** The paths of a campaign whose MPI calls were recorded, or of one of its runs; false for any other campaign. */
export async function pathsOfRecorded(dir: string, { level, by, flags, ...choice }: Options): Promise<boolean> {
  const good = await readGoodRuns(dir, choice);
  const { workload } = good.campaign;
  if (!('trace' in workload) || workload.trace !== 'mpi') return false;
  const ofPhases =
    (['root', 'against'] as const).find((flag) => flags[flag] !== undefined) ?? (by === 'phase' ? null : 'by');
  if (ofPhases !== null) {
    throw badInput(
      `${spelled(ofPhases)} is about phases of our own programs, and ${dir} has recorded calls of MPI: leave it out.`,
    );
  }
  if (good.records.length === 0) throw badInput(`${dir} has no measured cell yet: run predict sweep first.`);
  if (flags.cell !== undefined) {
    await oneRun(await recordedPath(dir, findCell(good, flags.cell)), flags);
    return true;
  }
  const cells: RecordedPath[] = [];
  for (const record of good.records) cells.push(await recordedPath(dir, record));
  const { platform } = good.options;
  const found = pathAcross(cells, { platform, level, ranksPerNode: good.campaign.inventory.ranksPerNode });
  const sentences = found.findings.map(({ sentence }) => sentence);
  const problems = cells.flatMap((cell) => cell.problems);
  if (flags.json) {
    const { components, takeovers, forecasts, findings } = found;
    printJson({
      cells: cells.map(({ cell, path, meanNs, ranksNs }) => ({ ...cell, hops: path.hops, meanNs, ranksNs })),
      ...{ components, takeovers, forecasts, findings, sentences, problems },
    });
    return true;
  }
  print(`The critical path of a ${platform.noun}, from MPI_Init to MPI_Finalize:`);
  printTable(cells, [
    right('scale', ({ cell }) => cell.scale),
    right('nodes', ({ cell }) => cell.nodes),
    right('bw %', ({ cell }) => cell.bw),
    right('path', ({ path }) => formatSeconds(path.lengthNs / 1e9)),
    right('hops', ({ path }) => path.hops),
    left('most of it', ({ meanNs }) => mostOf(meanNs)),
  ]);
  print('');
  for (const sentence of sentences) print(sentence);
  if (found.fits.kind === 'refused') note(`predict: no forecast: ${found.fits.reason}`);
  problemNotes(problems);
  return true;
}

/** Keys that are named of a run. */
const NAMED = 3;

function mostOf({ length = 0, ...keys }: Readonly<Record<string, number>>): string {
  return Object.entries(keys)
    .sort((a, b) => b[1] - a[1])
    .slice(0, NAMED)
    .map(([key, ns]) => `${key} (${((ns / Math.max(1, length)) * 100).toFixed(0)} %)`)
    .join(', ');
}

async function oneRun(found: RecordedPath, flags: PathFlags): Promise<void> {
  const { cell, activities, problems, window, path, meanNs, ranksNs } = found;
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
  if (!flags.json) print(`${cell.nodes} nodes, scale ${cell.scale}, ${cell.bw} % bandwidth.`);
  const more = { cell, searches: [search], meanNs };
  await sayActivities({ activities, problems, originNs: 0n }, { flags, whole: window, more });
}

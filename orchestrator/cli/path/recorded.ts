import type { GoodRuns, RunChoice } from '../../../analysis/explain-campaign.ts';
import { pathSteps } from '../../../analysis/path/graph/activity-path.ts';
import { recordedPath } from '../../../analysis/path/mpi/recorded-path.ts';
import { dividedRecorded } from '../../../analysis/path/mpi/recorded-summary.ts';
import { pathDifferences } from '../../../analysis/path/phases/path-differences.ts';
import type { Way } from '../../../analysis/path/ways.ts';
import { nodesText, sizeText } from '../../../base/units.ts';
import { findCell, namedRun } from '../grade10/find-cell.ts';
import { note, print } from '../print.ts';
import type { PathFlags } from './path-flags.ts';
import { sayActivities } from './path-of-activities.ts';
import { printDifferences, printParts } from './print-path.ts';
import { whatIfRecorded } from './what-if-command.ts';

interface Options {
  readonly by: Way;
  readonly choice: RunChoice;
  readonly flags: PathFlags & { readonly cell: string };
}

/** The path of one run whose MPI calls were recorded. */
export async function pathOfRecorded(good: GoodRuns, { by, choice, flags }: Options): Promise<void> {
  const other = flags.against === undefined ? null : await namedRun(flags.against, good.dir, choice);
  const before = other && (await recordedPath(other.good, other.record, other.good.options));
  const found = await recordedPath(good, findCell(good, flags.cell), good.options);
  const { cell, activities, problems, part, path, meanNs, ranksNs, hostOf } = found;
  const { length: _, ...profileNs } = meanNs;
  const search = {
    ...{ root: 0, startNs: path.startNs, endNs: path.endNs, lengthNs: path.lengthNs, hops: path.hops },
    ...{ profileNs, ranksNs },
    path: flags.json
      ? [...pathSteps(activities, path)].map(({ worker, startNs, endNs, key }) => ({
          ...{ rank: Number(activities.workers[worker]), startNs, endNs, key },
        }))
      : [],
  };
  if (!flags.json) print(`${nodesText(cell.nodes)}${sizeText(cell.scale)}, ${cell.bw} % bandwidth, ${part.words}.`);
  for (const warning of part.warnings) note(`predict: ${warning}`);
  const parts = dividedRecorded(found, by);
  const differences = before && pathDifferences(before, found);
  const { whatIf, ...others } = flags;
  const changed = whatIf === undefined ? null : whatIfRecorded(whatIf, { good, found });
  const more = {
    ...{ cell, part, searches: [search], meanNs, by: Object.fromEntries(parts) },
    hosts: Array.from({ length: cell.ranks }, (__, rank) => hostOf(rank)),
    ...(before && differences ? { against: before.cell, differences } : {}),
    ...(changed === null ? {} : { whatIf: changed }),
  };
  await sayActivities({ activities, problems, originNs: 0n }, { flags: others, stretches: part.stretches, more });
  if (flags.json) return;
  if (by !== 'phase') printParts(parts, { title: `of the path, by ${by}`, wholeNs: path.lengthNs });
  if (differences) printDifferences(differences);
  for (const sentence of changed?.sentences ?? []) print(`\n${sentence}`);
}

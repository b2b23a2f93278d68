import type { GoodRuns, RunChoice } from '../../../analysis/explain-campaign.ts';
import { runPaths } from '../../../analysis/path/path-summary.ts';
import { inferenceSentence } from '../../../analysis/path/phases/cell-paths.ts';
import { standingOut } from '../../../analysis/path/phases/stands-out.ts';
import { dividedBy, pathDifferences, type RunPaths, type Way } from '../../../analysis/path/run-paths.ts';
import { parseCount } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { at, own } from '../../../base/lists.ts';
import { nodesText, sizeText } from '../../../base/units.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import { findCell, namedRun } from '../grade10/find-cell.ts';
import { left, noteAlike, print, printJson, printTable, right } from '../print.ts';
import type { PathFlags } from './path-flags.ts';
import { sayActivities } from './path-of-activities.ts';
import { noteDoubtful, printDifferences, printParts, printSearches, problemNotes, time } from './print-path.ts';
import { savePathTrace } from './save-path.ts';
import { whatIfOf } from './what-if-command.ts';

interface Options {
  readonly by: Way;
  readonly choice: RunChoice;
  readonly isRecorded: boolean;
  readonly flags: PathFlags & { readonly cell: string };
}

/** The paths of one run: what their time went to, one search step by step, another run beside it, and what a change would save. */
export async function pathsOfCell(good: GoodRuns, { by, choice, isRecorded, flags }: Options): Promise<void> {
  const read = async (from: GoodRuns, which: CellRecord): Promise<RunPaths> =>
    await runPaths(from, which, { ...from.options, isRecorded });
  const record = findCell(good, flags.cell);
  const paths = await read(good, record);
  const { cell, problems, warnings, part } = paths;
  const root = flags.root === undefined ? null : searchOf(paths, flags.root);
  const other = flags.against === undefined ? null : await namedRun(flags.against, good.dir, choice);
  const before = other && (await read(other.good, other.record));
  const differences = before && pathDifferences(before, paths);
  const changed = flags.whatIf === undefined ? null : await whatIfOf(flags.whatIf, { good, record, paths });
  const sentences = standingOut(paths, { noun: good.options.platform.noun, runs: 1 }).map(({ sentence }) => sentence);
  const json = {
    ...pathsAsJson(paths, { by, root }),
    ...(before && differences ? { against: before.cell, differences } : {}),
    ...(changed === null ? {} : { whatIf: changed }),
    ...{ sentences, causes: paths.causes, problems, warnings },
  };
  if (!flags.json) {
    noteAlike(warnings);
    const where = `${nodesText(cell.nodes)}${sizeText(cell.scale)}, ${cell.bw} % bandwidth`;
    print(`${where}${part === undefined ? '' : `, ${part.words}`}.`);
  }
  if (isRecorded) {
    const { whatIf: _, ...others } = flags;
    const stretches = paths.graphs.map(({ slice }) => slice);
    const { activities } = at(paths.graphs, 0);
    await sayActivities({ activities, problems, originNs: 0n }, { flags: others, stretches, more: { ...json, part } });
    if (!flags.json) printDivided(paths, by);
  } else {
    const graphs = paths.graphs.filter((_, search) => root === null || paths.searches[search] === root);
    await savePathTrace(flags.trace, graphs, (rank) => `rank ${rank} on ${paths.hostOf(Number(rank))}`);
    if (flags.json) printJson(json);
    else printPhases(paths, { by, root, sentences });
  }
  if (flags.json) return;
  if (differences) printDifferences(differences);
  for (const sentence of changed?.sentences ?? []) print(`\n${sentence}`);
}

type Search = RunPaths['searches'][number];

function pathsAsJson(paths: RunPaths, { by, root }: { readonly by: Way; readonly root: Search | null }) {
  const { cell, meanNs, transfersNs, hops, doubtfulHops, inference, hostOf, searches } = paths;
  return {
    ...{ cell, meanNs, transfersNs, hops, doubtfulHops, inference, by: Object.fromEntries(dividedBy(paths, by)) },
    hosts: Array.from({ length: cell.ranks }, (_, rank) => hostOf(rank)),
    searches: (root === null ? searches : [root]).map(({ path, ...search }) => ({
      ...search,
      path: path.map(({ rank, startNs, endNs, key, from }) => ({ rank, startNs, endNs, key, hop: from >= 0 })),
    })),
  };
}

/** What paths of phases went to; with `root` one of them step by step. */
function printPhases(
  paths: RunPaths,
  { by, root, sentences }: { readonly by: Way; readonly root: Search | null; readonly sentences: readonly string[] },
): void {
  const { searches, meanNs, transfersNs, inference } = paths;
  problemNotes(paths.problems);
  noteDoubtful([paths], `the ranks ${inference ? 'sent' : 'entered'}`);
  if (root !== null) {
    printSteps(root, paths);
    return;
  }
  printSearches(searches, meanNs, transfersNs);
  printDivided(paths, by);
  for (const sentence of sentences) print(`\n${sentence}`);
  if (inference) print(`\n${inferenceSentence(inference)}`);
}

/** By another way than phases, which are said anyway. */
function printDivided(paths: RunPaths, by: Way): void {
  if (by === 'phase') return;
  printParts(dividedBy(paths, by), { title: `of the path, by ${by}`, wholeNs: own(paths.meanNs, 'length') ?? 0 });
}

function searchOf({ searches }: RunPaths, text: string): Search {
  const wanted = parseCount(text, '--root');
  const found = searches.find(({ root }) => root === wanted);
  if (found) return found;
  const known = searches.map(({ root }) => root);
  throw badInput(`The run has no search ${wanted}: --root takes ${known[0]} to ${known.at(-1)}.`);
}

function printSteps({ root, startNs, lengthNs, path }: Search, { hostOf }: RunPaths): void {
  const ms = (ns: number): string => (ns / 1e6).toFixed(3);
  print(`Search ${root}: ${time(lengthNs)}. In a step marked > the rank waited for the rank of the line above.`);
  printTable(path, [
    right('at ms', (step) => ms(step.startNs - startNs)),
    right('takes ms', (step) => ms(step.endNs - step.startNs)),
    left('', ({ from }) => (from >= 0 ? '>' : '')),
    right('rank', ({ rank }) => rank),
    left('host', ({ rank }) => hostOf(rank)),
    left('what', ({ key }) => key),
  ]);
}

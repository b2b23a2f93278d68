import type { GoodRuns, RunChoice } from '../../../analysis/explain-campaign.ts';
import { type CellPaths, cellPaths, dividedBy } from '../../../analysis/path/phases/cell-paths.ts';
import { inferenceSentence } from '../../../analysis/path/phases/inference-error.ts';
import { pathDifferences } from '../../../analysis/path/phases/path-differences.ts';
import { standingOut } from '../../../analysis/path/phases/stands-out.ts';
import type { Way } from '../../../analysis/path/ways.ts';
import { parseCount } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { own } from '../../../base/lists.ts';
import { nodesText, sizeText } from '../../../base/units.ts';
import { findCell, namedRun } from '../grade10/find-cell.ts';
import { left, note, noteAlike, print, printJson, printTable, right } from '../print.ts';
import type { PathFlags } from './path-flags.ts';
import { printDifferences, printParts, printSearches, problemNotes, time } from './print-path.ts';
import { saveCellTrace } from './save-path.ts';
import { whatIfOf } from './what-if-command.ts';

interface Options {
  readonly by: Way;
  readonly choice: RunChoice;
  readonly flags: PathFlags & { readonly cell: string };
}

/** The paths of one run: what their time went to, one search step by step, another run beside it, and what a change would save. */
export async function pathsOfCell(good: GoodRuns, { by, choice, flags }: Options): Promise<void> {
  const record = findCell(good, flags.cell);
  const paths = await cellPaths(good, record, good.options);
  const root = flags.root === undefined ? null : searchOf(paths, flags.root);
  await saveCellTrace(flags.trace, paths, root === null ? paths.searches : [root]);
  const other = flags.against === undefined ? null : await namedRun(flags.against, good.dir, choice);
  const before = other && (await cellPaths(other.good, other.record, other.good.options));
  const differences = before && pathDifferences(before, paths);
  const changed = flags.whatIf === undefined ? null : await whatIfOf(flags.whatIf, { good, record, paths });
  const { cell, searches, meanNs, transfersNs, hops, doubtfulHops, problems, warnings, hostOf, inference } = paths;
  const sentences = standingOut(paths, { noun: good.options.platform.noun, runs: 1 }).map(({ sentence }) => sentence);
  if (flags.json) {
    const shown = root === null ? searches : [root];
    return printJson({
      ...{ cell, meanNs, transfersNs, hops, doubtfulHops, inference, by: Object.fromEntries(dividedBy(paths, by)) },
      hosts: Array.from({ length: cell.ranks }, (_, rank) => hostOf(rank)),
      searches: shown.map(({ path, ...search }) => ({
        ...search,
        path: path.map(({ rank, startNs, endNs, key, hop }) => ({ rank, startNs, endNs, key, hop: hop >= 0 })),
      })),
      ...(before && differences ? { against: before.cell, differences } : {}),
      ...(changed === null ? {} : { whatIf: changed }),
      ...{ sentences, problems, warnings },
    });
  }
  noteAlike(warnings);
  problemNotes(problems);
  if (doubtfulHops > 0) {
    note(
      `predict: ${doubtfulHops} of ${hops} rank switches are uncertain: the ranks ${inference ? 'sent' : 'entered'} closer together than the clocks can resolve.`,
    );
  }
  print(`${nodesText(cell.nodes)}${sizeText(cell.scale)}, ${cell.bw} % bandwidth.`);
  if (root !== null) printSteps(root, paths);
  else {
    printSearches(searches, meanNs, transfersNs);
    if (by !== 'phase')
      printParts(dividedBy(paths, by), { title: `of the path, by ${by}`, wholeNs: own(meanNs, 'length') ?? 0 });
    for (const sentence of sentences) print(`\n${sentence}`);
    if (inference) print(`\n${inferenceSentence(inference)}`);
  }
  if (differences) printDifferences(differences);
  for (const sentence of changed?.sentences ?? []) print(`\n${sentence}`);
}

function searchOf({ searches }: CellPaths, text: string): CellPaths['searches'][number] {
  const wanted = parseCount(text, '--root');
  const found = searches.find(({ root }) => root === wanted);
  if (found) return found;
  const known = searches.map(({ root }) => root);
  throw badInput(`The run has no search ${wanted}: --root takes ${known[0]} to ${known.at(-1)}.`);
}

function printSteps({ root, startNs, lengthNs, path }: CellPaths['searches'][number], { hostOf }: CellPaths): void {
  const ms = (ns: number): string => (ns / 1e6).toFixed(3);
  print(`Search ${root}: ${time(lengthNs)}. In a step marked > the rank waited for the rank of the line above.`);
  printTable(path, [
    right('at ms', (step) => ms(step.startNs - startNs)),
    right('takes ms', (step) => ms(step.endNs - step.startNs)),
    left('', ({ hop }) => (hop >= 0 ? '>' : '')),
    right('rank', ({ rank }) => rank),
    left('host', ({ rank }) => hostOf(rank)),
    left('what', ({ key }) => key),
  ]);
}

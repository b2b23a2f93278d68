import {
  type BenchmarkProfiles,
  correlate,
  groupBenchmarks,
} from '../../../analysis/profiles/questions/correlate-paths.ts';
import type { BranchStep, FoundStep } from '../../../analysis/profiles/questions/expand.ts';
import { correlationJudge } from '../../../analysis/profiles/questions/judges.ts';
import { PATH_MEASURES } from '../../../analysis/profiles/questions/path-values.ts';
import { openStore } from '../../../analysis/profiles/store/read-store.ts';
import { parseCount, parseWord } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { parsePercent } from '../../../base/units.ts';
import { type Flags, given } from '../flags.ts';
import { left, print, printJson, printTable, right } from '../print.ts';
import { branchesOf, type ExpandFlags, MOST_EXPANDED, parseExpand, printBranches } from './branches.ts';

type CorrelateFlags = ExpandFlags & Flags<'least' | 'value' | 'most', 'leastShare'>;

/** Profiles in seconds are seen sample by sample where a code path is rare: with less of all it correlates by chance. */
const LEAST_SHARE_OF_SECONDS = 0.01;

export async function correlateCommand(store: string, flags: CorrelateFlags): Promise<void> {
  const least = parseCount(flags.least, '--least');
  const most = parseCount(flags.most, '--most');
  const value = parseWord(flags.value, '--value', PATH_MEASURES);
  const asked = parseExpand(flags);
  const floor = given(flags.leastShare, (text) => parsePercent(text, '--least-share') / 100);
  const selection = await openStore(store);
  if (selection.profiles.every(({ metricMean }) => metricMean === null)) {
    throw badInput(`No profile in ${store} has a metric to correlate with: import profiles with --metric.`);
  }
  const rows = correlate(selection, { least, value, leastShare: (benchmark) => floor ?? usualFloor(benchmark) });
  const expanded = rows.slice(0, MOST_EXPANDED).map(({ codePath }) => codePath);
  const judge = correlationJudge(groupBenchmarks(selection.profiles), { value, least });
  const branches =
    asked === null ? null : branchesOf(selection, expanded, { judge, asked, negatives: true, describe: plain });
  if (flags.json) return printJson({ rows, ...(branches !== null && { branches }) });
  if (rows.length === 0)
    return print(
      `No code path occurs in ${least} profiles of a benchmark with a metric (--least) and a large enough share (--least-share).`,
    );
  print('Correlation with the metric (mean over benchmarks; not proof of a cause):');
  printTable(rows.slice(0, most), [
    right('score', ({ score }) => score.toFixed(3)),
    left('code path', ({ codePath }) => codePath),
    left('benchmarks', ({ benchmarks }) =>
      benchmarks.map(({ benchmark, n, pcc }) => `${benchmark} ${pcc.toFixed(2)} (${n})`).join(', '),
    ),
  ]);
  if (rows.length > most) print(`${rows.length - most} more (--most).`);
  printBranches(branches ?? [], () => '');
}

function usualFloor({ members }: BenchmarkProfiles): number {
  return members.every(({ unit }) => unit === 'seconds') ? LEAST_SHARE_OF_SECONDS : 0;
}

function plain({ name, contexts, ...step }: FoundStep): BranchStep {
  return step;
}

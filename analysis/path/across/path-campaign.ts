import { at, groupBy } from '../../../base/lists.ts';
import { nodesText, sizeText } from '../../../base/units.ts';
import { partNoun } from '../../../experiments/mpi-trace/timed-part.ts';
import type { Cell } from '../../../experiments/records.ts';
import type { Campaign } from '../../../experiments/store/campaign.ts';
import { ofProgram } from '../../../experiments/store/programs.ts';
import type { ComponentFits } from '../../across/fit-components.ts';
import { type GoodRuns, measurements } from '../../explain-campaign.ts';
import { type Finding, rankFindings } from '../../finding.ts';
import { madeOfRuns } from '../../sources/runs/made-of-runs.ts';
import { type CauseFinding, causeFindings } from '../mpi/cause-findings.ts';
import { type CellPathSummary, pathSummary } from '../path-summary.ts';
import { beyondChance } from '../phases/stands-out.ts';
import { asWork, idleOf } from '../run-paths.ts';
import type { KeyTakeover, PathForecast } from './path-runs.ts';
import { type PathKey, pathAcross } from './path-scaling.ts';

/** The critical paths of a campaign, and what they say together: what `predict why DIR --method path` prints and the report draws. */
export interface PathCampaign {
  /** What a path is of: `run between its marks`. */
  readonly noun: string;
  /** Of recorded runs, what of them is explained, in words, each once. */
  readonly parts: readonly string[];
  readonly cells: readonly CellPathSummary[];
  /** Runs that left no phases, with the reason. */
  readonly skipped: readonly { readonly cell: Cell; readonly reason: string }[];
  readonly fits: ComponentFits;
  readonly components: readonly PathKey[];
  readonly takeovers: readonly KeyTakeover[];
  readonly forecasts: readonly PathForecast[];
  /** Of recorded runs: why they take as long as they do, the gravest first. */
  readonly causes: readonly CauseFinding[];
  /** Those, why it stops scaling, what the largest forecast cluster would wait for, which key leads from where on, hosts that stand out. */
  readonly findings: readonly Finding[];
}

/**
 * Follows the path through every measurement and compares them; null where none left phases. `level`: of the intervals. Errors:
 * badInput for damaged files, and for runs of several programs.
 */
export async function pathCampaign(
  good: GoodRuns,
  { level = 0.9 }: { readonly level?: number } = {},
): Promise<PathCampaign | null> {
  const { platform, lineRateBps, partRule } = good.options;
  const cells: CellPathSummary[] = [];
  const skipped: PathCampaign['skipped'][number][] = [];
  const isRecorded = recordsCalls(good.campaign);
  const options = { platform, lineRateBps, partRule, isRecorded };
  for (const { record, found } of await madeOfRuns(good, ofProgram(measurements(good), good), {
    kind: isRecorded ? 'recorded' : 'paths',
    what: 'following critical paths',
    make: async (record, from) => await pathSummary(from, record, options),
  })) {
    const { cell } = record;
    if ('skipped' in found) skipped.push({ cell, reason: found.skipped });
    else cells.push({ cell, ...found });
  }
  if (cells.length === 0) return null;
  const counted = cells.map(({ cell, meanNs, kinds }) => ({ cell, meanNs: asWork(meanNs, kinds) }));
  const parts = cells.flatMap(({ part }) => part ?? []);
  const noun = partNoun(platform.noun, parts);
  const causes = causeFindings(cells, {
    ...{ noun, level },
    forecast: { ranksPerNode: good.campaign.inventory.ranksPerNode, named: good.forecast.named },
  });
  const across = pathAcross(counted, {
    platform: { noun },
    level,
    ranksPerNode: good.campaign.inventory.ranksPerNode,
    ...good.forecast,
  });
  // Of recorded calls it is a cause by itself.
  const isSaid = causes.some(({ cause }) => cause.kind === 'cpu-quota');
  return {
    noun,
    parts: [...new Set(parts.map(({ words }) => words))],
    cells,
    skipped,
    ...across,
    causes,
    findings: [...causes, ...across.findings, ...(isSaid ? [] : idleFindings(cells)), ...oddHosts(cells)],
  };
}

/** Whether MPI calls were recorded, not phases by the program itself. */
export function recordsCalls({ workload }: Pick<Campaign, 'workload'>): boolean {
  return 'trace' in workload && workload.trace === 'mpi';
}

/** Less than this share of a path is no reason to look at processors. */
const MINOR = 0.1;

/** How much of the path ranks had no processor for, on the most nodes of the largest scale at the highest bandwidth. */
function idleFindings(cells: readonly CellPathSummary[]): readonly Finding[] {
  const largest = cells.toSorted(
    ({ cell: a }, { cell: b }) => b.scale - a.scale || b.nodes - a.nodes || b.bw - a.bw || a.rep - b.rep,
  )[0];
  const length = largest?.meanNs.length ?? 0;
  if (largest === undefined || length === 0) return [];
  const { cell, meanNs } = largest;
  const [ns, place] = [idleOf(meanNs), `${nodesText(cell.nodes)} at ${cell.bw} % bandwidth`];
  if (ns < MINOR * length) return [];
  return [
    {
      kind: 'path/idle',
      where: `${nodesText(cell.nodes)}${sizeText(cell.scale)}, ${cell.bw} % bandwidth`,
      ...{ seconds: ns / 1e9, percent: (ns / length) * 100, interval: null },
      sentence: `On ${((ns / length) * 100).toFixed(0)} % of the critical path on ${place} a rank was ready to run but had no CPU (run queue or exhausted quota). This counts as work.`,
    },
  ];
}

/** Of each host that stands out in some cell, where it does most. */
function oddHosts(cells: readonly CellPathSummary[]): readonly Finding[] {
  const found = cells.flatMap(({ odd }) => beyondChance(odd, cells.length));
  const hostOf = ({ kind, where }: Finding): string => `${kind} ${where.slice(where.lastIndexOf(' ') + 1)}`;
  return groupBy(found, hostOf).map((same) => at(rankFindings(same), 0));
}

import { refuseMore, SIZES } from '../../base/bounds.ts';
import { ascending, at } from '../../base/lists.ts';
import { type Advice, advise } from '../answers/decide/advise.ts';
import type { Solved } from '../fit/fit.ts';
import { predict } from '../forms/predict.ts';
import type { BootstrapOptions } from '../judge/ensemble.ts';
import type { Target } from '../rows.ts';
import type { Measurements, Origin } from './measurements.ts';

/** What is to be known better, for how much. */
interface NextCellsQuestion extends BootstrapOptions {
  readonly target: Target;
  readonly budgetNodeHours: number;
  /** Default: from 2 (one node has no network to learn about) to the campaign's hosts; for a file the fit's own. */
  readonly nodes?: readonly number[] | undefined;
  /** Default: the fit's own. */
  readonly scales?: readonly number[] | undefined;
  /** Percent; default: the fit's own and those half-way between. */
  readonly bw?: readonly number[] | undefined;
  /** Searches per cell; default: the campaign's own, 64 for a file. */
  readonly roots?: number | undefined;
  /** What a cell takes beside its searches where no record tells, seconds. */
  readonly overheadS: number;
  /** Cells may be measured as often as it helps; default: once, where whole cells lie off the curve. */
  readonly revisits?: boolean | undefined;
}

/** Advice whose cells have the repetition they would be measured as, with the searches of each. */
type NextCells = Omit<Advice, 'cells'> & {
  readonly cells: readonly (Advice['cells'][number] & { readonly rep: number })[];
  readonly roots: number;
};

/** What was planned and measured so far. */
type Planned = Pick<Origin, 'campaign' | 'records'>;

/** The cells to measure next; what they cost is told by the records, where there are any. */
export function chooseNextCells(
  measurements: Pick<Measurements, 'isAdmissible'> & { readonly campaign: Planned | null },
  solved: Solved,
  question: NextCellsQuestion,
): NextCells {
  const { campaign: origin, isAdmissible } = measurements;
  const { fit } = solved;
  const { target, budgetNodeHours, overheadS, nodes, scales, bw, roots: asked, ...bootstrap } = question;
  const roots = asked ?? origin?.campaign.sweep.roots ?? 64;
  const counts = nodes ?? hostCounts(origin)?.filter(isAdmissible) ?? fit.trainedOn.nodes;
  const levels = bw ?? withMidpoints(fit.trainedOn.bw);
  const picked = scales ?? fit.trainedOn.scales;
  const count = picked.length * counts.length * levels.length;
  refuseMore(count, SIZES.cells, {
    what: `${count} cells could be measured`,
    help: 'name fewer nodes, bandwidths or scales',
  });
  const besideSearches = secondsBesideSearches(origin);
  const advice = advise(solved, {
    ...bootstrap,
    target,
    budgetNodeHours,
    repetitions: roots,
    candidates: picked.flatMap((scale) =>
      counts.flatMap((each) => levels.map((one) => ({ nodes: each, scale, bw: one }))),
    ),
    costOf: (cell) => (cell.nodes * ((besideSearches(cell) ?? overheadS) + roots * predict(fit, cell))) / 3600,
  });
  return { ...advice, cells: withRepetitions(advice.cells, origin?.campaign.cells ?? []), roots };
}

/** From 2 nodes to all that the campaign's inventory has. */
function hostCounts(origin: Planned | null): number[] | undefined {
  return origin?.campaign.inventory.hosts.slice(1).map((_, index) => index + 2);
}

/** A cell that was measured before gets the next repetition's number. */
function withRepetitions(cells: Advice['cells'], measured: readonly (Target & { readonly rep: number })[]) {
  const last = new Map<string, number>();
  const key = ({ nodes, scale, bw }: Target): string => `${nodes} ${scale} ${bw}`;
  for (const cell of measured) last.set(key(cell), Math.max(cell.rep, last.get(key(cell)) ?? 0));
  return cells.map((cell) => {
    const rep = (last.get(key(cell)) ?? 0) + 1;
    last.set(key(cell), rep);
    return { ...cell, rep };
  });
}

/** Levels and those half-way between neighbours, whole percents. */
function withMidpoints(levels: readonly number[]): number[] {
  const between = levels.slice(1).map((level, index) => Math.round((level + at(levels, index)) / 2));
  return ascending([...levels, ...between]);
}

/** By the records: the slowest cell of the same node count and scale, or of the scale, or of all; undefined without any. */
function secondsBesideSearches(origin: Planned | null): (cell: Target) => number | undefined {
  const costs = (origin?.records ?? []).map(({ cell, runs, timing }) => ({
    cell,
    seconds: timing.totalMs / 1000 - runs.reduce((sum, { ct }) => sum + ct, 0),
  }));
  const most = (own: typeof costs): number | undefined =>
    own.length === 0 ? undefined : Math.max(...own.map(({ seconds }) => seconds));
  return ({ nodes, scale }) => {
    const near = costs.filter(({ cell }) => cell.scale === scale);
    return most(near.filter(({ cell }) => cell.nodes === nodes)) ?? most(near) ?? most(costs);
  };
}

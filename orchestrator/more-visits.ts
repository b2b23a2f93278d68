import { median } from 'simple-statistics';
import { PredictError } from '../base/errors.ts';
import { ascending, at, groupBy } from '../base/lists.ts';
import { visitAgain } from '../experiments/plan.ts';
import type { Cell, CellRecord } from '../experiments/records.ts';
import { openCampaign } from '../experiments/store/open-campaign.ts';
import { chooseAndFit } from '../modeling/questions/choose-and-fit.ts';
import { fromCampaign } from '../modeling/questions/measurements.ts';
import { chooseNextCells } from '../modeling/questions/next-cells.ts';
import { settingOf } from '../modeling/questions/steady.ts';
import { type TypicalTime, typicalTimes } from '../modeling/questions/typical-times.ts';
import type { Target } from '../modeling/rows.ts';
import type { SweepOptions, VisitAims } from './job.ts';

/** Visits to add, and why; none when the aims are met or the budget is spent, or when they cannot be met: then `why` says so. */
export interface MoreVisits {
  readonly cells: readonly Cell[];
  readonly why: string;
}

const NONE: MoreVisits = { cells: [], why: '' };

interface State extends Pick<SweepOptions, 'sweep' | 'workload' | 'out' | 'aims'> {
  /** The planned cells and what was added since. */
  readonly cells: Cell[];
  readonly planned: number;
  readonly elapsedS: number;
}

/** What to visit next, a visit to each cell that needs one: first in place of disturbed ones, then for precision, then for a projection. */
export async function moreVisits(state: State): Promise<MoreVisits> {
  const { aims, cells, sweep, out } = state;
  if (aims === undefined) return NONE;
  const wanted = new Set(cells.map(({ id }) => id));
  const own = (await openCampaign(out)).records.filter(({ cell }) => wanted.has(cell.id));
  // What only anchors the sweep to an earlier one is none of its own questions; where the program failed, it would again.
  const asked = new Set(cells.flatMap((cell) => (cell.role === 'measure' ? [settingOf(cell)] : [])));
  for (const { cell, status } of own) if (status === 'failed') asked.delete(settingOf(cell));
  const typical = typicalTimes({ sweep, cells }, own).filter(({ cell }) => asked.has(settingOf(cell)));
  const settings = describeSettings(state, own);
  const budget: Budget = { settings, leftS: (aims.budgetS ?? Number.POSITIVE_INFINITY) - state.elapsedS };
  const visitEach = (some: readonly TypicalTime[]): Cell[] => visitAll(inOrderOfPlan(some, budget), budget, state);
  const disturbed = typical.filter((one) => needsQuiet(one, settings.get(settingOf(one.cell)), aims.repeats));
  if (disturbed.length > 0) return added(visitEach(disturbed), 'repeating disturbed runs');
  if (aims.precisionPercent !== null) {
    const chosen = visitEach(typical.filter((cell) => isWide(cell, aims)));
    if (chosen.length > 0) return added(chosen, `typical times are not yet known to within ${aims.precisionPercent} %`);
  }
  if (aims.towards === null || aims.budgetS === null || budget.leftS <= 0) return NONE;
  try {
    const chosen = affordable(await narrowing(state, aims.towards, budget), budget);
    return added(visitAll(chosen, budget, state), 'they reduce the uncertainty of the projection most');
  } catch (error) {
    // What was measured does not stop being measured because no model can be made of it.
    if (!(error instanceof PredictError) || error.kind !== 'badInput') throw error;
    return { cells: [], why: `no repetition is added for the projection: ${error.message}` };
  }
}

function added(cells: readonly Cell[], why: string): MoreVisits {
  return cells.length === 0 ? NONE : { cells, why };
}

/** Visits of one cell. */
interface Setting {
  readonly visits: readonly Cell[];
  /** How many were planned, its baseline at the end among them. */
  readonly planned: number;
  /** What one takes, seconds; 0 where none has a record. */
  readonly costS: number;
}

/** Cells by `settingOf`, in the order of the plan, and seconds that are left. */
interface Budget {
  readonly settings: ReadonlyMap<string, Setting>;
  readonly leftS: number;
}

function describeSettings({ cells, planned }: State, records: readonly CellRecord[]): Budget['settings'] {
  const measured = new Map(
    groupBy(records, ({ cell }) => settingOf(cell)).map((all) => [settingOf(at(all, 0).cell), all]),
  );
  return new Map(
    groupBy(cells, settingOf).map((visits) => {
      const setting = settingOf(at(visits, 0));
      const times = measured.get(setting)?.map(({ timing }) => timing.totalMs / 1000) ?? [0];
      const ofPlan = cells.slice(0, planned).filter((cell) => settingOf(cell) === setting).length;
      return [setting, { visits, planned: ofPlan, costS: median(times) }];
    }),
  );
}

function needsQuiet({ visits, quietVisits }: TypicalTime, setting: Setting | undefined, repeats: number): boolean {
  const planned = setting?.planned ?? 0;
  return quietVisits < planned && visits < planned * (1 + repeats);
}

function isWide({ cell, runs, halfWidthPercent }: TypicalTime, { precisionPercent, mostRoots }: VisitAims): boolean {
  if (mostRoots !== null && runs + cell.roots > mostRoots) return false;
  return halfWidthPercent === null || halfWidthPercent > (precisionPercent ?? 0);
}

/** What the budget has room for, those known least first, in the order of the plan. */
function inOrderOfPlan(wanted: readonly TypicalTime[], budget: Budget): readonly string[] {
  const width = ({ halfWidthPercent }: TypicalTime): number => halfWidthPercent ?? Number.POSITIVE_INFINITY;
  const order = wanted.toSorted((a, b) => (width(a) === width(b) ? 0 : width(b) - width(a)));
  const chosen = affordable(
    order.map(({ cell }) => settingOf(cell)),
    budget,
  );
  return [...budget.settings.keys()].filter((setting) => chosen.includes(setting));
}

/** The settings that would take most uncertainty off the projection, of those that are in the sweep, the most useful first. */
async function narrowing({ sweep, out }: State, target: Target, { settings, leftS }: Budget): Promise<string[]> {
  const measurements = fromCampaign(await openCampaign(out));
  const { solved } = await chooseAndFit(measurements, {});
  const most = Math.max(...sweep.nodes);
  const { cells } = chooseNextCells(measurements, solved, {
    ...{ target, nodes: ascending(sweep.nodes), scales: ascending(sweep.scales), bw: ascending(sweep.bw) },
    ...{ roots: sweep.roots, overheadS: 1, budgetNodeHours: (leftS * most) / 3600, revisits: true },
  });
  return cells.flatMap(({ nodes, scale, bw }) =>
    [...settings].flatMap(([setting, { visits }]) => {
      const cell = at(visits, 0);
      return cell.nodes === nodes && cell.scale === scale && cell.bw === bw ? [setting] : [];
    }),
  );
}

/** Those that the budget has room for, the first first. */
function affordable(order: readonly string[], { settings, leftS }: Budget): string[] {
  let left = leftS;
  return order.filter((setting) => {
    const cost = settings.get(setting)?.costS ?? 0;
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** One more visit of each. */
function visitAll(order: readonly string[], { settings }: Budget, state: State): Cell[] {
  return [...new Set(order)].flatMap((setting) => {
    const visits = settings.get(setting)?.visits ?? [];
    const [first] = visits;
    return first ? [visitAgain(first, Math.max(...visits.map(({ rep }) => rep)) + 1, state)] : [];
  });
}

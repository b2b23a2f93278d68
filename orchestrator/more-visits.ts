import { median } from 'simple-statistics';
import { PredictError } from '../base/errors.ts';
import { ascending, groupBy } from '../base/lists.ts';
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
  const visits = new Visits(state, own, aims);
  const disturbed = typical.filter((cell) => needsQuiet(cell, visits.plannedOf(cell.cell), aims.repeats));
  if (disturbed.length > 0) {
    const chosen = visits.within(disturbed);
    return chosen.length === 0 ? NONE : { cells: chosen, why: 'repeating disturbed runs' };
  }
  if (aims.precisionPercent !== null) {
    const wide = typical.filter((cell) => isWide(cell, aims));
    const chosen = visits.within(wide);
    if (chosen.length > 0) {
      return { cells: chosen, why: `typical times are not yet known to within ${aims.precisionPercent} %` };
    }
  }
  if (aims.towards === null || aims.budgetS === null) return NONE;
  try {
    const chosen = await narrowing(state, aims.towards, visits);
    return chosen.length === 0 ? NONE : { cells: chosen, why: 'they reduce the uncertainty of the projection most' };
  } catch (error) {
    // What was measured does not stop being measured because no model can be made of it.
    if (!(error instanceof PredictError) || error.kind !== 'badInput') throw error;
    return { cells: [], why: `no repetition is added for the projection: ${error.message}` };
  }
}

function needsQuiet({ visits, quietVisits }: TypicalTime, planned: number, repeats: number): boolean {
  return quietVisits < planned && visits < planned * (1 + repeats);
}

function isWide({ cell, runs, halfWidthPercent }: TypicalTime, { precisionPercent, mostRoots }: VisitAims): boolean {
  if (mostRoots !== null && runs + cell.roots > mostRoots) return false;
  return halfWidthPercent === null || halfWidthPercent > (precisionPercent ?? 0);
}

/** The cells that would take most uncertainty off the projection, of those that are in the sweep. */
async function narrowing({ sweep, out }: State, target: Target, visits: Visits): Promise<readonly Cell[]> {
  if (visits.leftS <= 0) return [];
  const measurements = fromCampaign(await openCampaign(out));
  const { solved } = await chooseAndFit(measurements, {});
  const most = Math.max(...sweep.nodes);
  const { cells } = chooseNextCells(measurements, solved, {
    ...{ target, nodes: ascending(sweep.nodes), scales: ascending(sweep.scales), bw: ascending(sweep.bw) },
    ...{ roots: sweep.roots, overheadS: 1, budgetNodeHours: (visits.leftS * most) / 3600, revisits: true },
  });
  return visits.ofSettings(cells);
}

/** New visits of known cells, as many as the budget has room for. */
class Visits {
  readonly #state: State;
  readonly #aims: VisitAims;
  readonly #known: readonly Cell[][];
  readonly #costs: ReadonlyMap<string, number>;

  constructor(state: State, records: readonly CellRecord[], aims: VisitAims) {
    this.#state = state;
    this.#aims = aims;
    this.#known = groupBy(state.cells, settingOf);
    this.#costs = new Map(
      groupBy(records, ({ cell }) => settingOf(cell)).flatMap((visits) => {
        const [first] = visits;
        return first ? [[settingOf(first.cell), median(visits.map(({ timing }) => timing.totalMs)) / 1000]] : [];
      }),
    );
  }

  /** Seconds of the budget that are left. */
  get leftS(): number {
    const { budgetS } = this.#aims;
    return budgetS === null ? Number.POSITIVE_INFINITY : budgetS - this.#state.elapsedS;
  }

  /** How many visits of a cell were planned, its baseline at the end among them. */
  plannedOf(cell: Cell): number {
    const { cells, planned } = this.#state;
    return cells.slice(0, planned).filter((each) => settingOf(each) === settingOf(cell)).length;
  }

  /** A visit of each, those known least first, in the order of the plan. */
  within(wanted: readonly TypicalTime[]): readonly Cell[] {
    const width = ({ halfWidthPercent }: TypicalTime): number => halfWidthPercent ?? Number.POSITIVE_INFINITY;
    const order = [...wanted].sort((a, b) => (width(a) === width(b) ? 0 : width(b) - width(a)));
    const chosen = new Set(this.#affordable(order.map(({ cell }) => settingOf(cell))));
    return this.#again(this.#known.filter(([first]) => first && chosen.has(settingOf(first))));
  }

  /** Visits of settings by their coordinates, the most useful first. */
  ofSettings(wanted: readonly Target[]): readonly Cell[] {
    const groups = wanted.flatMap(({ nodes, scale, bw }) =>
      this.#known.filter(([first]) => first?.nodes === nodes && first.scale === scale && first.bw === bw),
    );
    const chosen = this.#affordable(groups.flatMap(([first]) => (first ? [settingOf(first)] : [])));
    return this.#again([...new Set(groups)].filter(([first]) => first && chosen.includes(settingOf(first))));
  }

  #affordable(settings: readonly string[]): string[] {
    let left = this.leftS;
    return settings.filter((setting) => {
      const cost = this.#costs.get(setting) ?? 0;
      if (cost > left) return false;
      left -= cost;
      return true;
    });
  }

  #again(groups: readonly Cell[][]): readonly Cell[] {
    return groups.flatMap((group) => {
      const [first] = group;
      return first ? [visitAgain(first, Math.max(...group.map(({ rep }) => rep)) + 1, this.#state)] : [];
    });
  }
}

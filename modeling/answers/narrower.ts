import { at, last } from '../../base/lists.ts';
import { type Cells, joinCells, pickCells } from '../fit/collapse.ts';
import { predict } from '../forms/predict.ts';
import { type AskedModel, type CompareOptions, solve } from '../judge/compare-candidates.ts';
import { type BootstrapOptions, bootstrap, estimate, estimates } from '../judge/ensemble.ts';
import type { Estimate } from '../model-records.ts';
import { distinct, settingAt, type Target } from '../rows.ts';
import { smallestAdmissible } from './dominance.ts';

/** Times the largest measured count where the next one is looked for: distance is what makes intervals wide. */
const FARTHER = 2;

/** The interval of a target's completion time (s) as it is, and as it would be. */
export interface Narrower {
  readonly now: Estimate;
  /** With each run made twice. */
  readonly twice: Estimate;
  /** With the next larger node count measured as well, as often as the largest; null where there is none before the target's. */
  readonly larger: { readonly nodes: number; readonly ct: Estimate } | null;
}

/**
 * What more measurements would do to an interval: the rows as they would be if all came out as it is expected now, fitted anew. Unlike the
 * ratio of standard errors this knows of forms that would be told apart, and of the distance from what was measured.
 */
export function narrower(
  { model, cells, options }: { readonly model: AskedModel; readonly cells: Cells; readonly options: CompareOptions },
  target: Target,
  { isAdmissible, ...asked }: BootstrapOptions & { readonly isAdmissible: (nodes: number) => boolean },
): Narrower {
  const timeOf = (rows: Cells): Estimate =>
    estimate(bootstrap(solve(model, rows, options), asked), (fit) => predict(fit, target));
  const solved = solve(model, cells, options);
  const ensemble = bootstrap(solved, asked);
  const doubled = (column: Float64Array): Float64Array => column.map((value) => 2 * value);
  const largest = last(distinct(cells, 'nodes'));
  const nodes = nextCount(largest, target.nodes, isAdmissible);
  // Where parts of times tell, parts would have to be expected.
  const isWhole = !('parts' in solved) || solved.parts === null;
  const more = nodes === null || !isWhole ? null : expectedAt(nodes);
  return {
    now: estimate(ensemble, (fit) => predict(fit, target)),
    twice: timeOf({ ...cells, count: doubled(cells.count), m2: doubled(cells.m2) }),
    larger: nodes === null || more === null ? null : { nodes, ct: timeOf(joinCells(cells, more)) },
  };

  function expectedAt(count: number): Cells | null {
    const places = Array.from(cells.nodes.keys()).filter((place) => at(cells.nodes, place) === largest);
    const like = pickCells(cells, places);
    const settings = places.map((_, place) => ({ ...settingAt(like, place), nodes: count }));
    const times = estimates(ensemble, (fit) => settings.map((setting) => predict(fit, setting))).map(
      ({ value }) => value,
    );
    if (times.includes(null)) return null;
    const mean = Float64Array.from(times, (time) => time ?? Number.NaN);
    const m2 = like.m2.map((value, place) => value * (at(mean, place) / at(like.mean, place)) ** 2);
    return { ...like, nodes: like.nodes.map(() => count), mean, m2 };
  }
}

/** The admissible count from twice the largest on, or half-way (as factors) where that is the target's own; null where there is none. */
function nextCount(largest: number, target: number, isAdmissible: (nodes: number) => boolean): number | null {
  for (const wanted of [FARTHER * largest, Math.sqrt(largest * target), largest + 1]) {
    const found = smallestAdmissible(wanted, isAdmissible);
    if (found !== null && found > largest && found < target) return found;
  }
  return null;
}

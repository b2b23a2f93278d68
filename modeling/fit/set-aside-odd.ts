import { median } from 'simple-statistics';
import { at } from '../../base/lists.ts';
import { distinct, VARIABLES } from '../rows.ts';
import { type Cells, pickCells } from './collapse.ts';

/** With fewer cells a curve can be bent through any of them. */
const FEWEST = 9;
/** Robust standard deviations beyond which a cell is odd, and the least factor by which it is. */
const FAR = 6;
const LEAST_FACTOR = 1.4;
/** Of what a cell strays its neighbours may stray this share: more is a curve of another shape, not a cell in a bad minute. */
const ALONE = 0.4;
/** At most this share of the cells is set aside. */
const MOST = 0.1;

/**
 * Cells that a curve and their neighbours together call wrong (a minute in which the machine did something else), left out one
 * by one, the worst first. `predict` fits a curve to cells and gives its time (s) for each of others.
 */
export function setAsideOdd(
  cells: Cells,
  predict: (training: Cells, asked: Cells) => Float64Array | null,
): { readonly cells: Cells; readonly odd: Cells } {
  let kept = [...Array(cells.length).keys()];
  const odd: number[] = [];
  while (kept.length > FEWEST && odd.length < Math.floor(MOST * cells.length)) {
    const times = predict(pickCells(cells, kept), cells);
    const worst = times && oddest(cells, kept, times);
    if (worst === null) break;
    const others = kept.filter((cell) => cell !== worst);
    const without = predict(pickCells(cells, others), cells);
    // The curve that has not seen it must say the same.
    if (!without || oddest(cells, kept, without) !== worst) break;
    odd.push(worst);
    kept = others;
  }
  return { cells: odd.length === 0 ? cells : pickCells(cells, kept), odd: pickCells(cells, odd) };
}

/** The cell that strays most, where it strays far and alone. */
function oddest(cells: Cells, kept: readonly number[], times: Float64Array): number | null {
  const stray = cells.mean.map((mean, cell) => Math.log(mean / at(times, cell)));
  const worst = kept.reduce((most, cell) => (Math.abs(at(stray, cell)) > Math.abs(at(stray, most)) ? cell : most));
  const own = at(stray, worst);
  const spread = 1.4826 * median(kept.map((cell) => Math.abs(at(stray, cell))));
  if (Math.abs(own) < Math.max(FAR * spread, Math.log(LEAST_FACTOR))) return null;
  const near = neighbours(cells, worst).filter((cell) => kept.includes(cell));
  const follows = near.some((cell) => at(stray, cell) * Math.sign(own) > ALONE * Math.abs(own));
  return near.length < 2 || follows ? null : worst;
}

/** The next cells along each variable. */
function neighbours(cells: Cells, cell: number): number[] {
  return VARIABLES.flatMap((along) => {
    const line = [...Array(cells.length).keys()].filter((other) =>
      VARIABLES.every((one) => one === along || at(cells[one], other) === at(cells[one], cell)),
    );
    const levels = distinct(pickCells(cells, line), along);
    const place = levels.indexOf(at(cells[along], cell));
    return line.filter((other) => Math.abs(levels.indexOf(at(cells[along], other)) - place) === 1);
  });
}

// What the measured parts of completion times leave open: computing, and communication with waiting for it. Each follows laws of its
// own and strays in its own way; a completion time is their sum.
import { at } from '../../base/lists.ts';
import { type Cells, pickCells } from '../fit/collapse.ts';
import { type FitOptions, type Solved, solveModel } from '../fit/fit.ts';
import { variesIn } from '../forms/candidates.ts';
import type { Form, Term } from '../forms/form.ts';
import type { TrafficPoint } from '../forms/traffic-form.ts';
import { distinct, indicesWhere, settingAt } from '../rows.ts';
import { createMember } from './member.ts';
import type { Shrink } from './member-times.ts';
import { computePosterior, OF_TIMES, type Posterior, type StraysKnown } from './posterior.ts';
import { GROWS } from './rivals.ts';

/** Both parts of the cells of some rows, and the form that is their sum. */
export interface MeasuredParts {
  /** With the powers that the parts have in the middle of what they may have. */
  readonly form: Form;
  /** Of that form, fitted to each part by itself. */
  readonly coefficients: Readonly<Record<string, number>>;
  readonly processing: Posterior;
  readonly communication: Posterior;
}

type PartName = 'processing' | 'communication';

/** Powers of 1/x, with their weights beforehand: ranks share the computing; waiting and latency hardly change with their number, or grow. */
const SHRINKS: Readonly<Record<PartName, readonly { readonly shrink: Shrink; readonly share: number }[]>> = {
  processing: [{ shrink: { mean: 1, sd: 0.05 }, share: 1 }],
  communication: [
    { shrink: { mean: 0.1, sd: 0.1 }, share: 1 },
    { shrink: GROWS.shrink, share: 0.003 },
  ],
};
const STRAYS: Readonly<Record<PartName, StraysKnown>> = {
  processing: { ...OF_TIMES, beyond: { median: 0.07, sd: 0.69, upward: 0 } },
  communication: {
    ...OF_TIMES,
    count: { median: 0.1, sd: 1 },
    cell: { median: 0.1, sd: 0.6 },
    beyond: { median: 0.07, sd: 0.69, upward: 1 },
  },
};
/** A smaller share of a time is nothing: its logarithm would tell of clocks. */
const LEAST_SHARE = 1e-4;

/** Of communication: where counters tell that transfers take more of it, it shrinks as their bytes do, and not as waiting. */
const MOST_TRANSFER = 0.3;

/**
 * Null where the parts of a cell were not measured or do not tell how they change with nodes, where transfers are much of the
 * communication, and where bandwidths, scales or threads vary: how parts depend on those is not learnt from programs yet.
 */
export function partsOf(
  cells: Cells,
  { traffic, ...options }: FitOptions & { readonly traffic: readonly TrafficPoint[] },
): MeasuredParts | null {
  const varies = variesIn(cells);
  if (!varies.nodes || varies.bw || varies.scale || varies.threads) return null;
  if (cells.share.some((share) => Number.isNaN(share))) return null;
  const transfers = cells.mean.some((mean, cell) => {
    const { nodes, scale, bw } = settingAt(cells, cell);
    const seconds = traffic.filter((one) => one.nodes === nodes && one.scale === scale).map(({ least }) => least);
    return (Math.max(0, ...seconds) * 100) / bw > MOST_TRANSFER * at(cells.share, cell) * mean;
  });
  if (transfers) return null;
  const processing = partOf(cells, { name: 'C1', part: 'processing', basis: { x: -1 } }, options);
  const communication = partOf(cells, { name: 'C2', part: 'communication', basis: { x: 0 } }, options);
  if (processing === null || communication === null) return null;
  return {
    form: formOf([...processing.form.terms, ...communication.form.terms]),
    coefficients: { ...processing.coefficients, ...communication.coefficients },
    processing: processing.posterior,
    communication: communication.posterior,
  };
}

function formOf(terms: readonly Term[]): Form {
  return { name: 'parts', title: 'Measured parts', terms, fixed: ['bw', 'scale'], needsTwo: ['nodes'] };
}

function partOf(cells: Cells, term: Term & { readonly part: PartName }, options: FitOptions) {
  const own = cellsOf(cells, term.part);
  if (distinct(own, 'nodes').length < 2) return null;
  const solve = (form: Form): Solved =>
    solveModel(form, own, { ...options, at: {}, errors: 'relative', setAside: false });
  const solved = solve(formOf([term]));
  const rivals = SHRINKS[term.part].map(({ shrink, share: prior }) => {
    return { member: createMember({ form: solved.asked, solved, shrinks: [shrink] }), solved, prior };
  });
  const { member } = at(rivals, 0);
  const posterior = computePosterior(rivals, own, STRAYS[term.part]);
  const middle = meanOf(posterior, member.unknowns.length);
  const { form, coefficients } = solve(member.toFit(middle).form).fit;
  return { posterior, form, coefficients };
}

/** Of the unknowns, by weight. */
function meanOf({ draws }: Posterior, size: number): Float64Array {
  const mean = new Float64Array(size);
  for (const { values, weights } of draws) {
    for (const [index, value] of values.entries()) {
      mean[index % size] = at(mean, index % size) + at(weights, Math.floor(index / size)) * value;
    }
  }
  return mean;
}

/** Only the cells that have the part; it varies from repetition to repetition as their times do. */
function cellsOf(cells: Cells, name: PartName): Cells {
  const share = name === 'communication' ? cells.share : cells.share.map((one) => 1 - one);
  const places = indicesWhere(cells, (cell) => at(share, cell) > LEAST_SHARE);
  const picked = pickCells(cells, places);
  const factor = (index: number): number => at(share, at(places, index));
  return {
    ...picked,
    mean: picked.mean.map((mean, index) => mean * factor(index)),
    m2: picked.m2.map((m2, index) => m2 * factor(index) ** 2),
  };
}

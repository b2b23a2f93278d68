// What the measured parts of completion times leave open: computing, and communication with waiting for it. Each follows laws of its
// own and strays in its own way; a completion time is their sum.
import { at } from '../../base/lists.ts';
import { type Cells, pickCells } from '../fit/collapse.ts';
import { type FitOptions, type Solved, solveModel } from '../fit/fit.ts';
import { variesIn } from '../forms/candidates.ts';
import type { Basis, Form, Term } from '../forms/form.ts';
import { distinct, indicesWhere, VARIABLES } from '../rows.ts';
import { createMember, type Shrink } from './member.ts';
import { computePosterior, type Posterior, type StraysKnown } from './posterior.ts';

/** Both parts of the cells of some rows, and the form that is their sum. */
export interface Parts {
  /** With the powers that the parts have in the middle of what they may have. */
  readonly form: Form;
  /** Of that form, fitted to each part by itself. */
  readonly coefficients: Readonly<Record<string, number>>;
  readonly processing: Posterior;
  readonly communication: Posterior;
}

type PartName = 'processing' | 'communication';

/** Computing is shared by ranks; what hosts exchange shrinks with a root of them; waiting and latency hardly change. */
const SHRINK = {
  work: { mean: 1, sd: 0.05 },
  transfer: { mean: 0.5, sd: 0.25 },
  waiting: { mean: 0.1, sd: 0.1 },
} as const satisfies Record<string, Shrink>;
/** ln of waiting over transfer, on the smallest cluster and the full link. */
const WAITING = { mean: 0, sd: 1.5 };
const STRAYS: Readonly<Record<PartName, StraysKnown>> = {
  processing: {
    count: { median: 0.01, sd: 2 },
    nodes: { median: 0.09, sd: 0.74 },
    cell: { median: 0.025, sd: 0.6 },
    others: 2,
    beyond: { median: 0.07, sd: 0.69, upward: 0 },
  },
  communication: {
    count: { median: 0.1, sd: 1 },
    nodes: { median: 0.09, sd: 0.74 },
    cell: { median: 0.1, sd: 0.6 },
    others: 2,
    beyond: { median: 0.07, sd: 0.69, upward: 1 },
  },
};
/** A smaller share of a time is nothing: its logarithm would tell of clocks. */
const LEAST_SHARE = 1e-4;

/** Null where a cell's parts were not measured, or do not tell how they change with nodes. */
export function partsOf(cells: Cells, options: FitOptions): Parts | null {
  if (cells.share.some((share) => Number.isNaN(share))) return null;
  const varies = variesIn(cells);
  if (!varies.nodes) return null;
  const D: Basis = varies.scale ? { D: 1 } : {};
  const fixed = VARIABLES.filter((variable) => variable !== 'nodes' && !varies[variable]);
  const of = (terms: readonly Term[]): Form => ({
    name: 'parts',
    title: 'Measured parts',
    terms,
    fixed,
    needsTwo: ['nodes'],
    freeSize: varies.scale,
  });
  const work: Term = { name: 'C1', part: 'processing', basis: { ...D, x: -1 } };
  const transfer: Term = { name: 'C2', part: 'communication', basis: { ...D, s: 1, x: -0.5 } };
  const waiting: Term = { name: varies.bw ? 'C3' : 'C2', part: 'communication', basis: { ...D, x: 0 } };
  const processing = partOf(cells, 'processing', { form: of([work]), shrinks: [SHRINK.work], options });
  const communication = partOf(cells, 'communication', {
    form: of(varies.bw ? [transfer, waiting] : [waiting]),
    shrinks: varies.bw ? [SHRINK.transfer, SHRINK.waiting] : [SHRINK.waiting],
    options,
  });
  if (processing === null || communication === null) return null;
  return {
    form: of([...processing.form.terms, ...communication.form.terms]),
    coefficients: { ...processing.coefficients, ...communication.coefficients },
    processing: processing.posterior,
    communication: communication.posterior,
  };
}

interface PartQuestion {
  readonly form: Form;
  readonly shrinks: readonly Shrink[];
  readonly options: FitOptions;
}

function partOf(cells: Cells, name: PartName, { form, shrinks, options }: PartQuestion) {
  const own = cellsOf(cells, name);
  if (distinct(own, 'nodes').length < 2) return null;
  const solve = (one: Form): Solved =>
    solveModel(one, own, { ...options, at: {}, errors: 'relative', setAside: false });
  const solved = solve(form);
  const member = createMember({ form, solved, shrinks, share: WAITING });
  const posterior = computePosterior([{ member, solved, prior: 1 }], own, STRAYS[name]);
  const middle = Float64Array.from(member.unknowns, (_, unknown) =>
    posterior.particles.reduce((sum, { values, weight }) => sum + weight * at(values, unknown), 0),
  );
  const found = solve(member.toFit(middle).form).fit;
  return { posterior, form: found.form, coefficients: found.coefficients };
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

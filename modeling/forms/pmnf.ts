// Extra-P's performance model normal form: Calotoiu et al., SC 2013; several parameters: Calotoiu et al., CLUSTER 2016.
import { type Cells, pickCells } from '../fit/collapse.ts';
import { createDesign, type Scaling } from '../fit/design.ts';
import { distinct, type Variable } from '../rows.ts';
import type { Basis, Form, Term } from './form.ts';

const FRACTIONS = [1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 5 / 4, 4 / 3, 3 / 2, 5 / 3, 2, 5 / 2, 3];
/** Extra-P's exponents with their negatives: strong scaling makes time fall. */
const EXPONENTS = [0, ...FRACTIONS, ...FRACTIONS.map((value) => -value)];
const LOG_EXPONENTS = [0, 1, 2];

/** What every normal form has in common. */
const FREE = { name: 'pmnf', title: "Extra-P's normal form", fixed: [], needsTwo: [], signed: true } as const;

const SYMBOLS = {
  nodes: { power: 'x', log: 'lnX' },
  bw: { power: 's', log: 'lnS' },
  scale: { power: 'D', log: 'lnD' },
} as const satisfies Partial<Record<Variable, { power: keyof Basis; log: keyof Basis }>>;

/**
 * The normal form that describes these cells best: CT = c0 + sum of c_k times products of x^i ln(x)^j, one factor per
 * parameter. As Extra-P does, each parameter's factor is found alone, along lines on which the others stand still; then
 * the ways of adding and multiplying the factors compete. Null where nothing varies.
 */
export function pmnfForm(cells: Cells, { ranksPerNode, baseScale }: Scaling): Form | null {
  const scaling = { ranksPerNode, baseScale };
  const varying = (['nodes', 'bw', 'scale'] as const).filter((variable) => distinct(cells, variable).length > 1);
  const factors = varying.flatMap((variable) => bestFactor(variable, cells, scaling) ?? []);
  if (factors.length === 0) return null;
  const products = subsets(factors.map((_, index) => index)).filter((subset) => subset.length > 0);
  let best: { readonly bases: readonly Basis[]; readonly score: number } | null = null;
  for (const structure of subsets(products)) {
    if (structure.length === 0 || structure.length > 3) continue;
    if (factors.some((_, factor) => !structure.some((product) => product.includes(factor)))) continue;
    const bases = [{}, ...structure.map((product) => Object.assign({}, ...product.map((factor) => factors[factor])))];
    const error = errorOf(bases, cells, scaling);
    if (error === null) continue;
    const score = cells.length * Math.log(error / cells.length) + bases.length * Math.log(cells.length);
    if (!best || score < best.score) best = { bases, score };
  }
  if (!best) return null;
  return {
    ...FREE,
    terms: termsOf(best.bases),
    fixed: (['bw', 'scale'] as const).filter((variable) => !varying.includes(variable)),
    needsTwo: varying,
    searched: 2 * factors.length,
  };
}

/** The factor x^i ln(x)^j that fits best when every line of cells has a constant and a coefficient of its own. */
function bestFactor(variable: keyof typeof SYMBOLS, cells: Cells, scaling: Scaling): Basis | null {
  const others = (['nodes', 'bw', 'scale'] as const).filter((other) => other !== variable);
  const lines = new Map<string, number[]>();
  for (let cell = 0; cell < cells.length; cell += 1) {
    const key = others.map((other) => cells[other][cell]).join(' ');
    lines.set(key, [...(lines.get(key) ?? []), cell]);
  }
  const long = [...lines.values()].filter((line) => line.length >= 2).map((line) => pickCells(cells, line));
  const { power, log } = SYMBOLS[variable];
  let best: { readonly basis: Basis; readonly error: number } | null = null;
  for (const i of EXPONENTS) {
    for (const j of LOG_EXPONENTS) {
      if (i === 0 && j === 0) continue;
      const basis: Basis = { ...(i === 0 ? {} : { [power]: i }), ...(j === 0 ? {} : { [log]: j }) };
      let error = 0;
      for (const line of long) error += errorOf([{}, basis], line, scaling) ?? Number.POSITIVE_INFINITY;
      if (Number.isFinite(error) && (!best || error < best.error * (1 - 1e-9))) best = { basis, error };
    }
  }
  return best?.basis ?? null;
}

/** Squared relative error of the best coefficients of either sign; null where a basis has no value. */
function errorOf(bases: readonly Basis[], cells: Cells, scaling: Scaling): number | null {
  const error = createDesign({ ...FREE, terms: termsOf(bases) }, cells, { ...scaling, errors: 'relative' }).sse(0);
  return Number.isFinite(error) ? error : null;
}

function termsOf(bases: readonly Basis[]): Term[] {
  return bases.map((basis, index) => ({ name: `C${index}`, part: 'whole', basis }));
}

function subsets<T>(items: readonly T[]): T[][] {
  const all: T[][] = [[]];
  for (const item of items) all.push(...all.map((subset) => [...subset, item]));
  return all;
}

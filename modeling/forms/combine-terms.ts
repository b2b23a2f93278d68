import { at } from '../../base/index.ts';
import type { Form, Term } from './form.ts';

/** Completion time from the terms' own times: their sum, or with overlap the soft maximum of its two parts. */
export function combineTerms({ terms, overlap }: Pick<Form, 'terms' | 'overlap'>, seconds: readonly number[]): number {
  if (overlap === undefined) return seconds.reduce((sum, value) => sum + value, 0);
  const sum = (part: Term['part']): number =>
    terms.reduce((total, term, index) => total + (term.part === part ? at(seconds, index) : 0), 0);
  return softMaximum(sum('processing'), sum('communication'), overlap) + sum('whole');
}

/** (a^p + b^p)^(1/p) without leaving the range of a double; a + b without p. */
export function softMaximum(a: number, b: number, p: number | undefined): number {
  if (p === undefined) return a + b;
  const larger = Math.max(a, b);
  return larger === 0 ? 0 : larger * ((a / larger) ** p + (b / larger) ** p) ** (1 / p);
}

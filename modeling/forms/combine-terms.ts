import { at } from '../../base/index.ts';
import type { Form, Term } from './form.ts';

/** Completion time from the terms' own times: their sum, or with overlap the soft maximum of its two parts. */
export function combineTerms({ terms, overlap }: Pick<Form, 'terms' | 'overlap'>, seconds: readonly number[]): number {
  if (overlap === undefined) return seconds.reduce((sum, value) => sum + value, 0);
  const sum = (part: Term['part']): number =>
    terms.reduce((total, term, index) => total + (term.part === part ? at(seconds, index) : 0), 0);
  const [processing, communication] = [sum('processing'), sum('communication')];
  const larger = Math.max(processing, communication);
  const hidden =
    larger === 0
      ? 0
      : larger * ((processing / larger) ** overlap + (communication / larger) ** overlap) ** (1 / overlap);
  return hidden + sum('whole');
}

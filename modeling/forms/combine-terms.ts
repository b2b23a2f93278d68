import type { Form, Term } from './form.ts';

/** Completion time from the terms' own times: their sum, or with overlap the soft maximum of its two parts. */
export function combineTerms(
  { terms, overlap }: Pick<Form, 'terms' | 'overlap'>,
  secondsOf: (term: Term, index: number) => number,
): number {
  let [processing, communication, whole] = [0, 0, 0];
  // By index: every bootstrap waits for this loop.
  for (let index = 0; index < terms.length; index += 1) {
    const term = terms[index];
    if (term === undefined) continue;
    const seconds = secondsOf(term, index);
    if (overlap === undefined || term.part === 'whole') whole += seconds;
    else if (term.part === 'processing') processing += seconds;
    else communication += seconds;
  }
  return whole + softMaximum(processing, communication, overlap);
}

/** (a^p + b^p)^(1/p) without leaving the range of a double; a + b without p. */
export function softMaximum(a: number, b: number, p: number | undefined): number {
  if (p === undefined) return a + b;
  const larger = Math.max(a, b);
  return larger === 0 ? 0 : larger * ((a / larger) ** p + (b / larger) ** p) ** (1 / p);
}

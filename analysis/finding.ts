/** What any analysis has to say, in one shape, so that all of them can be ranked together. */
export interface Finding {
  /** Analysis and kind: `grade10/imbalance`, `across/takeover`. */
  readonly kind: string;
  /** What it is about: a setting, a phase type, a resource. */
  readonly where: string;
  /** Seconds of one phase in focus (a search) that are at stake; null where it is not about time. */
  readonly seconds: number | null;
  /** The same as a share of that phase's time. */
  readonly percent: number | null;
  /** Of `seconds`; null where none is known. */
  readonly interval: { readonly low: number | null; readonly high: number | null } | null;
  readonly sentence: string;
}

/** What costs the largest share of time first; what is not about time comes last, in its own order. */
export function rankFindings(findings: readonly Finding[]): Finding[] {
  const share = ({ percent }: Finding): number => percent ?? Number.NEGATIVE_INFINITY;
  return [...findings].sort((a, b) => (share(b) === share(a) ? 0 : share(b) - share(a)));
}

/** One question of a campaign with its answer, as plain data: page and terminal only lay it out. */
export interface StoryLine {
  readonly id: 'verdict' | 'size' | 'blind' | 'limit' | 'bandwidth' | 'next';
  readonly question: string;
  /** The answer in a word or a number with its unit, such as `9 nodes`. */
  readonly short: string;
  /** One sentence with figures and units. */
  readonly answer: string;
  /** What the answer rests on, in sentences; null where it says all. */
  readonly detail: string | null;
  /** Null where there is no number to say. */
  readonly value: number | null;
  readonly unit: 'nodes' | '%' | 's';
  /** Of `value`, 90 %; a bound of null lies beyond what was looked at. Null where there is none. */
  readonly interval: { readonly low: number | null; readonly high: number | null } | null;
}

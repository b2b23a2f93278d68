/** A phrase that people should not read, and what to write instead. */
export interface Banned {
  readonly phrase: RegExp;
  readonly write: string;
}

/** The words of the project in strings and docs. Only phrases that never have another, proper meaning there. */
export const BANNED: readonly Banned[] = [
  { phrase: /\bendless (?:link|network)/i, write: 'unlimited network' },
  { phrase: /\bcannot be said\b|\bnothing can be said\b/i, write: 'cannot tell, or is unknown' },
  { phrase: /\bno answer\b/i, write: 'no prediction (of a model), no reply (of a host)' },
  { phrase: /\bdo(?:es)? not answer\b/i, write: 'does not respond' },
  {
    phrase: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)[\w'"]/i,
    write: 'is not a ..., or has no ...',
  },
  { phrase: /\bis none of\b/i, write: 'is not one of' },
  { phrase: /\bno measurement: /i, write: 'is invalid: ' },
  { phrase: /\bhops?\b/i, write: 'rank switch' },
  { phrase: /\b(?:held|hold|holds|holding) (?:\S+ ){0,5}against\b/i, write: 'compare with' },
  { phrase: /\bas far as\b.{1,40}\btell/i, write: 'within measurement noise' },
  { phrase: /\bby less than\b.{1,40}\btell/i, write: 'closer together than ... can resolve' },
  { phrase: /: (?:that|it) takes (?:at least|a|an|two|three)\b/i, write: ', which needs' },
  { phrase: /\bstarv(?:e|es|ed|ing)\b/i, write: 'is bandwidth-bound' },
  { phrase: /\bheld up\b|\bholds? \S+(?: \S+)? up\b/i, write: 'is limited by, or the bottleneck is' },
  { phrase: /\btakes? over\b|\btakeovers?\b/i, write: 'crossover, or dominates' },
  { phrase: /\brivals?\b/i, write: 'candidate model' },
  { phrase: /\bstrays?\b/i, write: 'discrepancy, or random effect' },
  { phrase: /\bkeepers?\b/i, write: 'watchdog' },
  { phrase: /\bvisit(?:s|ed|ing)?\b(?!-)/i, write: 'repetition, or run' },
  { phrase: /\bhindrances?\b/i, write: 'bottleneck' },
  { phrase: /\bhappenings?\b/i, write: 'event' },
  { phrase: /\btold\b/i, write: 'reported' },
  { phrase: /\brefuses? (?:the statement|it)\b|\b(?:is|are) refused\b/i, write: 'rejects, is rejected' },
  { phrase: /\bcareful with\b/i, write: 'treat ... with caution' },
  { phrase: /\bsame command (?:goes|go) on\b|\bgoes on where\b/i, write: 'rerun the same command to resume' },
  { phrase: /\bchain of work and messages\b/i, write: 'critical path' },
  { phrase: /\bwork that (?:the )?ranks share\b/i, write: 'parallel work' },
  { phrase: /\bbeyond their bytes\b/i, write: 'latency, waiting and queueing' },
  { phrase: /\bsigns? of life\b/i, write: 'response' },
  { phrase: /\bgravest\b/i, write: 'largest first' },
  { phrase: /\bis there (?:already|twice)\b/i, write: 'already exists, occurs twice' },
  { phrase: /\b(?:is|are) marked\b|\bmarked cells?\b/i, write: 'has a data-quality flag' },
  { phrase: /\bside by side\b/i, write: 'in parallel, or compared' },
  { phrase: /\bhung on\b/i, write: 'critical path' },
  { phrase: /\bgo(?:es)? in a circle\b/i, write: 'form a cycle' },
  { phrase: /\bgive it again\b/i, write: 'repeatable' },
  { phrase: /\bwas not whole\b|\bis not whole\b/i, write: 'is damaged, or incomplete' },
];

/** The longest sentence of a string, in words; a number or value counts as one. */
export const MOST_WORDS = 25;

/** Files (or folders) whose strings are being rewritten with their answers. Remove a line when its file is done; add none. */
export const NOT_YET: readonly string[] = [
  'experiments/workloads/',
  'inventory/expand-hosts.ts',
  'inventory/load-inventory.ts',
  'inventory/ssh-target.ts',
];

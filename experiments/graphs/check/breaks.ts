/** The rules of the format that a dataset can break, each with what its first cases are called. */
export const RULES = {
  junk: 'lines that do not follow the format',
  'id-range': 'ids outside 0 to 2^63 - 1',
  empty: 'files without a vertex',
  'vertex-order': 'vertices that are not in ascending order',
  'vertex-repeated': 'vertices that are listed twice',
  'edge-end': 'ends of edges that are not vertices',
  'self-loop': 'self-loops',
  'edge-order': 'edges that are not sorted by their ends',
  'edge-repeated': 'edges that are listed twice',
  'edge-direction': 'undirected edges whose larger id comes first',
  'weight-missing': 'edges without a weight',
  'weight-value': 'weights that are not a finite number of at least 0',
  source: 'source vertices that do not exist',
  count: 'counts in the properties that differ from the files',
} as const;

export type FormatRule = keyof typeof RULES;

/** How many of each kind are kept with their place. */
const SHOWN = 10;

interface FilePlace {
  readonly file: string;
  /** From 1; null where no line is meant. */
  readonly line: number | null;
  /** What stands there. */
  readonly text: string;
}

export interface BrokenRule {
  readonly rule: FormatRule;
  readonly count: number;
  readonly first: readonly FilePlace[];
}

/** Collects what breaks the rules: all are counted, the first of each kind are kept. */
export class Breaks {
  readonly #found = new Map<FormatRule, { count: number; first: FilePlace[] }>();

  /** `text` is asked for only when the place is kept. */
  add(rule: FormatRule, file: string, line: number | null, text: () => string): void {
    let found = this.#found.get(rule);
    if (found === undefined) {
      found = { count: 0, first: [] };
      this.#found.set(rule, found);
    }
    found.count += 1;
    if (found.first.length < SHOWN) found.first.push({ file, line, text: text() });
  }

  /** In the order of `RULES`. */
  get all(): readonly BrokenRule[] {
    return (Object.keys(RULES) as FormatRule[]).flatMap((rule) => {
      const found = this.#found.get(rule);
      return found === undefined ? [] : [{ rule, count: found.count, first: found.first }];
    });
  }
}

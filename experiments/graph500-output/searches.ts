const LINE =
  /^\s*(Time|TEPS|Validate time) for (?:(BFS|SSSP) )?(\d+) is ([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?:\s*(?:s|TEPS))?\s*$/;

/** What is printed of one search, as texts: their digits tell the resolution. */
export interface PrintedSearch {
  readonly root: number;
  time?: string;
  teps?: string;
  validate?: string;
}

/** The breadth-first searches in order of their number, and whether one of them is printed twice with other values. */
export function readSearches(lines: readonly string[]): { searches: PrintedSearch[]; repeated: boolean } {
  const byRoot = new Map<number, PrintedSearch>();
  let repeated = false;
  for (const line of lines) {
    const match = LINE.exec(line);
    if (!match || match[2] === 'SSSP') continue;
    const [, what, , index, value = ''] = match;
    const root = Number(index);
    const search: PrintedSearch = byRoot.get(root) ?? { root };
    const key = what === 'Time' ? 'time' : what === 'TEPS' ? 'teps' : 'validate';
    if (search[key] !== undefined && search[key] !== value) repeated = true;
    search[key] = value;
    byRoot.set(root, search);
  }
  return { searches: [...byRoot.values()].sort((a, b) => a.root - b.root), repeated };
}

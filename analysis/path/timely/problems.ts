import type { Problem } from '../activities.ts';

/** As many lines are named of each sort of problem. */
const MOST_LINES = 10;

/** Counts what of a trace could not be used, by its sort, in the order in which sorts are met first. */
export class Problems {
  private readonly kinds = new Map<string, { count: number; lines: number[] }>();

  /** `line` is counted from 1; 0 where no line is to blame. */
  add(kind: string, line: number): void {
    let known = this.kinds.get(kind);
    if (known === undefined) {
      known = { count: 0, lines: [] };
      this.kinds.set(kind, known);
    }
    known.count += 1;
    if (line > 0 && known.lines.length < MOST_LINES) known.lines.push(line);
  }

  list(): readonly Problem[] {
    return [...this.kinds].map(([kind, { count, lines }]) => ({ kind, count, lines }));
  }
}

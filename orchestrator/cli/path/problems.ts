import type { Problem } from '../../../analysis/index.ts';
import { note } from '../print.ts';

/** What of a trace could not be used as it is, a line on stderr for each sort. */
export function problemNotes(problems: readonly Problem[]): void {
  for (const { kind, count, lines } of problems) {
    const where = lines.length === 0 ? '' : `: ${lines.join(', ')}${count > lines.length ? ', ...' : ''}`;
    note(`predict: ${kind} (${count}x)${where}`);
  }
}

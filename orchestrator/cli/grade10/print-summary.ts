import {
  componentLabel,
  costFindings,
  isBelowSlice,
  lastStep,
  type Part,
  type Platform,
  type Summary,
} from '../../../analysis/index.ts';
import { formatSeconds } from '../../../base/index.ts';
import { print } from '../print.ts';

/** One run in words: what its time went to, and what it could save. */
export function printSummary(summary: Summary, platform: Platform): void {
  const { count, seconds, components, phases } = summary;
  const each = (all: number): string => formatSeconds(all / Math.max(1, count));
  const share = (part: Part): string => `${((part.seconds / Math.max(1e-12, seconds)) * 100).toFixed(0)} %`.padStart(5);
  const lines = (parts: readonly Part[], label: (name: string) => string): string =>
    parts.map((part) => `  ${share(part)}  ${each(part.seconds).padStart(8)}  ${label(part.name)}`).join('\n');
  if (isBelowSlice(summary)) {
    print(`${count} x ${summary.focus}, on average below a slice of ${formatSeconds(summary.sliceSeconds)}.`);
    return;
  }
  print(`${count} x ${summary.focus}, on average ${each(seconds)}.`);
  print(`\nBottlenecks:\n${lines(components, (name) => componentLabel(name, platform))}`);
  print(`\nTime by phase:\n${lines(phases, lastStep)}`);
  print('\nLargest possible savings, each alone with all else unchanged:');
  for (const { sentence } of costFindings(summary, platform).slice(0, 12)) print(`  ${sentence}`);
}

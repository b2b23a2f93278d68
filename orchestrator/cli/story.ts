import type { WrittenReport } from '../write-report.ts';
import { print, printExactly } from './print.ts';

/** What a campaign says, question by question, and where its report is. */
export function printStory({ story, report }: WrittenReport): void {
  for (const { question, answer, detail } of story) {
    print(`${question}\n  ${answer}${detail === null ? '' : `\n  ${detail}`}`);
  }
  printExactly(`Report: ${report}`);
}

import { lineBlocks } from './line-blocks.ts';
import type { Scanner } from './scanner.ts';

const NEWLINE = 10;

/**
 * Visits the lines of a text file, plain or gzip: the scanner stands at the start of the line, whose number from 1 is given, and may be
 * left anywhere up to its newline. How many lines there are, and whether the last one is ended by a newline. Errors: badInput.
 */
export async function forEachLine(
  file: string,
  scanner: Scanner,
  visit: (line: number) => void,
): Promise<{ readonly lines: number; readonly isEnded: boolean }> {
  let lines = 0;
  let isEnded = true;
  for await (const bytes of lineBlocks(file)) {
    scanner.bytes = bytes;
    scanner.at = 0;
    while (scanner.at < bytes.length) {
      lines += 1;
      visit(lines);
      if (bytes[scanner.at] !== NEWLINE) scanner.at = scanner.lineEnd();
      scanner.at += 1;
    }
    isEnded = bytes[bytes.length - 1] === NEWLINE;
  }
  return { lines, isEnded };
}

import { linesIn } from '../../../base/line-reader.ts';

/** A line of more bytes is damage: no row of a trace is. */
export const LONGEST_LINE = 1 << 20;

/**
 * The lines of a text, without their ends (also CRLF), as many at once as a piece ends; the last one may lack its end. Of a line
 * that is too long only the beginning is there, so that it takes no more memory.
 */
export async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  for await (const lines of linesIn(pieces, LONGEST_LINE)) {
    yield lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }
}

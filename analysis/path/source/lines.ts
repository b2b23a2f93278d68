import { StringDecoder } from 'node:string_decoder';

/** A line longer than this is damage: no row of a trace is. */
export const LONGEST_LINE = 1 << 20;

/**
 * The lines of a text, without their ends (also CRLF), as many at once as a piece ends; the last one may lack its end. Of a line
 * that is too long only the beginning is there, so that it takes no more memory.
 */
export async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
    yield lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }
  rest += decoder.end();
  if (rest !== '') yield [rest];
}

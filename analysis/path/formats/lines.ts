import { StringDecoder } from 'node:string_decoder';

/** The lines of a text, without their ends (also CRLF), as many at once as a piece ends; the last one may lack its end. */
export async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop() ?? '';
    yield lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }
  rest += decoder.end();
  if (rest !== '') yield [rest];
}

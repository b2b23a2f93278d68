import type { Observations } from './observations.ts';

const ROWS_PER_PIECE = 4096;

/** `scale,n,bw,rep,ct` (n = nodes, ct in seconds at full precision), in pieces of text for a stream. */
export function* exportCsv(rows: Observations): Generator<string> {
  yield 'scale,n,bw,rep,ct\n';
  for (let from = 0; from < rows.length; from += ROWS_PER_PIECE) {
    const lines: string[] = [];
    for (let row = from; row < Math.min(from + ROWS_PER_PIECE, rows.length); row += 1) {
      lines.push([rows.scale[row], rows.nodes[row], rows.bw[row], rows.rep[row], rows.ct[row]].join(','));
    }
    yield `${lines.join('\n')}\n`;
  }
}

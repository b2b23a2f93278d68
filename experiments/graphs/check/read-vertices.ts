import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { IdTable } from '../id-table.ts';
import { forEachLine } from '../text/line-blocks.ts';
import { idText } from '../text/line-writer.ts';
import { ID, Scanner } from '../text/scanner.ts';
import type { Breaks } from './breaks.ts';

const [NEWLINE, RETURN] = [10, 13];

/** What two files have in common beside their lines. */
export interface FileFacts {
  readonly lines: number;
  readonly isEnded: boolean;
  readonly hasReturns: boolean;
}

/**
 * Reads a vertex file: one id per line, ascending, none twice. `expected` of them have room from the start. Errors: badInput for a file
 * that cannot be read.
 */
export async function readVertices(
  file: string,
  expected: number,
  breaks: Breaks,
): Promise<FileFacts & { ids: IdTable }> {
  const ids = new IdTable(expected);
  const scanner = new Scanner();
  let hasReturns = false;
  let [lastHi, lastLo] = [-1, 0];
  const { lines, isEnded } = await forEachLine(file, scanner, (line) => {
    const start = scanner.at;
    const state = scanner.id();
    const byte = scanner.bytes[scanner.at];
    const isReturn = byte === RETURN && scanner.bytes[scanner.at + 1] === NEWLINE;
    if (isReturn) hasReturns = true;
    if (state !== ID.ok || (byte !== NEWLINE && byte !== undefined && !isReturn)) {
      breaks.add(brokenIdRule(state), file, line, () => scanner.lineText(start));
      return;
    }
    const { hi, lo } = scanner;
    const before = ids.size;
    ids.add(hi, lo);
    if (ids.size === before) breaks.add('vertex-repeated', file, line, () => idText(hi, lo));
    else if (hi < lastHi || (hi === lastHi && lo < lastLo)) {
      const last = idText(lastHi, lastLo);
      breaks.add('vertex-order', file, line, () => `${idText(hi, lo)} after ${last}`);
    }
    lastHi = hi;
    lastLo = lo;
  });
  if (ids.size === 0) breaks.add('empty', file, null, () => '');
  return { lines, isEnded, hasReturns, ids };
}

export function brokenIdRule(state: number): 'junk' | 'id-range' {
  return state === ID.tooLarge || state === ID.negative ? 'id-range' : 'junk';
}

/** The number of a vertex that parameters name; -1 for none. Errors: badInput for what is no id. */
export function findVertex(ids: IdTable, text: string): number {
  const scanner = new Scanner();
  scanner.bytes = Buffer.from(text);
  if (scanner.id() === ID.none || scanner.at !== text.length)
    throw badInput(`'${shortened(text)}' is not a vertex id.`);
  return ids.find(scanner.hi, scanner.lo);
}

import { sortedRows } from '../adjacency.ts';
import type { Dataset } from '../dataset.ts';
import { EdgeList } from '../edge-list.ts';
import type { IdTable } from '../id-table.ts';
import { forEachLine } from '../text/line-blocks.ts';
import { ID, Scanner } from '../text/scanner.ts';
import type { Breaks, FormatRule } from './breaks.ts';
import { brokenIdRule, type FileFacts } from './read-vertices.ts';

const [NEWLINE, RETURN, BLANK] = [10, 13, 32];

/**
 * Reads an edge file: `source target` or `source target weight`, one blank apart, sorted, none twice; ends are numbers of `ids`.
 * Edges that break a rule are counted in `breaks`, and in the list where they have two ends. Errors: badInput for a file that cannot
 * be read.
 */
export async function readGraphEdges(
  { edgeFile: file, directed, weighted }: Pick<Dataset, 'edgeFile' | 'directed' | 'weighted'>,
  ids: IdTable,
  breaks: Breaks,
): Promise<FileFacts & { readonly edges: EdgeList }> {
  const edges = new EdgeList(weighted);
  const scanner = new Scanner();
  let hasReturns = false;
  let isSorted = true;
  let [lastHiA, lastLoA, lastHiB, lastLoB] = [-1, 0, 0, 0];
  /** Lines without an edge: with them, places in the list tell lines. */
  const skipped: number[] = [];
  const { lines, isEnded } = await forEachLine(file, scanner, (line) => {
    const { bytes } = scanner;
    const start = scanner.at;
    const broken = (rule: FormatRule): void => breaks.add(rule, file, line, () => scanner.lineText(start));
    const skip = (rule: FormatRule): void => {
      broken(rule);
      skipped.push(line);
    };
    const first = scanner.id();
    if (first !== ID.ok || bytes[scanner.at] !== BLANK) return skip(brokenIdRule(first));
    const [hiA, loA] = [scanner.hi, scanner.lo];
    scanner.at += 1;
    const second = scanner.id();
    if (second !== ID.ok) return skip(brokenIdRule(second));
    const [hiB, loB] = [scanner.hi, scanner.lo];
    let weight = 0;
    if (weighted) {
      const separator = bytes[scanner.at];
      if (separator === NEWLINE || separator === RETURN || separator === undefined) broken('weight-missing');
      else if (separator !== BLANK) return skip('junk');
      else {
        scanner.at += 1;
        const from = scanner.at;
        weight = scanner.real();
        if (scanner.at === from) broken('weight-missing');
        else if (!(weight >= 0 && weight < Infinity)) broken('weight-value');
      }
    }
    const end = bytes[scanner.at];
    if (end === RETURN && bytes[scanner.at + 1] === NEWLINE) hasReturns = true;
    else if (end !== NEWLINE && end !== undefined) return skip('junk');
    const [from, to] = [ids.find(hiA, loA), ids.find(hiB, loB)];
    if (from < 0 || to < 0) return skip('edge-end');
    edges.add(from, to, weight);
    if (from === to) broken('self-loop');
    else if (!directed && (hiA > hiB || (hiA === hiB && loA > loB))) broken('edge-direction');
    const order = hiA - lastHiA || loA - lastLoA || hiB - lastHiB || loB - lastLoB;
    if (order < 0) {
      isSorted = false;
      broken('edge-order');
    } else if (order === 0) broken('edge-repeated');
    lastHiA = hiA;
    lastLoA = loA;
    lastHiB = hiB;
    lastLoB = loB;
  });
  const isTurned = breaks.all.some(({ rule }) => rule === 'edge-direction');
  if (!isSorted || isTurned) {
    for (const place of repeatedOutOfOrder(edges, { vertices: ids.size, directed })) {
      const line = lineOf(place, skipped);
      breaks.add('edge-repeated', file, line, () => endsText(edges, place, ids));
    }
  }
  return { lines, isEnded, hasReturns, edges };
}

/** The line of the edge at a place from 0, when some lines have no edge. */
function lineOf(place: number, skipped: readonly number[]): number {
  let line = place + 1;
  for (const other of skipped) {
    if (other > line) break;
    line += 1;
  }
  return line;
}

function endsText(edges: EdgeList, place: number, ids: IdTable): string {
  const [from, to] = edges.at(place);
  return `${ids.text(from)} ${ids.text(to)}`;
}

/**
 * Places, ascending, of edges that have the same ends as an earlier one, other than the line right before them: what reading
 * in order does not see. An undirected edge is the same both ways.
 */
function repeatedOutOfOrder(
  list: EdgeList,
  { vertices, directed }: { readonly vertices: number; readonly directed: boolean },
): readonly number[] {
  const places = new EdgeList(true);
  let place = 0;
  let [lastFrom, lastTo] = [-1, -1];
  const isBesideEqual = new Uint8Array(list.length);
  for (const { from, to, length } of list.chunks) {
    for (let edge = 0; edge < length; edge += 1) {
      const [a, b] = [from[edge] ?? 0, to[edge] ?? 0];
      const isTurned = !directed && a > b;
      places.add(isTurned ? b : a, isTurned ? a : b, place);
      if (a === lastFrom && b === lastTo) isBesideEqual[place] = 1;
      [lastFrom, lastTo] = [a, b];
      place += 1;
    }
  }
  const { offsets, targets, weights } = sortedRows(places, vertices);
  const found: number[] = [];
  for (let row = 0; row < vertices; row += 1) {
    const end = offsets[row + 1] ?? 0;
    for (let edge = (offsets[row] ?? 0) + 1; edge < end; edge += 1) {
      const at = weights?.[edge] ?? 0;
      if (targets[edge] === targets[edge - 1] && isBesideEqual[at] === 0) found.push(at);
    }
  }
  return found.sort((a, b) => a - b);
}
